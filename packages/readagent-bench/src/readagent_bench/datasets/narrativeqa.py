"""NarrativeQA: whole books and film scripts, with questions by people who had only read a summary.

Two formats are supported: the authors' tables with a folder of stories, and the Parquet files of hubs, with one row per
question. Books and films are two data sets, for they are read with different plans.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import msgspec

from readagent.core.document import Document
from readagent.core.question import Question
from readagent.errors import DatasetError
from readagent.loaders.blocks import tidy
from readagent.loaders.html.parser import blocks_of
from readagent.loaders.text.decode import decode
from readagent.loaders.text.plain import book_of
from readagent_bench.datasets.dataset import Dataset, Missing
from readagent_bench.datasets.files import base_folder, listed, missing, names_of, of_split, placed, read
from readagent_bench.records import Case, Example

_FOLDERS = ("stories", "tmp", "")  # the authors' script downloads into tmp
_SUFFIXES = (".content", ".txt", ".html")
_DOWNLOAD = "download them with the authors' download_stories.sh"
_KINDS = {"gutenberg": "book", "movie": "film"}

_HTML = re.compile(r"<(?:html|head|body|pre|p|br|td|div|b)\b[^>]*>", re.IGNORECASE)
_FORMATTED = re.compile(r"<pre\b", re.IGNORECASE)
_OPENING = 20_000  # characters that show whether a text is a web page
_LEAST_KEPT = 0.3  # of a page; if less is between its first and last words, those were matched by mistake


class _Row(msgspec.Struct):
    """A row of documents.csv."""

    document_id: str
    set: str
    kind: str
    wiki_title: str = ""
    story_start: str = ""
    story_end: str = ""


class _Asked(msgspec.Struct):
    """A row of qaps.csv."""

    document_id: str
    question: str
    answer1: str
    answer2: str


class _Said(msgspec.Struct):
    text: str


class _Summary(msgspec.Struct):
    title: str = ""


class _HubStory(msgspec.Struct):
    id: str
    kind: str
    text: str
    start: str = ""
    end: str = ""
    summary: _Summary | None = None


class _HubRow(msgspec.Struct):
    document: _HubStory
    question: _Said
    answers: list[_Said] = []


def load(folder: Path, split: str, kind: str) -> list[Case]:
    """Load the stories of a split that are of a kind: ``book`` or ``film``."""
    base = base_folder(folder, "narrativeqa", "narrative_qa")
    if _has_tables(base):
        cases = _from_tables(base, split, kind)
    else:
        cases = list(_from_hub(of_split(base, "narrativeqa", split), kind))
    if not cases:
        raise missing(base, "narrativeqa", f"it has no {kind}s of the split {split!r}")
    return cases


def _has_tables(base: Path) -> bool:
    """Return whether there are the authors' tables, and no Parquet files next to them, which have the texts."""
    tables = all((base / name).is_file() for name in ("documents.csv", "qaps.csv"))
    return tables and not any(path.suffix == ".parquet" for path in listed(base))


def _from_tables(base: Path, split: str, kind: str) -> list[Case]:
    wanted = _rows(base, split, kind)
    files = {name: _story_file(base, name) for name in wanted}
    if wanted and not any(files.values()):
        raise DatasetError(f"{base / 'stories'}: {Missing(tuple(files), len(files))}", hint=_DOWNLOAD)
    asked: dict[str, list[tuple[str, list[str]]]] = {name: [] for name in wanted}
    for _, one in read(base / "qaps.csv", _Asked):
        asked.get(one.document_id, []).append((one.question, [one.answer1, one.answer2]))
    cases = []
    for (name, row), file in zip(wanted.items(), files.values(), strict=True):
        if file is not None:
            with placed(str(file)):
                text, _ = decode(file.read_bytes(), str(file))
                document = _cleaned(text, row.wiki_title, kind, (row.story_start, row.story_end))
            cases.append(_case(name, document, kind, asked[name]))
    return cases


def _rows(base: Path, split: str, kind: str) -> dict[str, _Row]:
    """Return the rows of the stories of a split by their ids."""
    rows = [row for place, row in read(base / "documents.csv", _Row) if _kind(row.kind, place) == kind]
    return {row.document_id: row for row in rows if row.set.lower() in names_of(split)}


def _story_file(base: Path, name: str) -> Path | None:
    candidates = (base / folder / f"{name}{suffix}" for folder in _FOLDERS for suffix in _SUFFIXES)
    return next((path for path in candidates if path.is_file()), None)


def missing_stories(folder: Path, split: str, kind: str) -> Missing | None:
    """Return the stories of a split that are not there; None if all are."""
    base = base_folder(folder, "narrativeqa", "narrative_qa")
    if not _has_tables(base):
        return None
    wanted = _rows(base, split, kind)
    absent = tuple(name for name in wanted if _story_file(base, name) is None)
    return Missing(absent, len(wanted), f"{_DOWNLOAD} to {base}") if absent else None


def _from_hub(paths: Iterable[Path], kind: str) -> Iterator[Case]:
    stories: dict[str, Document] = {}
    asked: dict[str, list[tuple[str, list[str]]]] = {}
    for path in paths:
        for place, row in read(path, _HubRow):
            about = row.document
            if _kind(about.kind, place) != kind:
                continue
            if about.id not in stories:
                title = about.summary.title if about.summary is not None else ""
                with placed(place):
                    stories[about.id] = _cleaned(about.text, title, kind, (about.start, about.end))
            asked.setdefault(about.id, []).append((row.question.text, [one.text for one in row.answers]))
    for name, document in stories.items():
        yield _case(name, document, kind, asked[name])


def _case(name: str, document: Document, kind: str, asked: Iterable[tuple[str, list[str]]]) -> Case:
    examples = []
    for number, (question, answers) in enumerate(asked, 1):
        references = dict.fromkeys(answer.strip() for answer in answers if answer.strip())
        examples.append(Example(f"{name}-{number}", Question(question.strip()), tuple(references), group=kind))
    return Case(name, document, tuple(examples))


def _kind(written: str, place: str) -> str:
    kind = _KINDS.get(written.lower())
    if kind is None:
        raise DatasetError(f'{place}: "kind" is {written!r}, not one of {", ".join(_KINDS)}')
    return kind


def _cleaned(text: str, title: str, kind: str, ends: tuple[str, str]) -> Document:
    """Return a story without the licence of the book, or the page around the script."""
    if kind == "film":
        text = _script(text, *ends)
    else:
        text = book_of(strip(text) if is_page(text) else text).text
    if not text.strip():
        raise ValueError("the story is empty")
    return Document.from_text(text, title=title.strip())


def is_page(text: str) -> bool:
    """Return whether a text is a web page: it has several tags that plain text does not have."""
    return len(_HTML.findall(text[:_OPENING])) > 2


def strip(page: str) -> str:
    """Return the text of a page; only the preformatted part if that is most of it, as with film scripts."""
    blocks = blocks_of(page)
    formatted = [block for block in blocks if block.lines] if _FORMATTED.search(page) else []
    words = sum(len(block.text.split()) for block in blocks)
    mostly = 2 * sum(len(block.text.split()) for block in formatted) > words
    return "\n\n".join(tidy(block) for block in (formatted if mostly else blocks)) + "\n"


def _script(text: str, first: str, last: str) -> str:
    """Return a script from its first to its last words, as the table has them, if they are found."""
    seen = strip(text) if is_page(text) else text
    start = _words(first).search(seen)
    ends = list(_words(last).finditer(seen, start.end() if start else 0))
    kept = seen[start.start() if start else 0 : ends[-1].end() if ends else len(seen)]
    return kept if len(kept) >= _LEAST_KEPT * len(seen) else seen


def _words(tokens: str) -> re.Pattern[str]:
    """Return a pattern for words that the table has with white space around punctuation."""
    parts = [re.escape(token) for token in tokens.split()]
    return re.compile(r"\s*".join(parts)) if parts else re.compile(r"(?!)")


def _dataset(name: str, title: str, preset: str, kind: str) -> Dataset:
    return Dataset(
        name=name,
        title=title,
        preset=preset,
        licence="Apache-2.0 for tables and questions; the stories belong to their authors",
        homepage="https://github.com/google-deepmind/narrativeqa",
        splits=("train", "valid", "test"),
        default="test",
        load=partial(load, kind=kind),
        missing=partial(missing_stories, kind=kind),
    )


DATASETS = (
    _dataset("narrativeqa-books", "NarrativeQA, books", "books", "book"),
    _dataset("narrativeqa-films", "NarrativeQA, film scripts", "scripts", "film"),
)
