"""Readings: a document is read for a client, who is told how far that is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from readagent.agent import AsyncReadAgent
from readagent.core.document import Document
from readagent.core.escaping import counted
from readagent.core.memory import GistMemory
from readagent.core.trace import Event, GistDone, PageFound

if TYPE_CHECKING:  # the page counts such readings also without the extra
    from mcp.server.mcpserver import Context

T = TypeVar("T")
# Called with percent of the text, how far that is in words, and the number of pages found so far.
Report = Callable[[float, str, int], Awaitable[None]]


class Run(Protocol):
    """Runs work of the agent, on the event loop that the agent belongs to."""

    async def __call__(self, work: Coroutine[Any, Any, T], /) -> T: ...


class Read(Protocol):
    """Reads a document that is in the library, and reports how far it is. If it is cancelled, the reading stops."""

    async def __call__(self, document: Document, report: Report, /) -> GistMemory: ...


async def run_here(work: Coroutine[Any, Any, T], /) -> T:
    """Run work of an agent that belongs to the loop of the server itself."""
    return await work


def reports_to(context: Context[None, Any]) -> Report:
    """Return a function that reports to the client of a call. The protocol wants every number to be larger."""
    last = 0.0

    async def report(percent: float, what: str, pages: int) -> None:
        nonlocal last
        if percent > last:
            last = percent
            await context.report_progress(percent, 100, what)

    return report


@dataclass(frozen=True, slots=True)
class AgentReads:
    """Reads with an agent, as long as the client waits. Every page and gist is reported."""

    agent: AsyncReadAgent
    run: Run = run_here

    async def __call__(self, document: Document, report: Report, /) -> GistMemory:
        loop, told = asyncio.get_running_loop(), asyncio.Queue[tuple[float, str, int] | None]()
        done, pages, gists = 0, 0, 0

        def listen(event: Event) -> None:
            """Count; the agent may be on another thread."""
            nonlocal done, pages, gists
            if isinstance(event, PageFound):
                pages += 1
            elif isinstance(event, GistDone):
                gists += 1
            else:
                return
            done += event.end - event.start
            percent = round(min(100.0, 50 * done / max(1, len(document.text))), 2)
            what = f"{counted(pages, 'page')} found, {counted(gists, 'gist')} written"
            loop.call_soon_threadsafe(told.put_nowait, (percent, what, pages))

        async def tell() -> None:
            while (one := await told.get()) is not None:
                await report(*one)

        telling = asyncio.create_task(tell())
        try:
            memory = await self.run(self.agent.read(document, listen=listen))
            loop.call_soon(told.put_nowait, None)
            await telling
            return memory
        finally:
            telling.cancel()
            with suppress(asyncio.CancelledError):
                await telling
