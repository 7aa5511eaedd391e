"""A server that is not what it should be is told as what it is: a wrong certificate, a redirect, a web page."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from readagent.core.model import Ask
from readagent.errors import RejectedError
from readagent.models.endpoint import Endpoint
from readagent.models.refusal import UnreachableError

pytestmark = pytest.mark.anyio
CERTIFICATE = Path(__file__).parents[1] / "loaders" / "certificates" / "reading.test.pem"


@asynccontextmanager
async def server(reply: bytes, tls: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(reply)
        await writer.drain()
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    async with listening:
        port = listening.sockets[0].getsockname()[1]
        yield f"{'https' if tls else 'http'}://ann:hunter2@127.0.0.1:{port}/v1"


def response(status: int, body: bytes, *headers: str) -> bytes:
    head = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", "Connection: close", *headers, "", ""]
    return "\r\n".join(head).encode() + body


async def test_a_certificate_that_cannot_be_trusted() -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(CERTIFICATE)
    async with server(response(200, b"{}"), tls) as url:
        with pytest.raises(
            RejectedError, match=r"the certificate of https://127\.0\.0\.1:\d+/v1 cannot be trusted: "
        ) as caught:
            await Endpoint(url, "m").complete(Ask("gist", "p"))
    assert "hunter2" not in str(caught.value) + caught.value.hint
    assert not caught.value.retryable


async def test_a_redirect() -> None:
    moved = response(
        308, b"<html>moved</html>", "Location: https://bob:secret@api.example.com/v1/chat/completions?key=k"
    )
    async with server(moved) as url:
        for model in ("m", ""):
            with pytest.raises(RejectedError) as caught:
                await Endpoint(url, model).complete(Ask("gist", "p"))
            assert str(caught.value) == "the server does not answer here: it redirects to https://api.example.com/v1"
            assert "base URL" in caught.value.hint


async def test_being_offline_is_a_cause_that_is_named_unless_the_server_is_near() -> None:
    def refuse(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("no route")

    for url, key, cause, asks_for_key in (
        ("https://api.example.com/v1", None, "is this computer online", True),
        ("https://api.example.com/v1", "k", "is this computer online", False),
        ("http://box.local/v1", None, "is the server", False),
    ):
        with pytest.raises(UnreachableError) as caught:
            await Endpoint(url, "m", key=key, transport=httpx2.MockTransport(refuse)).complete(Ask("gist", "p"))
        assert caught.value.hint.startswith(cause)
        assert ("No key is set" in caught.value.hint) == asks_for_key


async def test_a_web_page() -> None:
    async with server(response(200, b"<!doctype html><title>Welcome</title>")) as url:
        for model in ("m", ""):
            with pytest.raises(RejectedError, match="replied with a web page, not with JSON: Welcome") as caught:
                await Endpoint(url, model).complete(Ask("gist", "p"))
            assert "/v1" in caught.value.hint


@pytest.mark.anyio
async def test_https_on_a_port_without_it_is_named() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    async with server:
        endpoint = Endpoint(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", "m")
        with pytest.raises(RejectedError, match="did not answer with TLS") as told:
            await endpoint.complete(Ask("gist", "x"))
        await endpoint.aclose()
    assert "http://" in told.value.hint
