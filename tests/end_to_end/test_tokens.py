"""Tokens end to end: tables fit a window, counts are learnt and kept, and a reading keeps to its estimates."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

import pytest

from readagent import AsyncReadAgent, Document, Library, ReadAgent, load, preset
from readagent.core.tokens import estimate_tokens
from readagent.testing.loopback import LoopbackServer
from sessions import EXAMPLES

pytestmark = pytest.mark.slow

STORY = load(EXAMPLES / "story.txt")
NOISE = b"".join(hashlib.sha256(i.to_bytes(2, "big")).digest() for i in range(900))
ROWS = range(1500)
DATA = {
    "CSV": "\n".join(
        f"{i},{i * 7919 % 9973},{i * 31 % 977 / 4:.2f},2024-{i % 12 + 1:02}-{i % 28 + 1:02}" for i in ROWS
    ),
    "hex": NOISE.hex(),
}
PIECES = re.compile(r"[a-z]{1,5}|[A-Z]{1,2}|.|\n")


def strict(text: str) -> int:
    """Count tokens as a tokenizer that knows few words: every digit and every mark is a token."""
    return len(PIECES.findall(text))


@pytest.mark.parametrize("kind", DATA)
def test_tables_and_data_can_be_read_in_a_window_of_8192_tokens(library: Library, kind: str) -> None:
    document = Document.from_text(DATA[kind])
    with LoopbackServer(window=8192, count=strict).in_thread() as server:
        with ReadAgent("skimmer", base_url=server.base_url, library=library) as agent:
            memory = agent.read(document)
            assert agent.ask(memory, "Which value comes after 9973?").text
            assert agent.window() == 8192
        refused = [request for request in server.requests if not request.finished]
    whole = memory.whole
    assert "".join(whole.page_text(page.number) for page in whole.pages) == document.text
    assert len(refused) <= 3, "the numbers of the first refusals are not used"


def test_a_refusal_with_numbers_corrects_the_estimates_and_not_the_window(library: Library) -> None:
    def harsh(text: str) -> int:
        return 2 * strict(text)

    plan = replace(preset("articles"), mode="fast")
    with LoopbackServer(window=8192, count=harsh).in_thread() as server:
        with ReadAgent("skimmer", base_url=server.base_url, library=library, plan=plan) as agent:
            agent.read(STORY)
            assert agent.window() == 8192
        assert 1 <= sum(not request.finished for request in server.requests) <= 3


@pytest.mark.anyio
async def test_counts_are_kept_for_the_next_process(own_home: Path) -> None:
    text = STORY.text[:8000]
    async with LoopbackServer(count=lambda text: len(text) // 7) as server:
        with Library(own_home) as library:
            async with AsyncReadAgent("skimmer", base_url=server.base_url, library=library, plan="articles") as agent:
                assert (await agent.connection.window()).count(text) == estimate_tokens(text)
                await agent.read(STORY)
        with Library(own_home) as library:
            async with AsyncReadAgent("skimmer", base_url=server.base_url, library=library) as agent:
                assert 0.97 <= (await agent.connection.window()).count(text) / (len(text) // 7) <= 1.1
    async with LoopbackServer() as other:
        with Library(own_home) as library:
            async with AsyncReadAgent("skimmer", base_url=other.base_url, library=library) as agent:
                assert (await agent.connection.window()).count(text) == estimate_tokens(text)


@pytest.mark.parametrize("mode", ["paper", "fast"])
def test_a_reading_that_goes_on_after_better_estimates_pays_for_nothing_twice(library: Library, mode: str) -> None:
    plan = replace(preset("articles"), mode=mode)
    other = Document.from_text(STORY.text[::-1])
    with LoopbackServer(window=4096, count=lambda text: len(text) // 6).in_thread() as server:
        with ReadAgent("skimmer", base_url=server.base_url, library=library, plan=plan) as agent:
            first = agent.read(STORY)
            paid = {request.prompt for request in server.requests}
            agent.read(other)
        library.remove(STORY.id)
        before = len(server.requests)
        with ReadAgent("skimmer", base_url=server.base_url, library=library, plan=plan) as agent:
            again = agent.read(STORY)
        assert [request.prompt for request in server.requests[before:] if request.prompt in paid] == []
        assert len(server.requests) == before
    assert again.pages == first.pages
