"""The processes of the speed benchmark: servers with a simulated pace, and a reader that is measured.

All servers are in one process and share their replies, so that a reply is computed once: the pace is measured, not the
scripted model.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from subprocess import PIPE, Popen
from time import perf_counter, process_time
from typing import Any

from common import run, workplace

from readagent.agent import AsyncReadAgent
from readagent.core.document import Document
from readagent.core.gists.shorten import gist_page
from readagent.core.memory import Page
from readagent.core.pages.breaks import PageBreaks
from readagent.core.pages.paginate import pause
from readagent.core.plan import preset
from readagent.core.trace import Trace
from readagent.library import Library
from readagent.loaders import load
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.responses import Pace
from readagent.testing.skim import skim

SLOTS = (1, 4, 16, 64)
PACE = Pace(fixed=0.02, prompt_token=0.00001, reply_token=0.0005, slots=1)
_START = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import speed_parts; speed_parts."


@contextmanager
def servers() -> Iterator[dict[int, str]]:
    """Run a server for each number of slots and yield their base URLs."""
    process = Popen([sys.executable, "-c", f"{_START}serve()"], stdout=PIPE, text=True)
    assert process.stdout is not None
    try:
        yield {int(slots): url for slots, url in json.loads(process.stdout.readline()).items()}
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def serve() -> None:
    """Serve until killed; the first line on stdout has the base URLs."""
    known: dict[tuple[str, str], str] = {}

    def answer(prompt: str, constraint: dict[str, Any] | None) -> str:
        key = (prompt, str(constraint))
        if key not in known:
            known[key] = skim(prompt, constraint)
        return known[key]

    async def serving() -> None:
        async with AsyncExitStack() as stack:
            urls = {}
            for slots in SLOTS:
                server = LoopbackServer(answer, pace=replace(PACE, slots=slots), keep_requests=False)
                urls[slots] = (await stack.enter_async_context(server)).base_url
            print(json.dumps(urls), flush=True)
            await asyncio.Event().wait()

    asyncio.run(serving())


def measured(file: Path, url: str, slots: int, way: str) -> dict[str, Any]:
    """Read in a process of its own; return its figures, and the lower bound of its calls."""
    with workplace() as home:
        ran = run([sys.executable, "-c", f"{_START}child()", str(file), url, str(slots), way], home)
    if ran.code:
        sys.exit(f"a reading failed: {ran.err}")
    found: dict[str, Any] = json.loads(ran.out)
    work = [PACE.seconds(*tokens) for tokens in found.pop("tokens")]
    bound = sum(work) / slots + max(work)
    return {**found, "work": sum(work), "bound": bound, "to bound": found["seconds"] / bound, "peak MB": ran.peak_mb}


def child() -> None:
    """Read a file as the command line says, and print the figures."""
    file, url, slots, way = sys.argv[1:]
    text = Path(file)
    document = load(text) if text.suffix == ".md" else Document.from_text(text.read_text("utf-8"))
    plan = replace(preset("articles"), mode="fast" if way == "fast" else "paper")

    async def reading() -> dict[str, Any]:
        async with AsyncReadAgent(
            "skimmer", base_url=url, library=Library("."), plan=plan, parallel=int(slots)
        ) as agent:
            agent.library.documents()  # creates the library before the clock starts
            await agent.window()  # and opens the connection
            began, cpu = perf_counter(), process_time()
            read = one_by_one if way == "sequential" else at_once
            pages, trace = await read(agent, document)
            seconds, cpu = perf_counter() - began, process_time() - cpu
        tokens = [(call.usage.prompt_tokens, call.usage.reply_tokens) for call in trace.calls]
        return {"seconds": seconds, "calls": len(tokens), "pages": len(pages), "tokens": tokens,
                "words read": trace.words_read / document.words, "CPU ms a call": 1000 * cpu / len(tokens),
                "fallbacks": len(trace.fallbacks), "starts": [page.start for page in pages]}  # fmt: skip

    print(json.dumps(asyncio.run(reading())))


async def at_once(agent: AsyncReadAgent, document: Document) -> tuple[tuple[Page, ...], Trace]:
    """Read as the agent does."""
    memory = await agent.read(document)
    return memory.pages, memory.trace


async def one_by_one(agent: AsyncReadAgent, document: Document) -> tuple[tuple[Page, ...], Trace]:
    """Read sequentially: all pauses, then all gists, one call after another."""
    session = await agent.session(agent.plan, keep_text=False)
    text, pages, start = PageBreaks(document, session.plan), [], 0
    for section in text.sections:
        while start < section:
            end = await pause(text, start, section, "", session)
            pages.append(text.page(len(pages), start, end))
            start = end
    for page in pages:
        await gist_page(session, page, document.text[page.start : page.end])
    return tuple(pages), session.trace
