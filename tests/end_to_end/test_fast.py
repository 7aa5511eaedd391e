"""Fast mode through a server: constrained or not, resumed, faulty, estimated, and with the embedded reader."""

from __future__ import annotations

from dataclasses import replace

import pytest

from meanings import WordMeanings, WordReader
from readagent import AsyncReadAgent, Document, Library, load
from readagent.core.plan import preset
from readagent.core.prompts import Prompts
from readagent.core.reading import read
from readagent.core.session import Session
from readagent.core.window import Window
from readagent.estimates import estimated
from readagent.testing.faults import Faults
from readagent.testing.loopback import LoopbackServer
from readagent.testing.scripted import Skimmer
from sessions import EXAMPLES

pytestmark = pytest.mark.anyio
FAST = replace(preset("articles"), mode="fast")
LONG = Document.from_text("\n\n".join([(EXAMPLES / "story.txt").read_text("utf-8")] * 4))


async def served(server: LoopbackServer, library: Library | None = None) -> tuple[list[str], dict[str, int]]:
    async with AsyncReadAgent("skimmer", base_url=server.base_url, plan=FAST, library=library) as agent:
        memory = await agent.read(LONG)
    return [memory.page_text(i) + one.text for i, one in enumerate(memory.gists)], memory.trace.steps()


@pytest.mark.parametrize("constrain", ["schema", "none"])
async def test_any_server_works(constrain: str) -> None:
    alone = await read(LONG, Session(Skimmer(), Prompts.load(), FAST))
    async with LoopbackServer(constrain=constrain) as server:  # type: ignore[arg-type]
        pages, steps = await served(server)
    assert pages == [alone.page_text(i) + one.text for i, one in enumerate(alone.gists)]
    assert steps == alone.trace.steps()


async def test_running_again_sends_nothing(library: Library) -> None:
    async with LoopbackServer() as server:
        first, _ = await served(server, library)
        asked = len(server.requests)
        library.remove(LONG.id)
        again, _ = await served(server, library)
        assert len(server.requests) == asked
    assert first == again


async def test_faulty_replies_give_valid_pages_and_recorded_fallbacks() -> None:
    async with (
        LoopbackServer(faults=Faults(0.3, seed=4)) as server,
        AsyncReadAgent("skimmer", base_url=server.base_url, plan=FAST) as agent,
    ):
        memory = await agent.read(LONG)
    assert "".join(map(memory.page_text, range(len(memory.pages)))) == LONG.text
    assert all(280 <= page.words <= 600 for page in memory.pages[:-1])
    leads = sum(one.origin == "lead" for one in memory.gists)
    assert leads == memory.trace.fallback_counts().get("gist", 0)


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


async def test_the_embedded_reader_reads_in_one_pass() -> None:
    pytest.importorskip("numpy", reason="needs the extra `local`")
    from readagent.embedded.model import LocalModel

    who = Session(LocalModel(WordMeanings(), WordReader()), Prompts.load(), FAST)
    memory = await read(load(EXAMPLES / "story.txt"), who)
    assert set(who.trace.steps()) <= {"read", "gist"}
    assert not who.trace.fallbacks
    assert all(280 <= page.words <= 600 for page in memory.pages[:-1])
    assert all(one.origin == "model" for one in memory.gists)
