"""Endpoint: replies, tokens and cost, what it sends, and what it learns about a server."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from readagent.core.form import Choice
from readagent.core.model import Ask
from readagent.errors import UnauthorizedError, UsageError
from readagent.models.endpoint import Endpoint
from readagent.models.prices import Price, Prices
from readagent.models.request import Capabilities
from readagent.models.server_info import probe
from readagent.models.wire import decode_as
from readagent.testing.loopback import LoopbackServer

pytestmark = pytest.mark.anyio

PAUSE = Ask("paginate", "<passage>\na\n<1>\nb\n<2>\nc\n</passage>", Choice(("1", "2"), label="Break point"))
PAGES = Ask(
    "look_up",
    "<memory>\n<Page 0>\nAnn\n<Page 1>\nBob\n</memory>\n<question>Bob?</question>\nPages: number, number",
    Choice(("0", "1"), 0, 2, label="Pages"),
)


def served(body: Any, status: int = 200, seen: list[Any] | None = None) -> httpx2.MockTransport:
    """A server that always sends this reply."""

    def handle(request: httpx2.Request) -> httpx2.Response:
        if seen is not None:
            seen.append(json.loads(request.content))
        return httpx2.Response(status, json=body)

    return completing(handle)


def completing(handle: Callable[[httpx2.Request], httpx2.Response]) -> httpx2.MockTransport:
    """A server that lists no models, and answers every other request with ``handle``."""
    return httpx2.MockTransport(lambda request: handle(request) if request.content else httpx2.Response(404))


def message(content: Any, finish: str = "stop", **fields: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": content, **fields}, "finish_reason": finish}]}


async def test_a_reply_has_text_and_tokens_and_costs_nothing_on_a_local_server() -> None:
    async with LoopbackServer(lambda prompt, constraint: "Well read.", cached_share=0.5) as server:
        endpoint = Endpoint(server.base_url, "skimmer")
        reply = await endpoint.complete(Ask("respond", "x" * 400))
        await endpoint.aclose()
    assert (reply.text, reply.finish, reply.paid) == ("Well read.", "stop", True)
    assert (reply.usage.prompt_tokens, reply.usage.reply_tokens, reply.usage.cached_tokens) == (100, 3, 50)
    assert reply.usage.cost == 0.0


async def test_the_cost_is_known_only_if_the_price_is() -> None:
    body = {**message("yes"), "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 100_000,
                                        "prompt_tokens_details": {"cached_tokens": 500_000}}}  # fmt: skip
    prices = Prices({"big": Price(2.0, 10.0, 1.0)})
    for model, cost in (("big-2025", 1.0 + 0.5 + 1.0), ("other", None)):
        endpoint = Endpoint("https://api.example.com/v1", model, prices=prices, transport=served(body))
        assert (await endpoint.complete(Ask("gist", "p"))).usage.cost == cost


@pytest.mark.parametrize(
    ("body", "text", "finish"),
    [
        (message([{"type": "text", "text": "a "}, {"type": "text", "text": "b"}]), "a b", "stop"),
        (message("", "length"), "", "length"),
        (message("half", "content_filter"), "half", "filtered"),
        (message(None, refusal="I would rather not."), "", "refused"),
    ],
)
async def test_every_finish_reason_is_recognised(body: Any, text: str, finish: str) -> None:
    reply = await Endpoint("http://localhost/v1", "m", transport=served(body)).complete(Ask("gist", "p"))
    assert (reply.text, reply.finish) == (text, finish)


async def test_max_tokens_is_generous_but_within_the_window() -> None:
    async def cap(**options: Any) -> int:
        seen: list[Any] = []
        endpoint = Endpoint("http://localhost/v1", "m", transport=served(message("x"), seen=seen), **options)
        await endpoint.complete(Ask("gist", "word " * 780))
        return int(seen[0]["max_tokens"])

    assert await cap() == 8192
    assert 2000 < await cap(window=4096) < 4096 - 700
    assert await cap(window=1024) == 1024 // 6


async def test_a_stream_is_passed_on_piece_by_piece_without_reasoning() -> None:
    heard: list[str] = []
    async with LoopbackServer(lambda *_: "It was the keeper.", reasoning="Let me think.") as server:
        endpoint = Endpoint(server.base_url, "skimmer")
        reply = await endpoint.complete(Ask("respond", "Who?", listen=heard.append))
        quiet = await endpoint.complete(Ask("respond", "Who?"))
        await endpoint.aclose()
        sent = [request.parameters.get("stream") for request in server.requests]
    assert len(heard) > 1
    assert "".join(heard) == reply.text == quiet.text == "It was the keeper."
    assert reply.usage == quiet.usage
    assert sent == [True, None]


@pytest.mark.parametrize("name", ["temperature", "max_tokens", "stream_options", "stream"])
async def test_a_rejected_parameter_is_omitted_from_then_on(name: str) -> None:
    remembered: list[Capabilities] = []
    async with LoopbackServer(lambda *_: "ok", rejects=[name]) as server:
        endpoint = Endpoint(server.base_url, "skimmer", remember=remembered.append)
        for _ in range(2):
            assert (await endpoint.complete(Ask("respond", "Who?", listen=lambda piece: None))).text == "ok"
        await endpoint.aclose()
        bodies = [request.parameters for request in server.requests]
    assert [name in body for body in bodies] == [True, False, False]
    assert ("max_completion_tokens" in bodies[-1]) == (name == "max_tokens")
    assert len(remembered) == 1


@pytest.mark.parametrize(
    ("constrain", "found", "requests"),
    [("schema", "schema", 1), ("none", "none", 2)],
)  # fmt: skip
async def test_how_a_server_constrains_output_is_found_out_once(constrain: Any, found: str, requests: int) -> None:
    remembered: list[Capabilities] = []
    async with LoopbackServer(constrain=constrain) as server:
        endpoint = Endpoint(server.base_url, "skimmer", remember=lambda known: remembered.append(known.copy()))
        first = await endpoint.complete(PAUSE)
        assert len(server.requests) == requests
        second = await endpoint.complete(PAUSE)
        several = await endpoint.complete(PAGES)
        await endpoint.aclose()
        assert len(server.requests) == requests + 2
        assert PAUSE.choice is not None
        assert PAGES.choice is not None
        assert PAUSE.choice.parse(first.text) == PAUSE.choice.parse(second.text) == ("2",)
        assert PAGES.choice.parse(several.text) == ("1",)
        assert {known.constrain for known in remembered} == {found}
        again = Endpoint(server.base_url, "skimmer", capabilities=remembered[-1])
        await again.complete(PAUSE)
        await again.aclose()
        assert len(server.requests) == requests + 3


async def test_a_server_that_ignores_constraints_is_detected() -> None:
    async with LoopbackServer(constrain="ignore") as server:
        endpoint = Endpoint(server.base_url, "skimmer")
        replies = [(await endpoint.complete(PAUSE)).text for _ in range(5)]
        await endpoint.aclose()
        assert len(server.requests) == 5
        assert "response_format" in server.requests[0].parameters
        assert "JSON" in server.requests[0].prompt
        assert set(server.requests[1].parameters) == {"model", "temperature", "max_tokens"}
    assert set(replies) == {"Break point: 2"}
    assert endpoint.capabilities.constrain == "none"


def routes(**paths: Any) -> Callable[[httpx2.Request], httpx2.Response]:
    def handle(request: httpx2.Request) -> httpx2.Response:
        path = request.url.path.strip("/").replace("/", "_")
        return httpx2.Response(200, json=paths[path]) if path in paths else httpx2.Response(404)

    return handle


LLAMA = {"data": [{"id": "m", "owned_by": "llamacpp", "meta": {"n_ctx_train": 131072}}]}
PLAIN = {"data": [{"id": "m"}]}
LITELLM = {"max_input_tokens": 16384, "max_output_tokens": 1000}
OLLAMA = {"data": [{"id": "m", "owned_by": "library"}]}


@pytest.mark.parametrize(
    ("paths", "window"),
    [
        ({"v1_models": {"data": [{"id": "m", "max_model_len": 8192}]}}, 8192),
        ({"v1_models": {"data": [{"id": "a"}, {"id": "m", "context_length": 32768}]}}, 32768),
        ({"v1_models": {"data": [{"id": "m", "meta": {"n_ctx": 2048, "n_ctx_train": 131072}}]}}, 2048),
        ({"v1_models": {"data": [{"id": "m", "max_model_len": "8192"}]}}, 8192),
        ({"v1_models": {"data": [{"id": "m", "max_model_len": "9" * 5000}]}}, None),
        ({"v1_models": LLAMA, "props": {"default_generation_settings": {"n_ctx": 4096}}}, 4096),
        ({"v1_models": OLLAMA, "api_ps": {"models": [{"name": "m", "context_length": 16384}]}}, 16384),
        ({"v1_models": OLLAMA, "api_show": {"parameters": "stop x\nnum_ctx    8000", "model_info": {}}}, 8000),
        ({"v1_models": PLAIN, "api_v0_models": {"data": [{"id": "m", "loaded_context_length": 4096}]}}, 4096),
        ({"v1_models": PLAIN, "model_info": {"data": [{"model_name": "m", "model_info": LITELLM}]}}, 16384),
        ({"v1_models": {"data": [{"id": "m", "max_model_len": "many"}]}}, None),
        ({}, None),
    ],
)
async def test_the_window_is_fetched_from_the_server(paths: dict[str, Any], window: int | None) -> None:
    transport = httpx2.MockTransport(routes(**paths))
    assert await Endpoint("http://localhost/v1", "m", transport=transport).window() == window
    assert await Endpoint("http://localhost/v1", "m", transport=transport, window=555).window() == 555
    assert (
        await Endpoint("http://localhost/v1", "m", transport=transport, capabilities=Capabilities(window=777)).window()
        == 777
    )


@pytest.mark.parametrize(
    "paths",
    [
        {"v1_models": {"data": [{"id": "m", "context_window": 32768, "max_completion_tokens": 1000}]}},
        {"v1_models": {"data": [{"id": "m", "context_length": 9999, "top_provider": {"max_completion_tokens": 1000}}]}},
        {"v1_models": PLAIN, "model_info": {"data": [{"model_name": "m", "model_info": LITELLM}]}},
    ],
)
async def test_a_reply_is_no_longer_than_the_server_lists(paths: dict[str, Any]) -> None:
    asked: list[int] = []
    known = routes(**paths)

    def handle(request: httpx2.Request) -> httpx2.Response:
        if not request.content:
            return known(request)
        asked.append(json.loads(request.content)["max_tokens"])
        return httpx2.Response(200, json={"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]})

    endpoint = Endpoint("http://localhost/v1", "m", transport=httpx2.MockTransport(handle))
    await endpoint.complete(Ask("gist", "A page."))
    assert asked == [1000]


async def test_a_probe_reports_what_the_server_can_do() -> None:
    async with LoopbackServer(window=8000, constrain="schema") as server:
        endpoint = Endpoint(server.base_url, "skimmer")
        found = await probe(endpoint)
        await endpoint.aclose()
    assert (found.answers, found.listed, found.streams, found.constrains, found.window) == (
        True, True, True, "schema", 8000)  # fmt: skip
    assert not found.error


async def test_the_key_is_sent_and_never_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    async with LoopbackServer(key="sk-secret") as server:
        right = Endpoint(server.base_url, "skimmer", key="sk-secret")
        await right.complete(Ask("gist", "Some text."))
        wrong = Endpoint(server.base_url, "skimmer", key="sk-wrong", key_hint="set OPENAI_API_KEY")
        with pytest.raises(UnauthorizedError) as caught:
            await wrong.complete(Ask("gist", "Some text."))
        await right.aclose()
        await wrong.aclose()
    assert caplog.records
    assert "sk-" not in caplog.text
    assert "secret" not in right.name + repr(right.capabilities)
    assert "OPENAI_API_KEY" in caught.value.hint
    echo = {"error": {"message": "Incorrect API key provided: sk-wrong."}}
    endpoint = Endpoint("http://localhost/v1", "m", key="sk-wrong", transport=served(echo, 401))
    with pytest.raises(UnauthorizedError) as caught:
        await endpoint.complete(Ask("gist", "p"))
    assert "sk-wrong" not in str(caught.value) + caught.value.hint
    assert "pass" not in Endpoint("http://user:pass@localhost/v1?key=pass", "m").name


def test_capabilities_stored_by_earlier_versions_can_be_read() -> None:
    stored = b'{"constrain":"schema","drop":["temperature"],"window":4096,"streams":true,"reply_limit":null}'
    assert decode_as(stored, Capabilities) == Capabilities("schema", {"temperature"}, 4096, True, None)


def test_the_name_covers_everything_that_affects_a_reply() -> None:
    one = Endpoint("http://localhost:1/v1/", "m")
    assert one.name == "http://localhost:1/v1 m temperature=0"
    assert Endpoint("http://localhost:1/v1", "m", temperature=0.7).name != one.name


@pytest.mark.parametrize("url", ["localhost:11434", "ftp://host/v1", ""])
def test_an_invalid_address_is_rejected_at_once(url: str) -> None:
    with pytest.raises(UsageError, match="not a server address"):
        Endpoint(url, "m")


def test_an_invalid_key_is_rejected_without_showing_it() -> None:
    with pytest.raises(UnauthorizedError) as caught:
        Endpoint("http://localhost/v1", "m", key="sk-\u00fcber")
    assert "\u00fcber" not in str(caught.value)
