"""What a run reports: its calls and fallbacks with their totals, and the events that progress displays listen to."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from readagent.core.escaping import brief, counted, short_repr


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of prompts and replies, tokens that the server had cached, and the cost; None if the price is unknown."""

    prompt_tokens: int = 0
    reply_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.reply_tokens + other.reply_tokens,
            self.cached_tokens + other.cached_tokens,
            None if self.cost is None or other.cost is None else self.cost + other.cost,
        )


@dataclass(frozen=True, slots=True)
class Call:
    """One ask and its reply. ``paid`` is False if the reply came from a cache.

    ``shared_words`` is how many words at the start of the prompt an earlier prompt of the same agent has in common.
    ``questions`` is how many questions the call was for: 1.
    """

    step: str
    prompt_words: int
    reply_words: int
    usage: Usage
    seconds: float
    paid: bool
    finish: str
    prompt: str = ""
    reply: str = ""
    shared_words: int = 0
    questions: int = 1

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class Fallback:
    """A step where the model returned nothing usable and a documented substitute was used.

    ``last_page`` is the last of the pages that it concerns, where these are several. ``at`` is the offset of the page
    until its number is known, because pages are not found in order.
    """

    step: str
    reason: str
    taken: str
    page: int | None = None
    at: int | None = field(default=None, compare=False, repr=False)
    last_page: int | None = None

    __repr__ = short_repr

    @classmethod
    def on(cls, pages: Sequence[int], step: str, reason: str, taken: str) -> Fallback:
        """Return a fallback that concerns consecutive pages."""
        return cls(step, reason, taken, pages[0], last_page=pages[-1] if len(pages) > 1 else None)


@dataclass(slots=True)
class Trace:
    """The calls and fallbacks of a run, in order. With ``keep_text`` prompts and replies are stored, not only sizes."""

    keep_text: bool = True
    calls: list[Call] = field(default_factory=list)
    fallbacks: list[Fallback] = field(default_factory=list)

    def __repr__(self) -> str:
        tokens, cost = self.usage.prompt_tokens + self.usage.reply_tokens, self.usage.cost
        return brief(
            self,
            "",
            counted(len(self.calls), "call"),
            ", ".join(f"{step} {number}" for step, number in self.steps().items()),
            counted(tokens, "token"),
            f"${cost:.4f}" if cost else "",
            counted(len(self.fallbacks), "fallback") if self.fallbacks else "",
        )

    def number_pages(self, starts: Sequence[int]) -> None:
        """Set the page numbers of fallbacks, given the offsets at which all pages begin."""
        for i, fallback in enumerate(self.fallbacks):
            if fallback.at is not None:
                page = max(0, bisect_right(starts, fallback.at) - 1)
                self.fallbacks[i] = replace(fallback, page=page, at=None)

    @property
    def usage(self) -> Usage:
        """The tokens and cost of all calls, including cached replies."""
        return sum((call.usage for call in self.calls), Usage())

    @property
    def paid(self) -> Usage:
        """The tokens and cost of the calls that were really made."""
        return sum((call.usage for call in self.calls if call.paid), Usage())

    @property
    def words_read(self) -> int:
        """The words of all prompts, including the templates."""
        return sum(call.prompt_words for call in self.calls)

    @property
    def shared_words(self) -> int:
        """The words that a server with a perfect prefix cache can skip: see ``Call``."""
        return sum(call.shared_words for call in self.calls)

    def steps(self) -> dict[str, int]:
        """Return the number of calls for each step."""
        return dict(Counter(call.step for call in self.calls))

    def fallback_counts(self) -> dict[str, int]:
        """Return the number of fallbacks for each step."""
        return dict(Counter(fallback.step for fallback in self.fallbacks))


_subjects: ContextVar[tuple[str, ...]] = ContextVar("readagent_subjects", default=())


@contextmanager
def calls_about(*document_ids: str) -> Iterator[None]:
    """Let the calls that are made in the block, also in tasks that start there, be about these documents."""
    before = _subjects.set(document_ids)
    try:
        yield
    finally:
        _subjects.reset(before)


def subjects() -> tuple[str, ...]:
    """Return the ids of the documents that calls are about now; none if they are not known."""
    return _subjects.get()


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
    """The gists of so many pages are too long for one prompt; an index over them is being made."""

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
class Elsewhere:
    """Another process is making the same call, and its reply is waited for."""


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
    | Elsewhere
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
