"""Replies with what they mean, and how the program reads a reply at each step. Used by tests and by a benchmark."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readagent.core.asking.direct_reply import read_direct
from readagent.core.asking.reply_parts import question_in, split_missing, split_reply

from readagent.core.asking.stream import LABEL
from readagent.core.form import Choice, strip_thinking
from readagent.core.question import Question

FOLDER = Path(__file__).parent / "replies"
REASONS = ("She was afraid of the storm", "Her brother had called her home", "She had sold the boat",
           "None of the above")  # fmt: skip
CLAIM = ("answer", "claim is", "statement is")
BREAK = ("break point", "breakpoint", "label", "pause", "point")


def numbers(first: int, last: int) -> tuple[str, ...]:
    return tuple(str(number) for number in range(first, last + 1))


CHOICES = {
    "look_up": Choice(numbers(0, 7), least=0, most=3, cues=("page",)),
    "look_up_next": Choice(("0", "1", "3", "4", "6", "7", "STOP"), cues=("page",)),
    "paginate": Choice(numbers(1, 12), cues=BREAK),
    "choose": Choice(("A", "B", "C", "D"), texts=REASONS),
    "count": Choice(("A", "B", "C", "D"), texts=("3", "12", "20", "45")),
    "missing_choice": Choice(("A", "B", "C", "D", "MISSING"), texts=(*REASONS, "MISSING")),
    "claim": Choice(("true", "false"), cues=CLAIM),
    "missing_claim": Choice(("true", "false", "MISSING"), cues=CLAIM),
    "merge": Choice(("yes", "no", "not sure")),
    "documents": Choice(numbers(0, 5), least=1, most=3, cues=("document",)),
}


@dataclass(frozen=True)
class Case:
    """A reply to a step, and what a person takes it to mean; None if that is unclear."""

    step: str
    means: Any
    reply: str
    choice: Choice | None = None

    def read(self) -> Any:
        """Return what the program takes the reply to mean."""
        choice = self.choice or CHOICES.get(self.step)
        if choice is None:
            return FREE[self.step](self.reply)
        found = choice.parse(self.reply)
        return None if found is None else list(found)


def _missing(reply: str) -> list[str]:
    return list(split_missing(strip_thinking(reply)))


def _quotes(reply: str) -> list[Any]:
    parts = split_reply(LABEL.sub("", reply))
    return [parts.answer, [text for _, text in parts.quotes]]


ASKED = {
    "direct": Question("Who paid for the ship?"),
    "direct_choose": Question.choice("Why did she leave?", REASONS),
    "direct_claim": Question.claim("Irma was a clerk."),
}


def _direct(step: str) -> Callable[[str], Any]:
    """Return how a reply is read that answers the question of a step or asks for pages, as what it is not empty in."""

    def read(reply: str) -> Any:
        found = read_direct(reply, CHOICES["look_up"], ASKED[step])
        if found is None:
            return None
        return {"pages": list(found.pages)} if found.pages else {"answer": found.answer} if found.answer else {}

    return read


FREE: dict[str, Callable[[str], Any]] = {
    "respond": lambda reply: split_reply(reply).found_in_text,
    "probe": question_in,
    "missing": _missing,
    "quotes": _quotes,
    **{step: _direct(step) for step in ASKED},
}


def cases(name: str) -> list[Case]:
    """Return the cases of a file: ``replies``, with which the parser was written, or a held-out one."""
    return [Case(**json.loads(line)) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]


def misread(given: Iterable[Case]) -> list[tuple[Case, Any]]:
    """Return the cases that are not read as a person would, each with what was read."""
    return [(case, found) for case in given if (found := case.read()) != case.means]
