"""A server that cuts a long prompt without a word: its counts give it away, the user is told, and it is asked again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from readagent import AsyncReadAgent, Library, load
from readagent.core.model import Ask
from readagent.core.trace import AnswerText, Event, Fallback
from readagent.errors import CutPromptError
from readagent.models.endpoint import Endpoint
from readagent.models.ledger import Ledger, Payer
from readagent.models.limits import Slots
from readagent.models.retry import Retries, Retrying
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ReceivedRequest
from sessions import EXAMPLES

pytestmark = pytest.mark.anyio

STORY = load(EXAMPLES / "story.txt")
LONG = STORY.text[:16_000]
PIECES = [STORY.text[start : start + 6000] for start in range(0, 18_000, 6000)]


class LeavesOut(LoopbackServer):
    """Counts only what it has not cached: what no earlier prompt began with."""

    def _usage(self, received: ReceivedRequest, text: str) -> dict[str, Any]:
        earlier = [one.prompt for one in self.requests if one is not received]
        shared = max((_shared(received.prompt, one) for one in earlier), default=0)
        return {"prompt_tokens": (len(received.prompt) - shared) // 4 + 600, "completion_tokens": 9}


class TellsApart(LoopbackServer):
    """Counts what it has cached apart from the rest of a prompt."""

    def _usage(self, received: ReceivedRequest, text: str) -> dict[str, Any]:
        return {"prompt_tokens": 600, "cache_read_input_tokens": len(received.prompt) // 4 - 600}


def _shared(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


async def test_a_reading_and_a_question_say_so_and_ask_again_in_what_is_left() -> None:
    heard: list[Event] = []
    async with LoopbackServer(cuts=1500) as server, AsyncReadAgent("skimmer", base_url=server.base_url) as agent:
        memory = await agent.read(load(EXAMPLES / "meeting.txt"), listen=heard.append)
        window = await agent.window()
    assert [fallback.step for fallback in memory.trace.fallbacks] == ["window"]
    assert "tokens to 1,500, without saying so" in memory.trace.fallbacks[0].reason
    assert memory.trace.fallbacks[0] in [event for event in heard if isinstance(event, Fallback)]
    assert window == 1500
    after = max(at for at, request in enumerate(server.requests) if len(request.prompt) > 4 * 1500)
    assert after < 4, "one prompt is cut, and sent again to make sure"
    paid = sum(call.usage.prompt_tokens for call in memory.trace.calls)
    assert paid >= sum(min(1500, len(request.prompt) // 4) for request in server.requests), "what was cut is paid for"


async def test_an_answer_that_was_streamed_from_a_cut_prompt_starts_again(own_home: Path) -> None:
    heard: list[Event] = []
    async with LoopbackServer() as server:
        with Library(own_home) as library:
            async with AsyncReadAgent("skimmer", base_url=server.base_url, library=library) as agent:
                memory = await agent.read(STORY)
            server._cuts = 900  # it was started again
            async with AsyncReadAgent("skimmer", base_url=server.base_url, library=library) as agent:
                answer = await agent.ask(memory, "What does the story tell about the lighthouse?", listen=heard.append)
    assert "window" in [fallback.step for fallback in answer.trace.fallbacks]
    restarts = [event for event in heard if isinstance(event, AnswerText) and event.restart]
    assert restarts
    last = max(at for at, event in enumerate(heard) if event in restarts)
    said = "".join(event.text for event in heard[last:] if isinstance(event, AnswerText))
    assert said.strip() == answer.text.strip()


async def test_the_budget_counts_both_prompts() -> None:
    async with LoopbackServer(lambda *_: "ok", cuts=1500) as server:
        endpoint, ledger = Endpoint(server.base_url, "skimmer"), Ledger()
        payer = Payer(ledger, counter=endpoint.counter, longest=endpoint.longest_reply)
        with pytest.raises(CutPromptError, match="cut a prompt of about"):
            await Retrying(endpoint, Retries(Slots(1)), payer).complete(Ask("gist", LONG))
        await endpoint.aclose()
    assert ledger.spent.tokens >= 2 * 1500
    assert len(server.requests) == 2


async def test_a_little_that_is_missing_is_noticed_once_the_estimates_are_near() -> None:
    async with LoopbackServer(lambda *_: "ok", cuts=3200) as server:
        endpoint = Endpoint(server.base_url, "skimmer")
        for piece in PIECES:
            await endpoint.complete(Ask("gist", piece))
        assert len(server.requests) == len(PIECES)
        with pytest.raises(CutPromptError) as caught:
            await endpoint.complete(Ask("gist", LONG))
        await endpoint.aclose()
    assert caught.value.window == 3200


@pytest.mark.parametrize("kind", [LeavesOut, TellsApart])
async def test_counts_without_what_was_cached_are_not_taken_for_a_cut(kind: type[LoopbackServer]) -> None:
    async with kind(lambda *_: "ok") as server:
        endpoint = Endpoint(server.base_url, "skimmer")
        for number in range(5):
            await endpoint.complete(Ask("gist", f"{LONG}\n\nQuestion {number}"))
        await endpoint.aclose()
    assert len(server.requests) <= 6, "one prompt is sent again to make sure, and no more"
    assert endpoint.counter.count(LONG) > len(LONG) // 6, "and the estimates are not lowered"


@pytest.mark.parametrize("share", [2, 3.5, 5])
async def test_a_tokenizer_that_counts_otherwise_is_not_taken_for_a_cut(share: float) -> None:
    async with LoopbackServer(lambda *_: "ok", count=lambda text: int(len(text) / share)) as server:
        endpoint = Endpoint(server.base_url, "skimmer")
        for text in (*PIECES, LONG, *PIECES):
            await endpoint.complete(Ask("gist", text))
        await endpoint.aclose()
    assert len(server.requests) == 7


class CountsFewer(LoopbackServer):
    """Counts a token for four characters at first, and then for five."""

    def _usage(self, received: ReceivedRequest, text: str) -> dict[str, Any]:
        return {"prompt_tokens": len(received.prompt) // (4 if len(self.requests) <= 4 else 5), "completion_tokens": 9}


async def test_prompts_at_the_same_time_share_one_that_makes_sure() -> None:
    async with CountsFewer(lambda *_: "ok", latency=0.2) as server:
        endpoint = Endpoint(server.base_url, "skimmer")
        for number in range(4):
            await endpoint.complete(Ask("gist", f"{number} {LONG[:8_000]}"))
        await asyncio.gather(*(endpoint.complete(Ask("gist", f"{number} {LONG}")) for number in range(8)))
        await endpoint.aclose()
        assert len(server.requests) == 4 + 8 + 1
