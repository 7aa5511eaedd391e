"""What a progress line or a web page listens to while a text is read or a question answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from readagent.core.trace import Call, Fallback


@dataclass(frozen=True, slots=True)
class Started:
    """A reading begins: the words there are to read."""

    words: int


@dataclass(frozen=True, slots=True)
class Paged:
    """A page is known, as number so-and-so of those found so far; together they have so many ``words``."""

    number: int
    words: int


@dataclass(frozen=True, slots=True)
class Gisted:
    """A page has its gist."""

    number: int


@dataclass(frozen=True, slots=True)
class Shrinking:
    """The memory is too long for the window; ``pages`` remain and are being merged."""

    pages: int


@dataclass(frozen=True, slots=True)
class Improving:
    """The gists of so many ``pages`` are being made anew."""

    pages: int


@dataclass(frozen=True, slots=True)
class Opened:
    """These pages were looked up."""

    pages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """A piece of the answer, as it arrives."""

    text: str


Event = Started | Paged | Gisted | Shrinking | Improving | Opened | Said | Call | Fallback
Listener = Callable[[Event], None]


def deaf(event: Event) -> None:
    """Listens to nothing."""


def without(tell: Listener, *kinds: type) -> Listener:
    """Passes on all but events of these kinds."""

    def listen(event: Event) -> None:
        if not isinstance(event, kinds):
            tell(event)

    return listen
