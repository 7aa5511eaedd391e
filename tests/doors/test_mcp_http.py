"""MCP over HTTP, at /mcp of `readagent serve`: the same tools, behind the same token."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from doors.mcp_clients import refusal, result
from readagent.testing.loopback import LoopbackServer
from web.fixtures import Serve
from web.running import STORY, TOKEN, Running, held

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def client_of(running: Running, mode: str = "auto") -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {TOKEN}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(f"{running.client.address}mcp", http_client=http), mode=mode) as client,
    ):
        yield client


def posted(running: Running, body: dict[str, Any], **headers: str) -> httpx2.Response:
    """Send one message, as a client of an earlier version does that writes them itself."""
    accepted = {"accept": "application/json, text/event-stream", **headers}
    return httpx2.post(f"{running.client.address}mcp", json=body, headers=accepted, timeout=30)


INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}  # fmt: skip


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_text_is_read_and_asked_about(serve: Serve, mode: str) -> None:
    running = serve()
    async with client_of(running, mode) as client:
        read = await result(client, "read_document", text=STORY, title="The Salt Barge")
        answer = await result(client, "ask", document=read["document"], question="What was in the biscuit tin?")
        assert answer["quotes"]
        assert "this server reads no files" in await refusal(client, "read_document", path="/etc/passwd")
    shown = running.client.get(f"/api/documents/{read['document']}")
    assert shown["title"] == "The Salt Barge"


async def test_a_reading_that_is_cancelled_goes_on(serve: Serve, model: LoopbackServer) -> None:
    running = serve()
    async with client_of(running) as client:
        with held(model, "shorten"):
            reading = asyncio.create_task(client.call_tool("read_document", {"text": STORY, "title": "Barge"}))
            while not (await result(client, "list_documents"))["documents"]:
                pass
            reading.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reading
        read = await result(client, "read_document", text=STORY, title="Barge")
    assert read["pages"] > 5


async def test_a_raw_client_gets_a_session(serve: Serve) -> None:
    running = serve()
    token = {"authorization": f"Bearer {TOKEN}"}
    began = posted(running, INITIALIZE, **token)
    assert began.status_code == 200
    assert "2025-06-18" in began.text
    session = {"mcp-session-id": began.headers["mcp-session-id"], **token}
    posted(running, {"jsonrpc": "2.0", "method": "notifications/initialized"}, **session)
    listed = posted(running, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, **session)
    assert "read_document" in listed.text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": f"Bearer {TOKEN}", "host": "evil.example"}, 403),
    ],
)
async def test_the_guard_holds_for_agents_too(serve: Serve, headers: dict[str, str], status: int) -> None:
    assert posted(serve(), INITIALIZE, **headers).status_code == status


async def test_a_read_only_server_only_shows(serve: Serve) -> None:
    running = serve()
    running.client.story()
    shows = serve(read_only=True)
    async with client_of(shows) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == {"list_documents", "search", "memory", "open_pages"}
        assert len((await result(client, "list_documents"))["documents"]) == 1
