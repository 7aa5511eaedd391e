"""Prices per million tokens, a table of common models extended by the user; and how long replies are on average."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from readagent.core.trace import Usage
from readagent.errors import UsageError
from readagent.models.wire import decode_as

MOST = 1_000_000  # US dollars per million tokens; a greater price is a mistake


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens: input, output, and cached input. ``window`` is the model's window in tokens."""

    input: float
    output: float
    cached: float | None = None
    window: int | None = None

    def __post_init__(self) -> None:
        if not all(map(is_price, (self.input, self.output, 0.0 if self.cached is None else self.cached))):
            raise UsageError(f"a price must be a number from 0 to {MOST:,}", hint="US dollars per million tokens")

    def cost(self, usage: Usage) -> float:
        """Return the cost in US dollars."""
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        reused = cached * (self.input if self.cached is None else self.cached)
        return ((usage.prompt_tokens - cached) * self.input + reused + usage.reply_tokens * self.output) / 1_000_000


def is_price(value: object) -> bool:
    """Whether a value can be a price."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST


FREE = Price(0.0, 0.0, 0.0)


class Prices:
    """A table of prices by model name. The longest entry that is a prefix of a model's name applies.

    ``own`` are the user's entries, which replace those of the same name.
    """

    def __init__(self, table: Mapping[str, Price], own: Mapping[str, Price] | None = None) -> None:
        self._own = dict(own or {})
        self._table = {**table, **self._own}

    @classmethod
    def default(cls) -> Prices:
        """Return the table that ships with ReadAgent."""
        return cls(_shipped())

    def extended(self, more: Mapping[str, Price]) -> Prices:
        """Return a copy with more entries of the user's own."""
        return Prices(self._table, {**self._own, **more})

    def of(self, model: str) -> Price | None:
        """Return the price of a model, or None if it is unknown. A vendor or a date in the name does not matter."""
        return _longest(model, self._table)

    def own(self, model: str) -> Price | None:
        """Return the price that the user gave for a model, or None."""
        return _longest(model, self._own)


def _longest(model: str, table: Mapping[str, Price]) -> Price | None:
    names = [model, model.rpartition("/")[2]]
    fitting = [(len(entry), price) for entry, price in table.items() for name in names if _matches(name, entry)]
    return max(fitting, key=lambda found: found[0])[1] if fitting else None


def _matches(name: str, entry: str) -> bool:
    """Whether a name is the entry with or without a suffix: gpt-4o-2024-08-06 is gpt-4o, gpt-4.1 is not gpt-4."""
    name, entry = name.lower(), entry.lower()
    return name.startswith(entry) and name[len(entry) : len(entry) + 1] in ("", "-", ":", "@", "_")


@dataclass(frozen=True, slots=True)
class _File:
    about: str
    models: dict[str, Price]


@cache
def _shipped() -> dict[str, Price]:
    return decode_as((Path(__file__).parent / "prices.json").read_bytes(), _File).models


class ReplySizes:
    """The mean tokens of the replies to each step; 0 before the first reply."""

    def __init__(self) -> None:
        self._tokens: Counter[str] = Counter()
        self._replies: Counter[str] = Counter()

    def add(self, step: str, tokens: int) -> None:
        """Record a reply."""
        self._tokens[step] += tokens
        self._replies[step] += 1

    def expected(self, step: str) -> int:
        """Return the tokens to expect of a reply."""
        return self._tokens[step] // self._replies[step] if self._replies[step] else 0
