"""Context: what the methods of a run share: an agent, an embedder, and a trace for each trial."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self, TypeVar

from readagent.agent import AsyncReadAgent
from readagent.core.events import Listener, ignore
from readagent.core.model import Embedder
from readagent.core.plan import Plan
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.errors import UsageError

if TYPE_CHECKING:
    from readagent.retrieval.vectors import Array

T = TypeVar("T")


@dataclass(slots=True)
class Context:
    """The model of ``agent``, and the ``embedder`` for methods that need vectors.

    ``trace`` records the calls of one trial. Work that several trials share has traces of its own. ``listen`` is called
    with every event.
    """

    agent: AsyncReadAgent
    embedder: Embedder | None = None
    trace: Trace = field(default_factory=Trace)
    listen: Listener = ignore

    def with_own_trace(self) -> Self:
        """Return this context with an empty trace: one for each trial."""
        return replace(self, trace=Trace())

    @property
    def plan(self) -> Plan:
        """The plan of the run."""
        return self.agent.plan

    async def session(self, plan: Plan | None = None, window: Window | None = None) -> Session:
        """Return a session that records its calls in the trace of this context."""
        session = await self.agent.session(plan or self.plan, window=window, listen=self.listen)
        return replace(session, trace=self.trace)

    async def within_window(self, plan: Plan, attempt: Callable[[Session], Awaitable[T]]) -> T:
        """Return the result of an attempt; try again each time the window turns out smaller than assumed."""

        async def with_window(window: Window) -> T:
            return await attempt(await self.session(plan, window))

        return await self.agent.connection.within_window(with_window)

    async def vectors(self, texts: Sequence[str]) -> Array:
        """Return one vector per text, as rows."""
        if self.embedder is None:
            raise UsageError(
                "this method needs an embedder", hint="readagent model pull minilm, or give --embedder URL#MODEL"
            )
        from readagent.retrieval.vectors import vectors_of

        return await vectors_of(texts, self.embedder)

    async def aclose(self) -> None:
        """Cancel work that is still in progress."""
