"""Every error response becomes the matching exception, in one line, and no response raises anything else."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.form import Choice
from readagent.core.model import Ask, Reply
from readagent.errors import (
    BadReplyError,
    ConnectionFailedError,
    ContextOverflowError,
    RateLimitedError,
    ReadAgentError,
    RejectedError,
    ServerFaultError,
    UnauthorizedError,
    UnknownModelError,
)
from readagent.models.endpoint import Endpoint
from readagent.testing.loopback import LoopbackServer

pytestmark = pytest.mark.anyio


def answering(status: int, content: bytes = b"", json: Any = None, headers: Any = None) -> Endpoint:
    """An endpoint whose server always sends this response."""

    def handle(request: httpx2.Request) -> httpx2.Response:
        if json is not None:
            return httpx2.Response(status, json=json, headers=headers)
        return httpx2.Response(status, content=content, headers=headers)

    return Endpoint("http://localhost/v1", "qwen3", transport=httpx2.MockTransport(handle))


def says(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


async def failure(endpoint: Endpoint) -> ReadAgentError:
    with pytest.raises(ReadAgentError) as caught:
        await endpoint.complete(Ask("gist", "p"))
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, says("no"), UnauthorizedError),
        (402, says("pay first"), RejectedError),
        (404, says("The model `qwen3` does not exist"), UnknownModelError),
        (429, says("slow down"), RateLimitedError),
        (429, says("You exceeded your current quota", code="insufficient_quota"), RejectedError),
        (500, says("oops"), ServerFaultError),
        (400, says("n must be 1"), RejectedError),
        (302, says("moved"), RejectedError),
        (413, says("Request Entity Too Large"), ContextOverflowError),
        (200, {}, BadReplyError),
        (200, says("slow down", code=429), RateLimitedError),
        (200, {"choices": [{"message": {"content": "half"}, "finish_reason": "error"}]}, BadReplyError),
    ],
)
async def test_an_error_response_raises_the_matching_exception(
    status: int, body: Any, kind: type[ReadAgentError]
) -> None:
    assert type(await failure(answering(status, json=body))) is kind


async def test_a_long_message_or_a_page_of_html_becomes_one_short_line() -> None:
    assert len(str(await failure(answering(400, json=says("long\nwinded " * 500))))) < 360
    error = await failure(answering(502, b"<html><head><title>502 Bad Gateway</title></head><body>...</body></html>"))
    assert isinstance(error, ServerFaultError)
    assert str(error).endswith("502 Bad Gateway")


async def test_an_unknown_model_suggests_the_nearest() -> None:
    async with LoopbackServer(models=["qwen3:8b", "llama3", "phi4"]) as server:
        endpoint = Endpoint(server.base_url, "qwen3:b")
        with pytest.raises(UnknownModelError) as caught:
            await endpoint.complete(Ask("gist", "p"))
        assert "qwen3:8b" in caught.value.hint
        wrong_path = Endpoint(server.base_url.removesuffix("/v1"), "llama3")
        with pytest.raises(UnknownModelError) as caught:
            await wrong_path.complete(Ask("gist", "p"))
        assert "/v1" in caught.value.hint
        await endpoint.aclose()
        await wrong_path.aclose()


async def test_a_server_that_does_not_run() -> None:
    error = await failure(Endpoint("http://127.0.0.1:9/v1", "m"))
    assert isinstance(error, ConnectionFailedError)
    assert "running" in error.hint


PIECE = b'data: {"choices":[{"delta":{"content":"half"}}]}\n\n'
FINISH = b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'
DONE = b"data: [DONE]\n\n"


async def streamed(events: bytes) -> Reply:
    endpoint = answering(200, events, headers={"content-type": "text/event-stream"})
    return await endpoint.complete(Ask("gist", "p", listen=lambda piece: None))


async def test_an_error_in_the_middle_of_a_stream() -> None:
    with pytest.raises(BadReplyError, match="lost it"):
        await streamed(PIECE + b'data: {"error":{"message":"lost it"}}\n\n')


@pytest.mark.parametrize("events", [b"", PIECE, b": comment\n\n" + DONE])
async def test_a_stream_that_ends_early_is_an_error_and_not_a_short_reply(events: bytes) -> None:
    with pytest.raises(ConnectionFailedError, match="before the reply was complete"):
        await streamed(events)


@pytest.mark.parametrize("events", [PIECE + FINISH, PIECE + FINISH + DONE, PIECE + DONE])
async def test_a_stream_is_complete_with_a_finish_reason_or_a_done_event(events: bytes) -> None:
    assert (await streamed(events)).text == "half"


async def test_a_stream_with_a_finish_reason_and_no_text_is_an_empty_reply() -> None:
    assert ((await streamed(FINISH)).text, (await streamed(FINISH)).finish) == ("", "stop")


bodies = st.binary() | st.sampled_from(
    [b'{"choices":', b'{"choices":[{"message":{"content":', b'{"error":', b"data: ", b'data: {"choices":[{"delta":']
).flatmap(lambda head: st.builds(lambda middle, tail: head + middle + tail, st.binary(), st.sampled_from([b"", b"}", b"}]}", b"}}]}\n\n"])))  # fmt: skip


@given(
    status=st.sampled_from([200, 200, 200, 400, 404, 422, 429, 500]),
    body=bodies,
    kind=st.sampled_from(["application/json", "text/event-stream", "text/html; charset=x"]),
    encoding=st.sampled_from(["", "gzip"]),
    streamed=st.booleans(),
)
def test_no_response_raises_anything_but_our_own_errors(
    status: int, body: bytes, kind: str, encoding: str, streamed: bool
) -> None:
    headers = {"content-type": kind, "retry-after": body[:20].decode("ascii", "ignore")}

    def handle(request: httpx2.Request) -> httpx2.Response:
        response = httpx2.Response(status, headers=headers, stream=httpx2.ByteStream(body))
        if encoding:
            response.headers["content-encoding"] = encoding
        return response

    async def ask() -> None:
        endpoint = Endpoint("http://localhost/v1", "m", transport=httpx2.MockTransport(handle))
        listen = (lambda piece: None) if streamed else None
        with suppress(ReadAgentError):
            reply = await endpoint.complete(Ask("merge", "p", Choice(("yes", "no")), listen=listen))
            assert isinstance(reply.text, str)
        await endpoint.window()

    asyncio.run(ask())
