"""Progress: tells a client how far a reading is, while it goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from mcp.server.mcpserver import Context

from readagent.core.document import Document
from readagent.core.events import Event, GistDone, Listener, PageFound
from readagent.mcp_server.desk import Run

T = TypeVar("T")


async def with_progress(
    document: Document, context: Context[None, Any], run: Run, work: Callable[[Listener], Coroutine[Any, Any, T]]
) -> T:
    """Return the result of reading a document. The client is told of every page and gist, in percent of the text."""
    loop, told = asyncio.get_running_loop(), asyncio.Queue[tuple[float, str] | None]()
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
        share = min(100.0, 50 * done / max(1, len(document.text)))
        loop.call_soon_threadsafe(told.put_nowait, (round(share, 2), f"{pages} pages found, {gists} gists written"))

    async def tell() -> None:
        last = 0.0
        while (one := await told.get()) is not None:
            if one[0] > last:  # the protocol wants every number to be larger than the one before
                last = one[0]
                await context.report_progress(last, 100, one[1])

    telling = asyncio.create_task(tell())
    try:
        result = await run(work(listen))
        loop.call_soon(told.put_nowait, None)
        await telling
        return result
    finally:
        telling.cancel()
        with suppress(asyncio.CancelledError):
            await telling
