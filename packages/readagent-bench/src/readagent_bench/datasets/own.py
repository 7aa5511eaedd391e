"""Your own documents, in any supported format, with questions about them: one JSON object per line.

The questions are in the same folder, in ``questions.jsonl`` or in files whose names end in ``.questions.jsonl``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from readagent.core.document import Document
from readagent.core.question import Kind
from readagent.errors import LoadError
from readagent.loaders import load as load_document
from readagent_bench.datasets.dataset import Dataset
from readagent_bench.datasets.files import base_folder, listed, missing
from readagent_bench.datasets.records import Record, json_lines, shown
from readagent_bench.example import Case, Example

_KINDS = ("free", "choice", "claim")


@dataclass(slots=True)
class _Asked:
    """A document and the questions about it so far."""

    document: Document
    examples: list[Example] = field(default_factory=list)


def load(folder: Path, split: str) -> list[Case]:
    """Load the documents with questions, in the order in which the questions name them."""
    base = base_folder(folder, "own")
    files = [base] if base.is_file() else [path for path in listed(base) if _holds_questions(path)]
    if not files:
        raise missing(base, "own", "no questions.jsonl, and no file that ends in .questions.jsonl")
    asked: dict[str, _Asked] = {}
    for path in files:
        for number, record in enumerate(json_lines(path), 1):
            name = record.text("document")
            if name not in asked:
                asked[name] = _Asked(_document(path.parent / name, record))
            examples = asked[name].examples
            examples.append(_example(record, f"{path.name.partition('.')[0]}-{number}", asked[name].document))
    return [Case(name, found.document, tuple(found.examples)) for name, found in asked.items()]


def _holds_questions(path: Path) -> bool:
    return path.name == "questions.jsonl" or path.name.endswith(".questions.jsonl")


def _document(path: Path, record: Record) -> Document:
    try:
        return load_document(path)
    except LoadError as error:
        raise record.wrong(f"cannot read its document: {error}", hint=error.hint) from error


def _example(record: Record, numbered: str, document: Document) -> Example:
    kind = _kind(record)
    options = record.texts("options") if kind == "choice" else []
    question = record.question(record.text("question"), options, kind)
    known = "answer" in record
    groups = (record.text(name, "").strip() for name in ("group", "needs", "situation"))
    evidence = record.texts("evidence") if "evidence" in record else []
    return Example(
        record.text("id", numbered),
        question,
        references=_references(record) if known and kind == "free" else (),
        gold=_gold(record, kind, question.letters) if known and kind != "free" else "",
        pair=record.text("pair", ""),
        spans=tuple(_place(excerpt, document, record) for excerpt in evidence),
        group=", ".join(group for group in groups if group),
    )


def _kind(record: Record) -> Kind:
    """Return the kind of a question: as given, or derived from its options and answer."""
    default = "choice" if "options" in record else "claim" if isinstance(record.fields.get("answer"), bool) else "free"
    kind = record.text("kind", default)
    if kind not in _KINDS:
        raise record.wrong(f'"kind" is {shown(kind)}, not one of {", ".join(_KINDS)}')
    if "options" in record and kind != "choice":
        raise record.wrong(f'a question of kind "{kind}" has no options')
    return cast("Kind", kind)


def _gold(record: Record, kind: Kind, letters: tuple[str, ...]) -> str:
    if kind == "claim":
        return record.boolean("answer")
    given = record.text("answer").strip().strip("()").upper()
    if given not in letters:
        raise record.wrong(f'"answer" is {shown(record.text("answer"))}, not one of {", ".join(letters)}')
    return given


def _references(record: Record) -> tuple[str, ...]:
    """Return the accepted answers: one, or a list."""
    given = record.texts("answer") if isinstance(record.fields["answer"], list) else [record.text("answer")]
    references = tuple(answer.strip() for answer in given if answer.strip())
    if not references:
        raise record.wrong('"answer" is empty', hint="leave it out if there is no key")
    return references


def _place(excerpt: str, document: Document, record: Record) -> tuple[int, int]:
    """Return the span of an excerpt, ignoring differences in white space."""
    words = excerpt.split()
    found = re.search(r"\s+".join(map(re.escape, words)), document.text) if words else None
    if found is None:
        raise record.wrong(f'"evidence" {shown(excerpt)} is not in {record.text("document")}')
    return found.span()


DATASET = Dataset(
    name="own",
    title="your own documents",
    preset="articles",
    measures=("accuracy", "free", "pairs"),
    licence="your own",
    homepage="",
    files="questions.jsonl, or files that end in .questions.jsonl, next to the documents that they name",
    splits=("all",),
    default="all",
    load=load,
)
