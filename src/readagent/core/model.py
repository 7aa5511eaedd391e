"""What the core asks of the outside: a Model that replies, a Hinter that finds pages, an Embedder of texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from readagent.core.choice import Choice
from readagent.core.form import Form
from readagent.core.memory import GistMemory
from readagent.core.question import Question
from readagent.core.trace import Usage

Step = Literal["paginate", "gist", "merge", "look_up", "respond", "rate", "walk", "act", "read"]
Finish = Literal["stop", "length", "refused"]


@dataclass(frozen=True, slots=True)
class Material:
    """The content of an ask, structured, for a model that measures instead of talking.

    Where to pause, and reading in one pass: ``passages`` are the pieces between the labels. Gist: one passage, to be
    brought to about ``words`` words. Merge: the two passages. Look-up and response: the ``memory`` with its raw pages,
    the ``opened`` ones, and the ``question``.
    """

    passages: tuple[str, ...] = ()
    words: int = 0
    memory: GistMemory | None = None
    question: Question | None = None
    opened: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing asked of a model: a decision has a ``choice``, a reply of several parts a ``form``.

    ``listen`` is called with each piece of the reply as it arrives.
    """

    step: Step
    prompt: str
    choice: Choice | None = None
    material: Material = field(default=Material(), compare=False, repr=False)
    listen: Callable[[str], None] | None = field(default=None, compare=False, repr=False)
    form: Form | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. ``paid`` is False where the reply was known already."""

    text: str
    finish: Finish = "stop"
    usage: Usage = Usage()
    paid: bool = True


@runtime_checkable
class Model(Protocol):
    """Anything that replies. ``name`` stands for all that determines its replies besides the ask itself."""

    @property
    def name(self) -> str: ...

    async def complete(self, ask: Ask) -> Reply: ...


@dataclass(frozen=True, slots=True)
class Hint:
    """A page, and how strongly it seems to bear on the question; nothing at 0."""

    page: int
    score: float


@runtime_checkable
class Hinter(Protocol):
    """Anything that finds pages. It is given no more of the text than may be known, as a memory of that much."""

    async def hints(self, memory: GistMemory, question: Question) -> Sequence[Hint]:
        """Pages, the strongest first."""
        ...


@dataclass(frozen=True, slots=True)
class Vectors:
    """Rows of little-endian 32-bit floats, ``width`` to a row, one row after the other; every row has length one."""

    width: int
    data: bytes

    def __len__(self) -> int:
        return len(self.data) // (4 * self.width) if self.width else 0


@runtime_checkable
class Embedder(Protocol):
    """``name`` stands for all that determines the vectors besides the text."""

    @property
    def name(self) -> str: ...

    async def embed(self, texts: Sequence[str]) -> Vectors: ...
