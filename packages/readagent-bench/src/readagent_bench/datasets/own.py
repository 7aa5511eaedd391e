"""Your own documents, in any supported format, with questions about them: one JSON object per line.

The questions are in the same folder, in ``questions.jsonl`` or in files whose names end in ``.questions.jsonl``.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from readagent.core.document import Document
from readagent.core.question import Kind, Question
from readagent.loaders import load as load_document
from readagent_bench.datasets.dataset import Dataset
from readagent_bench.datasets.files import base_folder, listed, missing, placed, read
from readagent_bench.records import Case, Example


class _Asked(msgspec.Struct):
    """A question. Without a kind, it follows from options and answer."""

    document: str
    question: str
    kind: Kind | None = None
    options: list[str] | None = None
    answer: bool | str | int | float | list[str] | None = None
    id: str | None = None
    evidence: list[str] = []
    pair: str | None = None
    group: str | None = None
    needs: str | None = None
    situation: str | None = None


def load(folder: Path, split: str) -> list[Case]:
    """Load the documents with questions, in the order in which the questions name them."""
    base = base_folder(folder, "own")
    files = [base] if base.is_file() else [path for path in listed(base) if _holds_questions(path)]
    if not files:
        raise missing(base, "own", "no questions.jsonl, and no file that ends in .questions.jsonl")
    documents: dict[str, Document] = {}
    examples: dict[str, list[Example]] = {}
    for path in files:
        for number, (place, asked) in enumerate(read(path, _Asked), 1):
            name = asked.document
            with placed(place):
                if name not in documents:
                    documents[name] = load_document(path.parent / name)
                numbered = f"{path.name.partition('.')[0]}-{number}"
                examples.setdefault(name, []).append(_example(asked, numbered, documents[name]))
    return [Case(name, document, tuple(examples[name])) for name, document in documents.items()]


def _holds_questions(path: Path) -> bool:
    return path.name == "questions.jsonl" or path.name.endswith(".questions.jsonl")


def _example(asked: _Asked, numbered: str, document: Document) -> Example:
    default: Kind = "choice" if asked.options else "claim" if isinstance(asked.answer, bool) else "free"
    options = tuple(option.strip() for option in asked.options or ())
    question = Question(asked.question.strip(), options, asked.kind or default)
    known, free = asked.answer is not None, question.kind == "free"
    return Example(
        asked.id or numbered,
        question,
        references=_references(asked) if known and free else (),
        gold=_gold(asked, question) if known and not free else "",
        pair=asked.pair or "",
        spans=tuple(_place(excerpt, document) for excerpt in asked.evidence),
        group=", ".join(part.strip() for part in (asked.group, asked.needs, asked.situation) if part),
    )


def _gold(asked: _Asked, question: Question) -> str:
    given = str(asked.answer).strip().strip("()")
    right = given.lower() if question.kind == "claim" else given.upper()
    legal = ("true", "false") if question.kind == "claim" else question.letters
    if right not in legal:
        raise ValueError(f'"answer" is {asked.answer!r}, not one of {", ".join(legal)}')
    return right


def _references(asked: _Asked) -> tuple[str, ...]:
    """Return the accepted answers: one, or a list."""
    given = asked.answer if isinstance(asked.answer, list) else [str(asked.answer)]
    references = tuple(answer.strip() for answer in given if answer.strip())
    if not references:
        raise ValueError('"answer" is empty; leave it out if there is no key')
    return references


def _place(excerpt: str, document: Document) -> tuple[int, int]:
    """Return the span of an excerpt, ignoring differences in white space."""
    words = excerpt.split()
    found = re.search(r"\s+".join(map(re.escape, words)), document.text) if words else None
    if found is None:
        raise ValueError(f'"evidence" {excerpt[:60]!r} is not in the document')
    return found.span()


DATASET = Dataset(
    name="own",
    title="your own documents",
    preset="articles",
    licence="your own",
    homepage="",
    splits=("all",),
    default="all",
    load=load,
)
