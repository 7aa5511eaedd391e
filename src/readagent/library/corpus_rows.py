"""What the library returns about corpora: their sources, how far they are, and what was spent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from readagent.core.brief import short_repr
from readagent.core.trace import Usage

SourceState = Literal["waiting", "reading", "done", "failed", "set aside"]


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """A corpus, and the id of the shelf that its documents are on."""

    id: int
    name: str
    shelf: int
    made: datetime


@dataclass(frozen=True, slots=True)
class Entry:
    """A source to add to a corpus. ``stamp`` changes when what is there changes, such as the time of a file.

    ``missing`` is true for a file that is not there.
    """

    source: str
    metadata: Mapping[str, str] = field(default_factory=dict)
    stamp: str = ""
    missing: bool = False

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class Spending:
    """Calls, tokens of prompts and replies together, and US dollars.

    ``unpriced`` is the number of calls whose price is unknown; ``cost`` is that of the others.
    """

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0

    def __add__(self, other: Spending) -> Spending:
        return Spending(
            self.calls + other.calls,
            self.tokens + other.tokens,
            self.cost + other.cost,
            self.unpriced + other.unpriced,
        )

    @classmethod
    def on(cls, usage: Usage) -> Spending:
        """Return what one call of this size has cost."""
        tokens = usage.prompt_tokens + usage.reply_tokens
        return cls(1, tokens, usage.cost or 0.0, int(usage.cost is None))

    @property
    def total_cost(self) -> float | None:
        """The US dollars of all calls; None if the price of any is unknown."""
        return None if self.unpriced else self.cost


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source of a corpus. ``kind`` is the kind of error that it failed with last, and ``reason`` what it said.

    A source that ``failed`` is tried again; one that was ``set aside`` is not.
    """

    id: int
    source: str
    state: SourceState
    tries: int
    document: str
    changed: datetime
    pages: int
    spent: Spending = Spending()
    kind: str = ""
    reason: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class Progress:
    """How many sources of a corpus are in each state, what was read and spent, and failures by kind of error."""

    states: Mapping[str, int]
    pages: int
    spent: Spending
    failures: Mapping[str, int] = field(default_factory=dict)

    __repr__ = short_repr

    @property
    def total(self) -> int:
        """The number of sources."""
        return sum(self.states.values())

    @property
    def done(self) -> int:
        """The number of sources that were read."""
        return self.states.get("done", 0)

    @property
    def set_aside(self) -> int:
        """The number of sources that were given up."""
        return self.states.get("set aside", 0)

    @property
    def left(self) -> int:
        """The number of sources that are still to be read, or being read."""
        return self.total - self.done - self.set_aside
