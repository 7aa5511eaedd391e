"""The format of SCROLLS for QMSum and NarrativeQA: question and text in one field, one line per answer."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from readagent_bench.datasets.records import Record, shown

_FIRST_BREAK = re.compile(r"\s*\n\s*")


@dataclass(slots=True)
class Asked:
    """A question with all its answers; ``record`` is where it first appears."""

    id: str
    record: Record
    text: str
    answers: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Input:
    """A text and the questions about it."""

    text: str
    questions: dict[str, Asked] = field(default_factory=dict)


def is_scrolls(record: Record) -> bool:
    """Return whether a record has this format."""
    return "input" in record and "output" in record.fields


def gather(records: Iterable[Record]) -> list[Input]:
    """Return the texts in their order, each once; lines with the same id are answers to the same question."""
    inputs: dict[bytes, Input] = {}
    for record in records:
        whole = record.text("input").strip()
        gap = _FIRST_BREAK.search(whole)
        if gap is None:
            raise record.wrong('"input" is one line, not a question with a text below it')
        query, text = whole[: gap.start()], whole[gap.end() :]
        key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        found = inputs.setdefault(key, Input(text))
        name = record.text("id")
        asked = found.questions.setdefault(name, Asked(name, record, query))
        asked.answers += [answer for answer in _answers(record) if answer not in asked.answers]
    return list(inputs.values())


def _answers(record: Record) -> list[str]:
    """Return the answers of a line; test sets have none."""
    output = record.fields["output"]
    if output is None:
        return []
    answers = output if isinstance(output, list) else [output]
    if not all(isinstance(answer, str) for answer in answers):
        raise record.wrong(f'"output" is {shown(output)}, not an answer')
    return [answer.strip() for answer in answers if answer.strip()]
