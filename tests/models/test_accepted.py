"""What a server has answered before shows what a refusal cannot mean: a missing key, a missing model, a small window."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from readagent import AsyncReadAgent, load
from readagent.core.model import Ask
from readagent.core.window import Window
from readagent.errors import (
    ContentRefusedError,
    ContextOverflowError,
    ModelError,
    PageTooLongError,
    RejectedError,
    UnauthorizedError,
    UnknownModelError,
)
from readagent.models.endpoint import Endpoint
from readagent.models.request import Capabilities
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ErrorResponse
from readagent.testing.skim import skim
from sessions import EXAMPLES

pytestmark = pytest.mark.anyio

NGINX = "<html><head><title>{0}</title></head><body><center><h1>{0}</h1></center><hr>nginx</body></html>"
GOOD = Ask("gist", "word " * 2000)
BAD = Ask("gist", "refuse this: " + "word " * 1900)
LONGER = Ask("gist", "refuse this: " + "word " * 2800)


def serving(status: int, body: str | dict[str, Any], **known: Any) -> Endpoint:
    """An endpoint whose server answers everything but prompts with "refuse this"."""

    def handle(request: httpx2.Request) -> httpx2.Response:
        if not request.content:
            return httpx2.Response(404)
        if "refuse this" in request.content.decode():
            content = body if isinstance(body, str) else json.dumps(body)
            return httpx2.Response(status, content=content.encode())
        return httpx2.Response(200, json={"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]})

    transport = httpx2.MockTransport(handle)
    return Endpoint("https://api.example.com/v1", "grok", key="sk-secret", transport=transport, **known)


async def refused(endpoint: Endpoint, ask: Ask = BAD) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await endpoint.complete(ask)
    return caught.value


ONE_REQUEST: list[tuple[int, Any, type[ModelError]]] = [
    (403, NGINX.format("403 Forbidden"), RejectedError),
    (403, {"error": {"message": "Запрос отклонён модерацией"}}, RejectedError),
    (401, {"error": {"message": "Blocked"}}, UnauthorizedError),
    (404, {"error": {"message": "Prompt not allowed"}}, UnknownModelError),
    (413, NGINX.format("413 Request Entity Too Large"), ContextOverflowError),
]


@pytest.mark.parametrize(("status", "body", "at_first"), ONE_REQUEST)
async def test_a_refusal_after_an_answer_is_about_this_request(
    status: int, body: Any, at_first: type[ModelError]
) -> None:
    endpoint = serving(status, body)
    assert type(await refused(endpoint)) is at_first
    await endpoint.complete(GOOD)
    error = await refused(endpoint)
    assert type(error) is RejectedError
    assert str(error).startswith(f"the server rejected the request ({status})")
    assert not error.hint, "a hint would make it an error of the account"


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (401, "Incorrect API key provided", UnauthorizedError),
        (403, "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO", ContentRefusedError),
        (400, "This model's maximum context length is 1024 tokens.", ContextOverflowError),
    ],
)
async def test_a_refusal_that_names_its_reason_is_believed(status: int, message: str, kind: type[ModelError]) -> None:
    endpoint = serving(status, {"error": {"message": message}})
    await endpoint.complete(GOOD)
    assert type(await refused(endpoint)) is kind


@pytest.mark.parametrize("answered", [False, True])
@pytest.mark.parametrize("said", ["Your key was revoked", "Forbidden"])
async def test_a_403_is_about_the_key_if_the_server_refuses_a_few_harmless_words_too(said: str, answered: bool) -> None:
    sent: list[str] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        sent.append(request.content.decode())
        if answered and "refuse this" not in sent[-1] and len(sent) < 3:
            return httpx2.Response(200, json={"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]})
        return httpx2.Response(403, json={"error": {"message": said}})

    transport = httpx2.MockTransport(handle)
    endpoint = Endpoint("https://api.example.com/v1", "grok", key="sk-secret", window=8192, transport=transport)
    if answered:
        await endpoint.complete(GOOD)
    error = await refused(endpoint)
    if answered and said == "Forbidden":
        assert type(error) is RejectedError, "it says nothing about the key, which was accepted"
    else:
        assert type(error) is UnauthorizedError
        assert len(sent[-1]) < 300, "only a few words are sent to find that out"


async def test_a_prompt_that_is_longer_than_any_before_shows_a_small_window() -> None:
    endpoint = serving(413, "")
    await endpoint.complete(GOOD)
    error = await refused(endpoint, LONGER)
    assert isinstance(error, ContextOverflowError)
    error.asked = endpoint.counter.count(LONGER.prompt)
    prompt = Window().after_overflow(error).prompt
    assert prompt is not None
    assert endpoint.counter.count(GOOD.prompt) <= prompt < endpoint.counter.count(LONGER.prompt)


async def test_what_earlier_runs_sent_is_remembered_until_the_server_shows_that_it_has_changed() -> None:
    remembered: list[Capabilities] = []
    await serving(413, "", remember=remembered.append).complete(GOOD)
    later = serving(413, "", capabilities=remembered[-1].copy())
    errors = [type(await refused(later)) for _ in range(3)]
    assert errors == [PageTooLongError, PageTooLongError, ContextOverflowError]


async def test_the_window_follows_from_the_tokens_by_which_a_prompt_exceeds_it() -> None:
    endpoint = serving(400, {"error": {"message": "prompt too long; exceeded max context length by 600 tokens"}})
    error = await refused(endpoint)
    assert isinstance(error, ContextOverflowError)
    assert error.window == endpoint.counter.count(BAD.prompt) - 600


async def test_a_refusal_that_nobody_understands_makes_the_window_smaller_until_a_prompt_is_answered() -> None:
    def answer(prompt: str, constraint: Any) -> str:
        if len(prompt) > 12_000:
            raise ErrorResponse(400, "E1127: this cannot be done")
        return skim(prompt, constraint)

    async with LoopbackServer(answer) as server, AsyncReadAgent("skimmer", base_url=server.base_url) as agent:
        memory = await agent.read(load(EXAMPLES / "story.txt"))
        window = await agent.window()
        unfinished = [request for request in server.requests if not request.finished]
    assert all(gist.origin != "lead" for gist in memory.gists)
    assert window is not None
    assert 2048 <= window <= 4096
    assert len(unfinished) <= 4


async def test_a_short_prompt_that_is_refused_for_no_known_reason_is_not_taken_for_a_long_one() -> None:
    def refuse(prompt: str, constraint: Any) -> str:
        raise ErrorResponse(400, "E1127: this cannot be done")

    async with LoopbackServer(refuse) as server:
        endpoint = Endpoint(server.base_url, "skimmer")
        for words in (10, 5000):  # nor a long one where nothing is answered
            with pytest.raises(RejectedError, match="E1127"):
                await endpoint.complete(Ask("gist", "word " * words))
        await endpoint.aclose()
