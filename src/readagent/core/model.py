"""The protocols that the core depends on: Model, Hinter and Embedder, with the asks, choices and replies they exchange.

A decision has a Choice with its legal answers, known before the model is asked; any other reply may have a Form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from readagent.core.escaping import short_repr
from readagent.core.form import Choice, JsonForm
from readagent.core.memory import GistMemory
from readagent.core.question import Question
from readagent.core.trace import Elsewhere, Usage, Waiting


def number_ranges(numbers: Iterable[int]) -> str:
    """Return numbers in order as prompts name them: "0 to 4, 6 to 9"."""
    ranges = list[list[int]]()
    for number in numbers:
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1].append(number)
        else:
            ranges.append([number])
    return ", ".join(f"{one[0]} to {one[-1]}" if len(one) > 1 else str(one[0]) for one in ranges)


Step = Literal[
    "paginate", "gist", "merge", "look_up", "respond", "rate", "walk", "act", "read", "check", "direct",
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
    form: JsonForm | None = field(default=None, compare=False, repr=False)
    notify: Callable[[Waiting | Elsewhere], None] | None = field(default=None, compare=False, repr=False)
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
