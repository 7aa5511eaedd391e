"""Download data sets from where their authors publish them, after showing the licence.

The authors publish no hashes. The SHA-256 of the first download is kept next to the data, in the format of
``sha256sum -c``, and later files are compared with it. An incomplete file never has its final name.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from readagent.errors import DatasetError, FullDiskError, ModelError, ReadAgentError, RejectedError, UsageError
from readagent.models.http import download
from readagent_bench.datasets.registry import DATASETS

OnProgress = Callable[[str, int, int], None]  # file, bytes done, bytes in all or 0

SUMS = "SHA256SUMS"
_PARTIAL = "partial"


@dataclass(frozen=True, slots=True)
class Remote:
    """A file to download. ``size`` is approximate; 0 if unknown."""

    name: str
    url: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class Offer:
    """The files of a data set that can be downloaded into ``folder``, and what must be downloaded by hand."""

    folder: str
    licence: str
    homepage: str
    files: tuple[Remote, ...]
    by_hand: str = ""

    @property
    def size(self) -> int:
        """The approximate size of all files whose size is known."""
        return sum(file.size for file in self.files)

    def lines(self, folder: Path) -> list[str]:
        """Return what to know before a download: licence, folder, files and sizes, and what is left to do by hand."""
        lines = [f"licence: {self.licence}", f"homepage: {self.homepage}", f"folder: {folder / self.folder}"]
        lines += [f"{file.name} ({_size(file.size)}) from {file.url}" for file in self.files]
        lines.append(f"SHA-256: not published by the authors; that of the first download is kept in {SUMS}")
        return [*lines, *([f"by hand: {self.by_hand}"] if self.by_hand else [])]


def _raw(repository: str, branch: str, path: str, sizes: Mapping[str, int]) -> tuple[Remote, ...]:
    base = f"https://raw.githubusercontent.com/{repository}/{branch}/{path}"
    return tuple(Remote(name, f"{base}{name}", size) for name, size in sizes.items())


def _hub(repository: str, sizes: Mapping[str, int]) -> tuple[Remote, ...]:
    base = f"https://huggingface.co/datasets/{repository}/resolve/main/"
    return tuple(Remote(name, f"{base}{name}", size) for name, size in sizes.items())


def _offer(name: str, files: tuple[Remote, ...], by_hand: str = "") -> Offer:
    known = DATASETS[name]
    return Offer(name.partition("-")[0], known.licence, known.homepage, files, by_hand)


_STORIES = (
    "the authors may not publish the stories. Their script download_stories.sh downloads them into tmp; put that "
    "folder next to documents.csv, as tmp or as stories. Or take narrative_qa.zip of SCROLLS "
    "(https://github.com/tau-nlp/scrolls), which contains the texts, and put its validation.jsonl next to "
    "documents.csv; its test part has no keys."
)
_NARRATIVEQA = _offer(
    "narrativeqa-books",
    _raw("google-deepmind/narrativeqa", "master", "", {"documents.csv": 342_000, "qaps.csv": 0}),
    _STORIES,
)

_INFINITEBENCH = "xinrongzhang2022/InfiniteBench"

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
    "longmemeval": _offer(
        "longmemeval",
        _hub(
            "xiaowu0162/longmemeval-cleaned", {"longmemeval_s_cleaned.json": 264_000_000, "longmemeval_oracle.json": 0}
        ),
    ),
    "longbench2": _offer("longbench2", _hub("zai-org/LongBench-v2", {"data.json": 0})),
    "infinitebench-mc": _offer("infinitebench-mc", _hub(_INFINITEBENCH, {"longbook_choice_eng.jsonl": 0})),
    "infinitebench-qa": _offer("infinitebench-qa", _hub(_INFINITEBENCH, {"longbook_qa_eng.jsonl": 0})),
}


def offer(name: str) -> Offer:
    """Return what can be downloaded of a data set."""
    found = OFFERS.get(name.lower())
    if found is None:
        reason = "your own documents cannot be downloaded" if name == "own" else f"unknown data set {name!r}"
        raise UsageError(reason, hint=f"can be fetched: {', '.join(OFFERS)}")
    return found


def fetch(name: str, folder: Path, *, on_progress: OnProgress = lambda file, done, size: None) -> list[Path]:
    """Download the files of a data set that are not in ``folder`` yet, and return their paths."""
    chosen = offer(name)
    place = folder.expanduser() / chosen.folder
    new = []
    for file in chosen.files:
        with _explained(place, file):
            if _is_there(place, file):
                continue
            _fetch(place, file, on_progress)
            new.append(place / file.name)
    return new


def hashes(name: str, folder: Path) -> dict[str, str]:
    """Return the SHA-256 that each file of a data set had when it was first seen in ``folder``."""
    return _seen(folder.expanduser() / offer(name).folder)


def _is_there(place: Path, file: Remote) -> bool:
    """Return whether the file exists; raise DatasetError if it has changed since it was first seen."""
    final = place / file.name
    if not final.is_file():
        return False
    seen, found = _seen(place).get(file.name), _sha256(final)
    if seen is None:
        _remember(place, file.name, found)
    elif seen != found:
        raise DatasetError(
            f"{final} has changed since it was downloaded (its SHA-256 differs)",
            hint=f"delete it to download it again; or, if you changed it, delete its line in {place / SUMS}",
        )
    return True


def _fetch(place: Path, file: Remote, on_progress: OnProgress) -> None:
    partial = place / _PARTIAL
    partial.mkdir(parents=True, exist_ok=True)
    path = partial / file.name
    try:
        _download(file, path, lambda done: on_progress(file.name, done, file.size))
        seen, found = _seen(place).get(file.name), _sha256(path)
        if seen is not None and seen != found:
            path.unlink()
            raise DatasetError(
                f"{file.name} differs from the first download (its SHA-256 differs) and was not kept",
                hint=f"if its authors have changed it, delete its line in {place / SUMS} and download it again",
            )
        os.replace(path, place / file.name)
        _remember(place, file.name, found)
    finally:
        for empty in (partial, place):
            with suppress(OSError):
                empty.rmdir()


def _download(file: Remote, path: Path, on_bytes: Callable[[int], None]) -> None:
    """Download the rest of a file; resume a broken connection as long as each attempt brings more bytes."""
    while True:
        have = path.stat().st_size if path.is_file() else 0
        try:
            download(file.url, path, on_progress=on_bytes)
            return
        except ReadAgentError as error:
            restarted = isinstance(error, RejectedError) and have and not path.exists()
            grown = error.retryable and path.is_file() and path.stat().st_size > have
            if not (restarted or grown):
                raise


def _seen(place: Path) -> dict[str, str]:
    """Return the hash of each file when it was first seen."""
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
    return f"about {size / 1e6:.1f} MB" if size else "size unknown"


@contextmanager
def _explained(place: Path, file: Remote) -> Iterator[None]:
    """Add to an error how to download the file by hand."""
    try:
        yield
    except ModelError as error:  # raised by the HTTP client
        error.hint = f"try again later, or download {file.url} by hand to {place / file.name}"
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise FullDiskError(
                f"the disk is full: cannot write {file.name} to {place}", hint="free some space"
            ) from error
        reason = (error.strerror or str(error)).lower()
        raise DatasetError(f"cannot write {file.name} to {place}: {reason}", hint="use another folder") from error
