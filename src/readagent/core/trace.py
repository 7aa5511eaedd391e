"""Trace: every call of a run, the fallbacks it took and why, and what it all came to."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens in and out, those of them that the server had cached, and the money; ``cost`` is None where unknown."""

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
    """One ask and its reply. ``paid`` is False where the reply was known already.

    ``shared_words`` are those at the beginning of the prompt that an earlier one of the same agent began with too.
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


@dataclass(frozen=True, slots=True)
class Fallback:
    """A place where the model gave nothing usable and a documented substitute was taken.

    ``at`` is where the page begins, for as long as its number is not known: pages are not found in their order.
    """

    step: str
    reason: str
    taken: str
    page: int | None = None
    at: int | None = field(default=None, compare=False, repr=False)


@dataclass(slots=True)
class Trace:
    """What happened, in order. With ``keep_text`` prompts and replies are kept too, not only their sizes."""

    keep_text: bool = True
    calls: list[Call] = field(default_factory=list)
    fallbacks: list[Fallback] = field(default_factory=list)

    def number_pages(self, starts: Sequence[int]) -> None:
        """Give the fallbacks of a reading the numbers of their pages, now that all are known by where they begin."""
        for i, fallback in enumerate(self.fallbacks):
            if fallback.at is not None:
                page = max(0, bisect_right(starts, fallback.at) - 1)
                self.fallbacks[i] = replace(fallback, page=page, at=None)

    @property
    def usage(self) -> Usage:
        """Tokens and money of all the calls, known replies included."""
        return sum((call.usage for call in self.calls), Usage())

    @property
    def paid(self) -> Usage:
        """Tokens and money of the calls that were really made."""
        return sum((call.usage for call in self.calls if call.paid), Usage())

    @property
    def words_read(self) -> int:
        """Words of all the prompts, templates included."""
        return sum(call.prompt_words for call in self.calls)

    @property
    def shared_words(self) -> int:
        """Words that a server with a perfect cache of prefixes need not read again: see ``Call``."""
        return sum(call.shared_words for call in self.calls)

    def steps(self) -> dict[str, int]:
        """How many calls each step took."""
        return dict(Counter(call.step for call in self.calls))

    def fallback_counts(self) -> dict[str, int]:
        """How many fallbacks each step took."""
        return dict(Counter(fallback.step for fallback in self.fallbacks))
