"""The protocols that the core depends on: Model, Hinter and Embedder, with the asks, choices and replies they exchange.

A Choice is a decision with a finite set of legal answers, known before the model is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from readagent.core.escaping import short_repr
from readagent.core.form import Form, plain
from readagent.core.memory import GistMemory
from readagent.core.parsing.numbers import parse_numbers
from readagent.core.parsing.options import parse_options
from readagent.core.parsing.verdicts import parse_words
from readagent.core.question import Question
from readagent.core.trace import Usage, Waiting

_MOST_IN_SCHEMA = 500  # servers refuse larger enumerations


def number_ranges(numbers: Iterable[int]) -> str:
    """Return numbers in order as prompts name them: "0 to 4, 6 to 9"."""
    ranges = list[list[int]]()
    for number in numbers:
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1].append(number)
        else:
            ranges.append([number])
    return ", ".join(f"{one[0]} to {one[-1]}" if len(one) > 1 else str(one[0]) for one in ranges)


@dataclass(frozen=True, slots=True)
class Choice:
    """The legal answers; a reply names at least ``least`` and at most ``most`` of them.

    ``texts`` is the text of each value (the options of a question). ``cues`` are the words that introduce a value in a
    reply ("break point", "page", "answer").
    """

    values: tuple[str, ...]
    least: int = 1
    most: int = 1
    texts: tuple[str, ...] = ()
    cues: tuple[str, ...] = ("answer",)

    @property
    def single(self) -> bool:
        """Whether exactly one value is expected."""
        return self.least == self.most == 1

    def parse(self, reply: str) -> tuple[str, ...] | None:
        """Return the values that a reply names, in its order, or None if it names none. It never raises."""
        text = plain(reply, self.cues)
        if not text:
            return None
        if self.texts:
            return parse_options(text, self.values, self.texts, self.cues)
        if any(value.isdigit() for value in self.values):
            return parse_numbers(text, self.values, self.least, self.most, self.cues)
        return parse_words(text, self.values, self.cues)

    def schema(self) -> dict[str, Any] | None:
        """Return a JSON schema that allows only the legal answers, or None if there are too many for a server."""
        if len(self.values) > _MOST_IN_SCHEMA:
            return None
        value: dict[str, Any] = {"type": "string", "enum": list(self.values)}
        if not self.single:
            value = {"type": "array", "items": value, "minItems": self.least, "maxItems": self.most}
        return {
            "type": "object",
            "properties": {"answer": value},
            "required": ["answer"],
            "additionalProperties": False,
        }

    def grammar(self) -> str:
        """Return the same as a GBNF grammar, for servers that accept one."""
        names = " | ".join(f'"{value}"' for value in self.values)
        if self.single:
            return f"root ::= {names}"
        further = f'(", " value){{0,{self.most - 1}}}'
        some = f"value {further}"
        return f'root ::= "[" {f"({some})?" if self.least == 0 else some} "]"\nvalue ::= {names}'

    def listed(self) -> str:
        """Return the legal answers as a list for people, for a reminder."""
        if len(self.values) > 12 and all(value.isdigit() for value in self.values):
            listed = f"{self.values[0]} to {self.values[-1]}"
        else:
            listed = ", ".join(self.values)
        return f"{listed}, or [] for none" if self.least == 0 else listed


Step = Literal[
    "paginate", "gist", "merge", "look_up", "respond", "rate", "walk", "act", "read", "check", "direct", "batch",
    "note", "write", "collect", "join"
]  # fmt: skip
READING: tuple[Step, ...] = ("paginate", "gist", "merge", "read")  # steps that can do without a reply
_PICTURE = 1600  # tokens of a screenshot of 1280 by 900 pixels; servers count from 1,100 to 1,550
Finish = Literal["stop", "length", "refused", "filtered"]  # filtered: stopped by a content filter


@dataclass(frozen=True, slots=True)
class Material:
    """The content of an ask as data, for models that compute a reply without generating text.

    paginate, read: ``passages`` are the pieces between the labels. gist: one passage, to be shortened to about
    ``words`` words. merge: the two passages. look_up, respond, direct: the ``memory``, the ``opened`` pages and the
    ``question``. check: the quotes are the ``passages``, next to the ``statements``. note, write, collect: the
    ``memory``, and the pages that are shown as ``opened``; collect: what is wanted, such as people, as ``kind``.
    An outline has the offsets of each chapter as ``statements``: ``1200-5600``.
    """

    passages: tuple[str, ...] = ()
    words: int = 0
    memory: GistMemory | None = None
    question: Question | None = None
    opened: tuple[int, ...] = ()
    statements: tuple[str, ...] = ()
    kind: str = ""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class Ask:
    """A request to a model. A decision has a ``choice``, and a reply of several parts has a ``form``.

    ``listen`` is called with each piece of the reply as it arrives, and ``restart`` when a reply broke off and starts
    again. ``notify`` is called when the call has to wait. ``max_reply`` are the tokens that a budget leaves for the
    reply, and ``min_reply`` those that it needs at least. ``picture`` is a PNG file for a model that can see.
    """

    step: Step
    prompt: str
    choice: Choice | None = None
    material: Material = field(default=Material(), compare=False, repr=False)
    listen: Callable[[str], None] | None = field(default=None, compare=False, repr=False)
    restart: Callable[[], None] | None = field(default=None, compare=False, repr=False)
    form: Form | None = field(default=None, compare=False, repr=False)
    notify: Callable[[Waiting], None] | None = field(default=None, compare=False, repr=False)
    max_reply: int | None = field(default=None, compare=False, repr=False)
    min_reply: int = field(default=0, compare=False, repr=False)
    picture: bytes = field(default=b"", repr=False)

    __repr__ = short_repr

    @property
    def picture_tokens(self) -> int:
        """The tokens that the picture may take; 0 without one."""
        return _PICTURE if self.picture else 0


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of a model. ``paid`` is False if it came from a cache. ``discard`` removes a useless one from there."""

    text: str
    finish: Finish = "stop"
    usage: Usage = Usage()
    paid: bool = True
    discard: Callable[[], None] = field(default=lambda: None, compare=False, repr=False)

    __repr__ = short_repr


@runtime_checkable
class Model(Protocol):
    """Anything that replies to asks. ``name`` identifies everything that determines its replies besides the ask."""

    @property
    def name(self) -> str: ...

    async def complete(self, ask: Ask) -> Reply: ...


@dataclass(frozen=True, slots=True)
class Hint:
    """A page and its score for a question; 0 means irrelevant."""

    page: int
    score: float


@runtime_checkable
class Hinter(Protocol):
    """Anything that finds pages for a question without a model. The memory holds only what may be known."""

    async def hints(self, memory: GistMemory, question: Question) -> Sequence[Hint]:
        """Return pages, best first."""
        ...


@dataclass(frozen=True, slots=True)
class Vectors:
    """Consecutive rows of ``width`` little-endian 32-bit floats. Every row has length one."""

    width: int
    data: bytes

    __repr__ = short_repr

    def __len__(self) -> int:
        return len(self.data) // (4 * self.width) if self.width else 0


@runtime_checkable
class Embedder(Protocol):
    """Anything that turns texts into vectors. ``name`` identifies everything that determines them besides the text."""

    @property
    def name(self) -> str: ...

    async def embed(self, texts: Sequence[str]) -> Vectors: ...
