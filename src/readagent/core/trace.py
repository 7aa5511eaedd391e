"""Trace: the calls and fallbacks of a run, and their totals."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from readagent.core.brief import brief, counted, short_repr


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
    ``questions`` is how many questions the call was for; its words, tokens, cost and seconds are the share of one.
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

    def shares(self, questions: int) -> list[Call]:
        """Return the share of each of several questions in a call that was made for all; the sum is the whole call."""
        return [self._share(place, questions) for place in range(questions)]

    def _share(self, place: int, of: int) -> Call:
        def part(number: int) -> int:
            return number * (place + 1) // of - number * place // of

        usage, cost = self.usage, self.usage.cost
        own = Usage(part(usage.prompt_tokens), part(usage.reply_tokens), part(usage.cached_tokens),
                    None if cost is None else cost / of)  # fmt: skip
        return replace(
            self,
            prompt_words=part(self.prompt_words),
            reply_words=part(self.reply_words),
            usage=own,
            seconds=self.seconds / of,
            shared_words=part(self.shared_words),
            questions=of,
        )


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
