"""Fast mode through a server: constrained or not, resumed, faulty, estimated, and with the embedded reader."""

from __future__ import annotations

from dataclasses import replace

import pytest

from readagent import AsyncReadAgent, Document
from readagent.core.plan import preset
from readagent.core.prompts import Prompts
from readagent.core.window import Window
from readagent.estimates import estimated
from readagent.testing.loopback import LoopbackServer
from sessions import EXAMPLES

pytestmark = pytest.mark.anyio
FAST = replace(preset("articles"), mode="fast")
LONG = Document.from_text("\n\n".join([(EXAMPLES / "story.txt").read_text("utf-8")] * 2))


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
