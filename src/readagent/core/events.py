"""Events that are emitted while a text is read or a question answered, for progress displays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from readagent.core.trace import Call, Fallback


@dataclass(frozen=True, slots=True)
class Started:
    """A reading has started; the text has this many words."""

    words: int


@dataclass(frozen=True, slots=True)
class PageFound:
    """A page was found: its number in the order of discovery, and the words of all pages found so far.

    The page is ``document.text[start:end]``.
    """

    number: int
    words: int
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class GistDone:
    """The gist of a page is done. The page is ``document.text[start:end]``, and ``text`` is its gist."""

    number: int
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)
    text: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Merging:
    """The memory, which has this many pages, is too long for the window; pages are being merged."""

    pages: int


@dataclass(frozen=True, slots=True)
class Improving:
    """The gists of this many pages are being rewritten."""

    pages: int


@dataclass(frozen=True, slots=True)
class Opened:
    """These pages were opened. ``spans`` are their offsets in the text, where the numbers are those of a part of it."""

    pages: tuple[int, ...]
    spans: tuple[tuple[int, int], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Working:
    """An overview is being made: what is being done, such as "collecting people", and how far: 12 of 40 parts."""

    doing: str
    done: int
    parts: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """The next call to the server waits this many seconds; ``reason`` says why, for people."""

    seconds: float
    reason: str


@dataclass(frozen=True, slots=True)
class CallFailed:
    """A call to the model failed, and is not repeated; ``reason`` says why, for people."""

    reason: str


@dataclass(frozen=True, slots=True)
class AnswerText:
    """The next piece of the answer, while it arrives.

    With ``restart`` the answer starts again with this piece: what was emitted before broke off or was replaced.
    """

    text: str
    restart: bool = False


Event = (
    Started
    | PageFound
    | GistDone
    | Merging
    | Improving
    | Opened
    | Working
    | Waiting
    | CallFailed
    | AnswerText
    | Call
    | Fallback
)
Listener = Callable[[Event], None]


def ignore(event: Event) -> None:
    """Do nothing: the default listener."""


def without(listener: Listener, *kinds: type) -> Listener:
    """Return a listener that passes on all events except those of these kinds."""

    def listen(event: Event) -> None:
        if not isinstance(event, kinds):
            listener(event)

    return listen
