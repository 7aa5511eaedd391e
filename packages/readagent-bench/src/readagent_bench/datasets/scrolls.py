"""The format of SCROLLS for QMSum and NarrativeQA: question and text in one field, one line per answer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from readagent.core.question import Question
from readagent_bench.datasets.files import placed
from readagent_bench.records import Example

FIELDS = {"input", "output"}  # that only this format has
_FIRST_BREAK = re.compile(r"\s*\n\s*")


class Scrolls(msgspec.Struct):
    """A line; test sets have no output."""

    id: str
    input: str
    output: str | list[str] | None = None


@dataclass(slots=True)
class Input:
    """A text, and the questions about it with their answers, by the id of the question."""

    text: str
    questions: dict[str, tuple[Question, list[str]]] = field(default_factory=dict)

    def examples(self, group: str = "") -> tuple[Example, ...]:
        """Return the questions; QMSum's ids say whether they are specific or general, others are of ``group``."""
        return tuple(
            Example(name, question, tuple(answers), group=group or ("specific" if "-sq-" in name else "general"))
            for name, (question, answers) in self.questions.items()
        )


def gather(records: Iterable[tuple[str, Scrolls]]) -> list[Input]:
    """Return the texts in their order, each once; lines with the same id are answers to the same question."""
    inputs: dict[str, Input] = {}
    for place, record in records:
        whole = record.input.strip()
        with placed(place):
            gap = _FIRST_BREAK.search(whole)
            if gap is None:
                raise ValueError('"input" is one line, not a question with a text below it')
            asked = Question(whole[: gap.start()])
        text = whole[gap.end() :]
        _, known = inputs.setdefault(text, Input(text)).questions.setdefault(record.id, (asked, []))
        answers = [record.output] if isinstance(record.output, str) else record.output or []
        known += dict.fromkeys(one.strip() for one in answers if one.strip() and one.strip() not in known)
    return list(inputs.values())
