"""Context: what the methods of a run share: an agent, a window, an embedder, prompts, and a trace for each trial."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from readagent.agent import AsyncReadAgent
from readagent.core.model import Embedder
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.session import Session
from readagent.core.trace import Listener, Trace, ignore
from readagent.core.window import Window
from readagent.embedded.weights import folder, state
from readagent.errors import UsageError
from readagent.library import Library
from readagent.models.embeddings import CachedEmbedder
from readagent.models.providers import resolve
from readagent_bench.embedder import EndpointEmbedder

if TYPE_CHECKING:
    from readagent.retrieval.vectors import Array

T = TypeVar("T")


@cache
def templates() -> Prompts:
    """Return the templates of methods, loaded once."""
    return Prompts.whole(Path(__file__).parent / "prompts")


@cache
def rater_templates() -> Prompts:
    """Return the templates of the raters, loaded once."""
    return Prompts.whole(Path(__file__).parent / "prompts" / "raters")


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


@asynccontextmanager
async def embedder_of(name: str, home: Path, library: Library) -> AsyncIterator[Embedder | None]:
    """Open an embedder: ``URL#MODEL`` on a server, or ``local``, the embedded one, which is also the default.

    Vectors are kept in the library. The connection or thread ends with the block.
    """
    if is_served(name):
        endpoint = _endpoint(name)
        try:
            yield CachedEmbedder(endpoint, library)
        finally:
            await endpoint.aclose()
    elif state(home)["minilm"] == "ready":
        from readagent.embedded.networks import MiniLMEmbedder

        embedder = MiniLMEmbedder(folder(home, "minilm"))
        try:
            yield CachedEmbedder(embedder, library)
        finally:
            embedder.close()
    elif name:
        raise UsageError("the weights of the local embedder are not installed", hint="readagent model pull")
    else:
        yield None


def is_served(name: str) -> bool:
    """Return whether this names an embedder on a server; raise UsageError if it names none at all."""
    if name in ("", "local"):
        return False
    url, _, model = name.partition("#")
    if not model or not url.startswith(("http://", "https://")):
        raise UsageError(
            f"invalid embedder {name!r}", hint="for example http://localhost:11434/v1#nomic-embed-text, or local"
        )
    return True


def _endpoint(name: str) -> EndpointEmbedder:
    url, _, model = name.partition("#")
    target = resolve(model, url, os.environ)
    return EndpointEmbedder(target.base_url, target.model, key=target.key, key_hint=target.key_hint)
