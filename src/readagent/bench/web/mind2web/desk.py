"""Desk: what the methods of a run share at one step: a model, an embedder, a ranker, and a trace of the step's own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from readagent.agent import AsyncReadAgent
from readagent.bench.web.mind2web.rank import LexicalRanker, Ranker
from readagent.core.model import Embedder
from readagent.core.plan import Plan
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.errors import UsageError
from readagent.retrieval.vectors import Array, vectors_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Desk:
    """The plan of the agent says how long snippets are."""

    agent: AsyncReadAgent
    embedder: Embedder | None = None
    ranker: Ranker = field(default_factory=LexicalRanker)
    trace: Trace = field(default_factory=Trace)

    def seat(self) -> Desk:
        """The same desk, with a trace of its own: one for each step and method."""
        return replace(self, trace=Trace())

    async def within_window(self, plan: Plan, attempt: Callable[[Session], Awaitable[T]]) -> T:
        """What comes of an attempt; one more is made each time that the window turns out to be smaller than thought."""

        async def with_window(window: Window) -> T:
            session = await self.agent.session(plan, window=window)
            return await attempt(replace(session, trace=self.trace))

        return await self.agent.within_window(with_window)

    async def vectors(self, texts: Sequence[str]) -> Array:
        """A vector for each text, as rows."""
        if self.embedder is None:
            raise UsageError(
                "this method needs an embedder", hint="readagent model pull minilm, or give --embedder URL#MODEL"
            )
        return await vectors_of(texts, self.embedder)
