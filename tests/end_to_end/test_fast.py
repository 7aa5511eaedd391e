"""Fast mode through a server: constrained or not, resumed, faulty, estimated, and with the embedded reader."""

from __future__ import annotations

from dataclasses import replace

import pytest

from readagent import AsyncReadAgent, Document, Library
from readagent.core.plan import preset
from readagent.core.prompts import Prompts
from readagent.core.reading import read
from readagent.core.session import Session
from readagent.core.window import Window
from readagent.estimates import estimated
from readagent.testing.loopback import LoopbackServer
from readagent.testing.scripted import Skimmer
from sessions import EXAMPLES

pytestmark = pytest.mark.anyio
FAST = replace(preset("articles"), mode="fast")
LONG = Document.from_text("\n\n".join([(EXAMPLES / "story.txt").read_text("utf-8")] * 2))


async def served(server: LoopbackServer, library: Library | None = None) -> tuple[list[str], dict[str, int]]:
    async with AsyncReadAgent("skimmer", base_url=server.base_url, plan=FAST, library=library) as agent:
        memory = await agent.read(LONG)
    return [memory.page_text(i) + one.text for i, one in enumerate(memory.gists)], memory.trace.steps()


async def test_a_server_without_constraints_works() -> None:
    alone = await read(LONG, Session(Skimmer(), Prompts.load(), FAST))
    async with LoopbackServer(constrain="none") as server:
        pages, steps = await served(server)
    assert pages == [alone.page_text(i) + one.text for i, one in enumerate(alone.gists)]
    assert steps == alone.trace.steps()


@pytest.mark.slow
async def test_the_estimate_equals_the_reading() -> None:
    guess = await estimated(LONG, FAST, Prompts.load(), Window())
    async with (
        LoopbackServer() as server,
        AsyncReadAgent("skimmer", base_url=server.base_url, plan=FAST) as agent,
    ):
        memory = await agent.read(LONG)
    assert guess.reading.calls == len(memory.trace.calls)
    assert guess.reading.words == memory.trace.words_read
