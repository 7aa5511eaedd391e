"""A reply has limits: on its whole time, on silence, and on its size. Each ends with one clear error."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import AsyncIterator

import httpx2
import pytest

from readagent.core.model import Ask, Reply
from readagent.errors import BadReplyError, ContextOverflowError, ServerFaultError, SlowReplyError
from readagent.models.endpoint import Endpoint
from readagent.models.http import HttpClient
from readagent.testing.faults import Fault
from readagent.testing.loopback import LoopbackServer
from sessions import run

pytestmark = pytest.mark.anyio


async def complete(fault: Fault, *, streamed: bool, timeout: float = 60, silence: float = 60) -> Reply:
    async with LoopbackServer(faults=[fault]) as server:
        endpoint = Endpoint(server.base_url, "skimmer", timeout=timeout, silence=silence)
        try:
            return await endpoint.complete(Ask("gist", "A page.", listen=(lambda piece: None) if streamed else None))
        finally:
            await endpoint.aclose()


@pytest.mark.parametrize(("fault", "streamed"), [("stall", False), ("drip", False), ("silence", True)])
async def test_the_timeout_bounds_the_whole_reply(fault: Fault, streamed: bool) -> None:
    with pytest.raises(
        SlowReplyError, match=r"no whole reply from http://127.0.0.1:\d+/v1 within 0.3 seconds"
    ) as caught:
        await complete(fault, streamed=streamed, timeout=0.3)
    assert "`timeout`" in caught.value.hint


async def test_a_stream_that_goes_silent_ends_long_before_the_timeout() -> None:
    with pytest.raises(SlowReplyError, match=r"nothing for 0.2 seconds") as caught:
        await complete("silence", streamed=True, silence=0.2)
    assert "set a longer `silence`" in caught.value.hint


@pytest.mark.parametrize(
    ("fault", "streamed", "limit"),
    [("huge", True, "8,000,000 bytes"), ("bomb", False, "8,000,000 bytes"), ("endless", True, "2,000,000 characters")],
)
async def test_a_reply_that_is_too_long_is_given_up_with_little_memory(
    fault: Fault, streamed: bool, limit: str
) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(BadReplyError, match=f"more than {limit}"):
            await complete(fault, streamed=streamed)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 50_000_000


def answering(status: int, body: bytes, **headers: str) -> Endpoint:
    async def stream() -> AsyncIterator[bytes]:
        yield body

    def handle(request: httpx2.Request) -> httpx2.Response:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return httpx2.Response(status if request.content else 404, content=stream(), headers=names)

    return Endpoint("http://localhost/v1", "m", transport=httpx2.MockTransport(handle))


REPLY = b'{"choices": [{"message": {"content": "A gist."}, "finish_reason": "stop"}]}'


async def test_a_reply_that_is_compressed_twice_is_refused() -> None:
    packed = gzip.compress(gzip.compress(REPLY))
    with pytest.raises(BadReplyError, match="compressed more than once"):
        await answering(200, packed, content_encoding="gzip, gzip").complete(Ask("gist", "p"))


async def test_only_the_beginning_of_a_long_error_is_read() -> None:
    said = b'{"error": {"message": "The server is overloaded. ' + b"x" * 9_000_000 + b'"}}'
    with pytest.raises(ServerFaultError, match=r"the server is busy \(503\): .*The server is overloaded"):
        await answering(503, said).complete(Ask("gist", "p"))
    with pytest.raises(ContextOverflowError):
        await answering(413, b" " * 10_000_000).complete(Ask("gist", "p"))


@pytest.mark.parametrize("text", ["first\u2028second\u2029third\u0085\x0b\x0c\x1cend", "字" * 3000])
async def test_a_streamed_text_arrives_intact(text: str) -> None:
    heard: list[str] = []
    async with LoopbackServer(lambda *_: text) as server:
        endpoint = Endpoint(server.base_url, "skimmer")
        reply = await endpoint.complete(Ask("respond", "Who?", listen=heard.append))
        await endpoint.aclose()
        assert len(server.requests) == 1
    assert "".join(heard) == reply.text == text


async def test_a_reply_that_has_its_finish_is_complete_even_if_the_stream_does_not_end() -> None:
    events = [b'data: {"choices":[{"delta":{"content":"whole"}}]}\n\n',
              b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n']  # fmt: skip

    async def stream() -> AsyncIterator[bytes]:
        for event in events:
            yield event
        raise httpx2.ReadError("gone")

    def handle(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, content=stream(), headers={"content-type": "text/event-stream"})

    endpoint = Endpoint("http://localhost/v1", "m", window=8192, transport=httpx2.MockTransport(handle))
    assert (await endpoint.complete(Ask("respond", "Who?", listen=lambda piece: None))).text == "whole"


def test_no_cookie_is_kept() -> None:
    seen: list[str | None] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        seen.append(request.headers.get("cookie"))
        return httpx2.Response(200, headers={"set-cookie": "session=of-somebody; Path=/"}, json={})

    async def ask_twice() -> None:
        client = HttpClient("http://localhost/v1", transport=httpx2.MockTransport(handle))
        for _ in range(2):
            async with client.relay("GET", "/models", None, [("X-Name", "\xfc")], 60.0) as reply:
                assert reply.status == 200
        await client.aclose()

    run(ask_twice())
    assert seen == [None, None]
