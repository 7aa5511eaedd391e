"""Statement and Support: what an answer states, and which of its quotes bear that out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from readagent.core.escaping import short_repr

State = Literal["supported", "quoted", "unsupported"]
CheckedBy = Literal["model", "rules", ""]


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of an answer, and whether quotes support it; ``quotes`` are indices into the quotes of the answer.

    ``supported``: these quotes support it. ``quoted``: these quotes are about it, but support is not shown.
    ``unsupported``: no quote is about it, or the model that was asked says that none supports it.
    """

    text: str
    state: State
    quotes: tuple[int, ...] = ()

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class Support:
    """The statements of an answer and what decided about them: a ``model``, ``rules``, or nothing ("")."""

    statements: tuple[Statement, ...] = ()
    checked_by: CheckedBy = ""

    __repr__ = short_repr

    @property
    def complete(self) -> bool:
        """Whether there is a statement, and every one is supported."""
        return bool(self.statements) and all(one.state == "supported" for one in self.statements)

    def with_quotes(self, kept: Sequence[int]) -> Support:
        """Return the same for an answer that keeps only these of its quotes; what rests on others is unsupported."""
        places = {old: new for new, old in enumerate(kept)}
        return replace(self, statements=tuple(self._with(one, places) for one in self.statements))

    def _with(self, one: Statement, places: Mapping[int, int]) -> Statement:
        quotes = tuple(places[at] for at in one.quotes if at in places)
        if len(quotes) == len(one.quotes):
            return replace(one, quotes=quotes)
        return Statement(one.text, "quoted" if quotes else "unsupported", quotes)
