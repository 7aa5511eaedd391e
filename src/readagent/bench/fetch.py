"""Fetching data sets from where their authors publish them: once, when asked, and with their licence told before.

Authors publish no hashes. The SHA-256 seen at the first fetch is kept beside the data, as ``sha256sum -c`` reads it,
and whatever comes or lies there later is compared with it. Nothing stands under its final name half-fetched.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from readagent.bench.datasets.registry import DATASETS
from readagent.errors import DatasetError, FullDiskError, ModelError, ReadAgentError, RejectedError, UsageError
from readagent.models.http import download

Tell = Callable[[str, int, int], None]

SUMS = "SHA256SUMS"
_PARTIAL = "partial"


@dataclass(frozen=True, slots=True)
class Remote:
    """A file to fetch: what it is called, where it lies, and about how many bytes it has; 0 where that is not known."""

    name: str
    url: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class Offer:
    """What can be fetched of a data set into the folder of this name, and what must be got by hand."""

    folder: str
    licence: str
    homepage: str
    files: tuple[Remote, ...]
    by_hand: str = ""

    @property
    def size(self) -> int:
        """Bytes, about, of all files whose size is known."""
        return sum(file.size for file in self.files)

    def lines(self, folder: Path) -> list[str]:
        """What a person should know before: licence, files and sizes, where they go, what is left to do by hand."""
        told = [f"licence: {self.licence}", f"homepage: {self.homepage}", f"to be kept in: {folder / self.folder}"]
        told += [f"{file.name} ({_size(file.size)}) from {file.url}" for file in self.files]
        told.append(f"SHA-256: not published by the authors; the first one seen is kept in {SUMS} and compared later")
        return [*told, *([f"by hand: {self.by_hand}"] if self.by_hand else [])]


def _raw(repository: str, branch: str, path: str, sizes: Mapping[str, int]) -> tuple[Remote, ...]:
    base = f"https://raw.githubusercontent.com/{repository}/{branch}/{path}"
    return tuple(Remote(name, f"{base}{name}", size) for name, size in sizes.items())


def _offer(name: str, files: tuple[Remote, ...], by_hand: str = "") -> Offer:
    known = DATASETS[name]
    return Offer(name.partition("-")[0], known.licence, known.homepage, files, by_hand)


_STORIES = (
    "the stories are not the authors' to publish. Their script download_stories.sh fetches them, into tmp; put that "
    "folder beside documents.csv, as tmp or as stories. Or take narrative_qa.zip of SCROLLS "
    "(https://github.com/tau-nlp/scrolls), which has the texts in it, and put its validation.jsonl beside "
    "documents.csv; its test part has no keys."
)
_NARRATIVEQA = _offer(
    "narrativeqa-books",
    _raw("google-deepmind/narrativeqa", "master", "", {"documents.csv": 342_000, "qaps.csv": 0}),
    _STORIES,
)

OFFERS: dict[str, Offer] = {
    "quality": _offer(
        "quality",
        _raw(
            "nyu-mll/quality",
            "main",
            "data/v1.0.1/",
            {
                "QuALITY.v1.0.1.htmlstripped.dev": 8_800_000,
                "QuALITY.v1.0.1.htmlstripped.train": 0,
                "QuALITY.v1.0.1.htmlstripped.test": 0,
            },
        ),
    ),
    "qmsum": _offer(
        "qmsum",
        _raw(
            "Yale-LILY/QMSum",
            "main",
            "data/ALL/jsonl/",
            {"val.jsonl": 2_715_000, "test.jsonl": 2_744_000, "train.jsonl": 0},
        ),
    ),
    "narrativeqa": _NARRATIVEQA,
    "narrativeqa-books": _NARRATIVEQA,
    "narrativeqa-films": _NARRATIVEQA,
    "nocha": _offer(
        "nocha",
        _raw("marzenakrp/nocha", "main", "data_sample/", {"data_sample.json": 810_000, "classic_books.pkl": 0}),
    ),
    "locomo": _offer("locomo", _raw("snap-research/locomo", "main", "data/", {"locomo10.json": 2_805_000})),
}


def offer(name: str) -> Offer:
    """What can be fetched of this data set."""
    found = OFFERS.get(name.lower())
    if found is None:
        reason = (
            "your own documents are fetched by nobody" if name == "own" else f"there is no data set {name!r} to fetch"
        )
        raise UsageError(reason, hint=f"to be fetched are: {', '.join(OFFERS)}")
    return found


def fetch(name: str, folder: Path, *, tell: Tell = lambda file, done, size: None) -> list[Path]:
    """Fetch the files of a data set that are not in ``folder`` yet; those that came are returned.

    ``tell`` hears the name of the file under way, how many bytes of it have come, and about how many there are.
    """
    chosen = offer(name)
    place = folder.expanduser() / chosen.folder
    came = []
    for file in chosen.files:
        with _told(place, file):
            if _lies_there(place, file):
                continue
            _fetch(place, file, tell)
            came.append(place / file.name)
    return came


def hashes(name: str, folder: Path) -> dict[str, str]:
    """The SHA-256 of each file of a data set when it was first seen in ``folder``."""
    return _seen(folder.expanduser() / offer(name).folder)


def _lies_there(place: Path, file: Remote) -> bool:
    """Whether the file is there already, and as it was first seen."""
    final = place / file.name
    if not final.is_file():
        return False
    seen, found = _seen(place).get(file.name), _sha256(final)
    if seen is None:
        _remember(place, file.name, found)
    elif seen != found:
        raise DatasetError(
            f"{final} is not as it was when it was fetched (its SHA-256 is another)",
            hint=f"delete it to fetch it again; or, if that was you, delete its line in {place / SUMS}",
        )
    return True


def _fetch(place: Path, file: Remote, tell: Tell) -> None:
    partial = place / _PARTIAL
    partial.mkdir(parents=True, exist_ok=True)
    path = partial / file.name
    try:
        _download(file, path, lambda done: tell(file.name, done, file.size))
        seen, found = _seen(place).get(file.name), _sha256(path)
        if seen is not None and seen != found:
            path.unlink()
            raise DatasetError(
                f"{file.name} came otherwise than the first time (its SHA-256 is another), and was not kept",
                hint=f"if its authors have changed it, delete its line in {place / SUMS} and fetch it again",
            )
        os.replace(path, place / file.name)
        _remember(place, file.name, found)
    finally:
        for empty in (partial, place):
            with suppress(OSError):
                empty.rmdir()


def _download(file: Remote, path: Path, tell: Callable[[int], None]) -> None:
    """Fetch the rest of a file; a line that breaks is taken up again as long as that brings more of it."""
    while True:
        have = path.stat().st_size if path.is_file() else 0
        try:
            download(file.url, path, on_progress=tell)
            return
        except ReadAgentError as error:
            begun_anew = isinstance(error, RejectedError) and have and not path.exists()
            grown = error.retryable and path.is_file() and path.stat().st_size > have
            if not (begun_anew or grown):
                raise


def _seen(place: Path) -> dict[str, str]:
    """The hash of each file when it was first seen."""
    sums = place / SUMS
    if not sums.is_file():
        return {}
    pairs = (line.split(maxsplit=1) for line in sums.read_text("utf-8").splitlines() if len(line.split()) > 1)
    return {name.lstrip("*"): seen for seen, name in pairs}


def _remember(place: Path, name: str, found: str) -> None:
    sums = {**_seen(place), name: found}
    written = place / f"{SUMS}.new"
    written.write_text("".join(f"{seen}  {known}\n" for known, seen in sorted(sums.items())), "utf-8")
    os.replace(written, place / SUMS)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _size(size: int) -> str:
    return f"about {size / 1e6:.1f} MB" if size else "size not known"


@contextmanager
def _told(place: Path, file: Remote) -> Iterator[None]:
    """Where it does not work by program, say how it works by hand."""
    try:
        yield
    except ModelError as error:  # what the line to a server raises
        error.hint = f"fetch it again later, or download {file.url} by hand and put it at {place / file.name}"
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise FullDiskError(f"no room left for {file.name} in {place}", hint="free some space") from error
        reason = (error.strerror or str(error)).lower()
        raise DatasetError(f"{file.name} cannot be kept in {place}: {reason}", hint="name another folder") from error
