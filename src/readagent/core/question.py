"""Question, Lookup and Answer: what is asked, what was opened for it, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from readagent.core.trace import Trace
from readagent.errors import UsageError

Kind = Literal["free", "choice", "claim"]


@dataclass(frozen=True, slots=True)
class Question:
    """A free question, one with options to choose from, or a claim that is true or false."""

    text: str
    options: tuple[str, ...] = ()
    kind: Kind = "free"

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise UsageError("the question is empty", hint='ask something, as in: readagent ask book.txt "Who is Ann?"')
        if self.kind == "choice" and len(self.options) < 2:
            raise UsageError("a multiple-choice question needs at least two options")
        if self.kind != "choice" and self.options:
            raise UsageError(f"a {self.kind} question has no options")

    @classmethod
    def choice(cls, text: str, options: Sequence[str]) -> Question:
        """Multiple choice, with any number of options."""
        return cls(text, tuple(options), "choice")

    @classmethod
    def claim(cls, text: str) -> Question:
        """A statement about the text, to be judged true or false."""
        return cls(text, (), "claim")

    @property
    def letters(self) -> tuple[str, ...]:
        """The name of each option: A to Z, then AA, AB and on."""
        return tuple(letter(i) for i in range(len(self.options)))

    def shown(self) -> str:
        """The question as it stands in a prompt, its options below it."""
        options = (f"({name}) {text}" for name, text in zip(self.letters, self.options, strict=True))
        return "\n".join([self.text.strip(), *options])


def letter(index: int) -> str:
    """0 is A, 25 is Z, 26 is AA."""
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(65 + rest) + name
    return name


@dataclass(frozen=True, slots=True)
class Lookup:
    """The pages that were reopened, in the order they were asked for, and those that had no room."""

    pages: tuple[int, ...] = ()
    did_not_fit: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage of the document that an answer rests on: ``document.text[start:end]``, on this page and paragraph.

    ``place`` is where that is in the source, as far as it is known. ``exact`` is False where the model's words differ
    in white space, quotation marks and the like; ``by_us`` is True for a passage that the program
    found because the model gave no quote.
    """

    text: str
    page: int
    paragraph: int
    start: int
    end: int
    place: str = ""
    exact: bool = True
    by_us: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, the pages that were reopened for it, and the trace of how it came about.

    ``choice`` is the letter of the chosen option, or ``true`` or ``false`` for a claim; None for a free question.
    ``quotes`` all stand in the text; ``false_quotes`` counts what the model passed off as quotes and was dropped.
    ``found_in_text`` is False where the answer is that the text does not say. ``up_to`` is the offset beyond which the
    model saw nothing; None where it saw all of the text.
    """

    question: Question
    text: str
    choice: str | None
    pages: tuple[int, ...]
    did_not_fit: tuple[int, ...]
    compression: float
    trace: Trace
    quotes: tuple[Quote, ...] = ()
    false_quotes: int = 0
    found_in_text: bool = True
    up_to: int | None = None

    @property
    def verified(self) -> bool:
        """Whether the model quoted the text, and every passage that it quoted is in the text."""
        return not self.false_quotes and any(not quote.by_us for quote in self.quotes)
