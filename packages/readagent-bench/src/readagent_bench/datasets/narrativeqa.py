"""NarrativeQA: whole books and film scripts, with questions by people who had only read a summary.

Four formats are supported: the authors' tables with a folder of stories, SCROLLS, one JSON object per story, and the
Parquet files of hubs, with one row per question. Books and films are two data sets, for they are read with different
plans.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from readagent.core.document import Document
from readagent.errors import DatasetError
from readagent_bench.datasets.dataset import Dataset, Missing, names_of
from readagent_bench.datasets.files import base_folder, listed, missing, of_split, parquet_files
from readagent_bench.datasets.records import Record, csv_rows, json_lines, lines_of
from readagent_bench.datasets.scrolls import Input, gather, is_scrolls
from readagent_bench.datasets.stories import has_stories, hub_story, looks_like_film, story, story_file, written
from readagent_bench.example import Case, Example

_KINDS = {"gutenberg": "book", "movie": "film"}
_DOCUMENTS = ("document_id", "set", "kind")
_QUESTIONS = ("document_id", "question", "answer1", "answer2")
_DOWNLOAD = "download them with the authors' download_stories.sh"


def load(folder: Path, split: str, kind: str = "") -> list[Case]:
    """Load the stories of a split; only books or films if ``kind`` is ``book`` or ``film``."""
    base = base_folder(folder, "narrativeqa", ("narrative_qa",))
    if _has_tables(base):
        return _from_tables(base, split, kind)
    cases = list(_from_lines(base, split, kind)) or list(_from_parquet(base, split, kind))
    if not cases:
        raise missing(base, "narrativeqa", f"no {kind or 'storie'}s of the split {split!r}")
    return cases


def _has_tables(base: Path) -> bool:
    """Return whether there are the authors' tables; next to other formats they need a folder of stories."""
    tables = base.is_dir() and all((base / name).is_file() for name in ("documents.csv", "qaps.csv"))
    return tables and (has_stories(base) or not any(path.suffix == ".jsonl" for path in listed(base)))


def _from_tables(base: Path, split: str, kind: str) -> list[Case]:
    wanted = _listed(base, split, kind)
    if not wanted:
        raise DatasetError(f"{base / 'documents.csv'} has no {kind or 'storie'}s of the split {split!r}")
    files = {name: story_file(base, name) for name in wanted}
    if not any(files.values()):
        raise DatasetError(f"{base / 'stories'}: {Missing(tuple(files), len(files))}", hint=_DOWNLOAD)
    asked: dict[str, list[Record]] = {name: [] for name in wanted}
    for question in csv_rows(base / "qaps.csv", _QUESTIONS):
        asked.get(question.text("document_id"), []).append(question)
    return [
        _case(name, story(file, row, film=_kind(row) == "film"), _kind(row), map(_answered, asked[name]))
        for (name, row), file in zip(wanted.items(), files.values(), strict=True)
        if file is not None
    ]


def _listed(base: Path, split: str, kind: str) -> dict[str, Record]:
    """Return the rows of the stories of a split by their ids."""
    rows = [row for row in csv_rows(base / "documents.csv", _DOCUMENTS) if _of_split(row, split)]
    return {row.text("document_id"): row for row in rows if not kind or _kind(row) == kind}


def missing_stories(folder: Path, split: str, kind: str = "") -> Missing | None:
    """Return the stories of a split that are not there; None if all are."""
    base = base_folder(folder, "narrativeqa", ("narrative_qa",))
    if not _has_tables(base):
        return None
    wanted = _listed(base, split, kind)
    absent = tuple(name for name in wanted if story_file(base, name) is None)
    return Missing(absent, len(wanted), f"{_DOWNLOAD} to {base}") if absent else None


def _from_lines(base: Path, split: str, kind: str) -> Iterator[Case]:
    if base.suffix.lower() == ".parquet":
        return
    for path in [base] if base.is_file() else [path for path in listed(base) if path.suffix == ".jsonl"]:
        records = json_lines(path)
        first = next(records)
        together = itertools.chain([first], records)
        if not is_scrolls(first):
            yield from (_written(record) for record in together if _of_split(record, split) and _kind(record, kind))
        elif path in of_split(base, "narrativeqa", split):
            kinds = _known_kinds(path.parent / "documents.csv")
            yield from (case for case in _from_scrolls(gather(together), kinds) if not kind or _is(case, kind))


def _from_parquet(base: Path, split: str, kind: str) -> Iterator[Case]:
    """Yield the stories in the Parquet files of a hub: in the authors' fields, nested, or in the format of SCROLLS."""
    if base.is_file() and base.suffix.lower() != ".parquet":
        return
    if base.is_dir() and not parquet_files(base, ("narrativeqa", *names_of(split))):
        return
    records = lines_of(of_split(base, "narrativeqa", split))
    first = next(records)
    together = itertools.chain([first], records)
    if is_scrolls(first):
        kinds = _known_kinds((base if base.is_dir() else base.parent) / "documents.csv")
        yield from (case for case in _from_scrolls(gather(together), kinds) if not kind or _is(case, kind))
        return
    stories: dict[str, tuple[Document, str]] = {}
    asked: dict[str, list[tuple[Record, Sequence[str]]]] = {}
    for record in together:
        about = record.record("document")
        name, found = about.text("id"), _kind(about)
        if kind and found != kind:
            continue
        if name not in stories:
            stories[name] = hub_story(about, film=found == "film"), found
        question = record.record("question")
        answers = [answer.text("text") for answer in record.records("answers")] if "answers" in record else []
        asked.setdefault(name, []).append((Record({"question": question.text("text")}, record.place), answers))
    for name, (document, found) in stories.items():
        yield _case(name, document, found, asked[name])


def _written(record: Record) -> Case:
    answers = ((question, question.texts("answers")) for question in record.records("questions"))
    return _case(record.text("document_id"), written(record), _kind(record), answers)


def _from_scrolls(inputs: Iterable[Input], kinds: Mapping[str, str]) -> Iterator[Case]:
    """Yield cases; SCROLLS numbers the questions of a story as ``<document_id>_0``, ``<document_id>_1``."""
    for found in inputs:
        name = next(iter(found.questions)).rpartition("_")[0] or next(iter(found.questions))
        kind = kinds.get(name) or ("film" if looks_like_film(found.text) else "book")
        examples = [
            Example(asked.id, asked.record.question(asked.text), tuple(asked.answers), group=kind)
            for asked in found.questions.values()
        ]
        yield Case(name, Document.from_text(found.text), tuple(examples))


def _case(name: str, document: Document, kind: str, asked: Iterable[tuple[Record, Sequence[str]]]) -> Case:
    examples = []
    for number, (record, answers) in enumerate(asked, 1):
        references = dict.fromkeys(answer.strip() for answer in answers if answer.strip())
        question = record.question(record.text("question"))
        examples.append(Example(f"{name}-{number}", question, tuple(references), group=kind))
    return Case(name, document, tuple(examples))


def _answered(row: Record) -> tuple[Record, Sequence[str]]:
    return row, (row.text("answer1"), row.text("answer2"))


def _of_split(record: Record, split: str) -> bool:
    return record.text("set").lower() in names_of(split)


def _kind(record: Record, wanted: str = "") -> str:
    """Return ``book`` or ``film``; empty if another kind is wanted."""
    kind = _KINDS.get(record.text("kind").lower())
    if kind is None:
        raise record.wrong(f'"kind" is {record.text("kind")!r}, not one of {", ".join(_KINDS)}')
    return kind if wanted in ("", kind) else ""


def _known_kinds(documents: Path) -> dict[str, str]:
    if not documents.is_file():
        return {}
    return {row.text("document_id"): _kind(row) for row in csv_rows(documents, _DOCUMENTS)}


def _is(case: Case, kind: str) -> bool:
    return case.examples[0].group == kind


def _dataset(name: str, title: str, preset: str, kind: str) -> Dataset:
    return Dataset(
        name=name,
        title=title,
        preset=preset,
        measures=("free",),
        licence="Apache-2.0 for tables and questions; the stories belong to their authors",
        homepage="https://github.com/google-deepmind/narrativeqa",
        files="documents.csv, qaps.csv and a folder stories with <document_id>.content; or SCROLLS' validation.jsonl",
        splits=("train", "valid", "test"),
        default="test",
        load=partial(load, kind=kind),
        missing=partial(missing_stories, kind=kind),
    )


DATASETS = (
    _dataset("narrativeqa-books", "NarrativeQA, books", "books", "book"),
    _dataset("narrativeqa-films", "NarrativeQA, film scripts", "scripts", "film"),
)
