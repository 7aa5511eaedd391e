"""How long a reply may be follows from the window and the prompt, and from what the server refuses."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from readagent.core.model import Ask
from readagent.core.tokens import TokenCounter
from readagent.core.window import Window
from readagent.errors import ContextOverflowError, RejectedError
from readagent.models.endpoint import Endpoint
from readagent.models.request import Capabilities
from readagent.models.wire import decode_as, encode
from readagent.testing.loopback import LoopbackServer

pytestmark = pytest.mark.anyio


class Learning(TokenCounter):
    """Records what the server's counts teach it."""

    def __init__(self) -> None:
        super().__init__()
        self.learnt: list[tuple[str, int]] = []

    def learn(self, prompt: str, tokens: int) -> None:
        self.learnt.append((prompt, tokens))


def asked(server: LoopbackServer) -> list[int]:
    return [request.parameters["max_tokens"] for request in server.requests]


@pytest.mark.parametrize("window", [1024, 8192, 32768])
async def test_a_listed_window_is_never_exceeded(window: int) -> None:
    async with LoopbackServer(lambda *_: "ok", window=window, counts="request") as server:
        endpoint = Endpoint(server.base_url, "skimmer")
        for words in (1, 20, window // 5):
            await endpoint.complete(Ask("gist", "A page. " * words))
        await endpoint.aclose()
        assert len(server.requests) == 3
        assert all(256 <= tokens < window for tokens in asked(server))
        assert asked(server)[0] > min(8192, window) * 0.8


@pytest.mark.parametrize("tokens", [512, 650, 2000])
async def test_a_small_window_has_room_for_every_prompt_that_fits_it(tokens: int) -> None:
    window = Window(tokens)
    longest = "A page. "
    while window.fits(longest + "A page. "):
        longest += "A page. "
    async with LoopbackServer(lambda *_: "ok", window=tokens, counts="request") as server:
        endpoint = Endpoint(server.base_url, "skimmer")
        await endpoint.complete(Ask("gist", longest))
        await endpoint.aclose()
        (request,) = server.requests
        assert request.finished
        assert asked(server)[0] >= min(256, tokens // 6)


async def test_a_refusal_without_a_number_shortens_the_reply_and_not_the_window() -> None:
    remembered: list[Capabilities] = []
    async with LoopbackServer(lambda *_: "ok", window=3000, counts="vague") as server:
        endpoint = Endpoint(server.base_url, "skimmer", remember=lambda known: remembered.append(known.copy()))
        for _ in range(3):
            await endpoint.complete(Ask("gist", "word " * 200))
        assert asked(server)[0] == 8192
        assert asked(server)[1:3] == sorted(asked(server)[1:3], reverse=True)
        assert len(server.requests) <= 5  # the limit is found once
        assert await endpoint.window() is None
        await endpoint.aclose()
        again = Endpoint(server.base_url, "skimmer", capabilities=decode_as(encode(remembered[-1]), Capabilities))
        await again.complete(Ask("gist", "word " * 200))
        await again.aclose()
        assert asked(server)[-1] == asked(server)[-2]
    assert remembered[-1].request_limit is not None
    assert 1000 < remembered[-1].request_limit < 3000


async def test_a_prompt_that_is_refused_with_the_shortest_reply_is_too_long() -> None:
    async with LoopbackServer(lambda *_: "ok", window=3000, counts="vague") as server:
        endpoint = Endpoint(server.base_url, "skimmer")
        with pytest.raises(ContextOverflowError) as caught:
            await endpoint.complete(Ask("gist", "word " * 3000))
        assert asked(server)[-1] == 256
        assert caught.value.window is None
        assert await endpoint.window() is None
        assert (await endpoint.complete(Ask("gist", "word " * 300))).text == "ok"
        await endpoint.aclose()


async def test_a_server_that_counts_more_than_we_do_is_believed() -> None:
    """The prompt has three times as many tokens as estimated: the numbers of the refusal are used at once."""
    counter = Learning()

    def handle(request: httpx2.Request) -> httpx2.Response:
        if not request.content:
            return httpx2.Response(404)
        cap = json.loads(request.content)["max_tokens"]
        if 6000 + cap > 8192:
            text = f"maximum context length is 8192 tokens. However, you requested {6000 + cap} tokens (6000 in the messages)"
            return httpx2.Response(400, json={"error": {"message": text}})
        usage = {"prompt_tokens": 6000, "completion_tokens": 1}
        choice = {"message": {"content": "ok"}, "finish_reason": "stop"}
        return httpx2.Response(200, json={"choices": [choice], "usage": usage})

    transport = httpx2.MockTransport(handle)
    endpoint = Endpoint("http://localhost/v1", "m", counter=counter, transport=transport)
    prompt = "9,8,7," * 1200
    assert (await endpoint.complete(Ask("gist", prompt))).usage.prompt_tokens == 6000
    assert counter.learnt == [(prompt, 6000), (prompt, 6000)]
    assert endpoint.capabilities.window == 8192


async def test_a_prompt_that_exceeds_the_window_is_reported_with_the_count_of_the_server() -> None:
    counter = Learning()
    async with LoopbackServer(window=1000) as server:
        endpoint = Endpoint(server.base_url, "skimmer", counter=counter)
        with pytest.raises(ContextOverflowError) as caught:
            await endpoint.complete(Ask("gist", "x" * 4400))
        await endpoint.aclose()
        assert len(server.requests) == 1
    assert await endpoint.window() == 1000
    assert (caught.value.window, caught.value.prompt_tokens) == (1000, 1100)
    assert counter.learnt == [("x" * 4400, 1100)]


async def test_a_limit_of_tokens_per_minute_shortens_the_reply() -> None:
    """Some accounts may send fewer tokens per minute than one request reserves. Waiting would not help."""

    def refuse(asked: int, sent: int) -> Any:
        size = sent // 5 + asked
        text = f"Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested {size}"
        return (413, {"error": {"message": text, "code": "rate_limit_exceeded"}}) if size > 6000 else None

    endpoint, _ = refusing(refuse)
    assert (await endpoint.complete(Ask("gist", "word " * 80))).text == "ok"
    assert await endpoint.window() is None
    with pytest.raises(ContextOverflowError, match="more tokens than your account may send") as caught:
        await endpoint.complete(Ask("gist", "word " * 9000))
    assert caught.value.window == 6000


@pytest.mark.parametrize("text", ["max_tokens is too large", "Range of max_tokens should be [1, 1000]"])
async def test_a_reply_that_may_not_be_that_long_is_shortened(text: str) -> None:
    endpoint, _ = refusing(lambda asked, sent: (400, {"error": {"message": text}}) if asked > 1000 else None)
    assert (await endpoint.complete(Ask("gist", "A page."))).text == "ok"
    assert endpoint.capabilities.reply_limit in (512, 1000)
    assert await endpoint.window() is None


@pytest.mark.parametrize("size", [0, 10**10, "8k", [8192]])
async def test_a_window_that_makes_no_sense_is_ignored(size: Any) -> None:
    async with LoopbackServer(
        lambda *_: "ok", routes={"/v1/models": {"data": [{"id": "skimmer", "max_model_len": size}]}}
    ) as server:
        endpoint = Endpoint(server.base_url, "skimmer")
        assert (await endpoint.complete(Ask("gist", "A page."))).text == "ok"
        assert await endpoint.window() is None
        await endpoint.aclose()
        assert asked(server) == [8192]


def refusing(refuse: Any) -> tuple[Endpoint, list[int]]:
    """Return an endpoint whose server refuses as ``refuse`` says for the tokens of a reply and the bytes sent, and what it was asked."""
    asked: list[int] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        if not request.content:
            return httpx2.Response(404)
        asked.append(json.loads(request.content)["max_tokens"])
        if refusal := refuse(asked[-1], len(request.content)):
            return httpx2.Response(refusal[0], json=refusal[1])
        return httpx2.Response(200, json={"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]})

    return Endpoint("http://localhost/v1", "m", transport=httpx2.MockTransport(handle)), asked


def affording(tokens: int) -> Any:
    return lambda asked, sent: (
        (402, {"error": {"message": f"This request requires more credits, or fewer max_tokens. You requested up to "
                         f"{asked} tokens, but can only afford {tokens}.", "code": 402}})
        if asked > tokens
        else None
    )  # fmt: skip


async def test_an_account_with_little_credit_gets_the_reply_that_it_can_pay_for() -> None:
    endpoint, asked = refusing(affording(1024))
    for _ in range(2):
        assert (await endpoint.complete(Ask("gist", "A page.", min_reply=300))).text == "ok"
    assert asked == [8192, 1024, 8192, 1024]  # the account may have more credit next time


@pytest.mark.parametrize(("affordable", "needed"), [(1024, 1100), (100, 0)])
async def test_an_account_that_cannot_pay_for_a_useful_reply_is_told_so(affordable: int, needed: int) -> None:
    endpoint, asked = refusing(affording(affordable))
    with pytest.raises(RejectedError, match="too little credit for this request") as caught:
        await endpoint.complete(Ask("gist", "A page.", min_reply=needed))
    assert "billing" in caught.value.hint
    assert asked == [8192]


async def test_a_length_that_includes_the_reply_is_not_taken_for_that_of_the_prompt() -> None:
    counter = Learning()
    ask = Ask("gist", "word " * 2000)
    size = counter.count(ask.prompt)

    def refuse(asked: int, sent: int) -> Any:
        message = f"Please reduce the length of the messages or completion. Current length is {size + asked}"
        return (400, {"message": f"{message} while limit is 4000"}) if size + asked > 4000 else None

    endpoint, asked = refusing(refuse)
    endpoint.counter = counter
    assert (await endpoint.complete(ask)).text == "ok"
    assert not counter.learnt
    assert len(asked) == 2
