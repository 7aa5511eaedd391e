"""MCP over HTTP, at /mcp of `readagent serve`: the same tools, behind the same token."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from doors.mcp_clients import refusal, result
from readagent.testing.loopback import LoopbackServer
from sessions import TWO_STEPS
from web.fixtures import Serve
from web.running import STORY, TOKEN, Running, held

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


def client_of(server: Running, mode: str = "auto") -> AbstractAsyncContextManager[Client]:
    return client_at(server.client.address, mode)


@asynccontextmanager
async def client_at(address: str, mode: str = "auto") -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {TOKEN}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(f"{address}mcp", http_client=http), mode=mode) as client,
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


async def test_a_text_is_read_and_asked_about(serve: Serve) -> None:
    running = serve()
    async with client_of(running, "auto") as client:
        read = await result(client, "read_document", text=STORY, title="The Salt Barge")
        answer = await result(client, "ask", document=read["document"], question="What was in the biscuit tin?")
        assert answer["quotes"]
        assert "this server reads no files" in await refusal(client, "read_document", path="/etc/passwd")
    shown = running.client.get(f"/api/documents/{read['document']}")
    assert shown["title"] == "The Salt Barge"


async def begun(client: Client, running: Running, model: LoopbackServer) -> tuple[asyncio.Task[Any], dict[str, Any]]:
    """Begin to read the story, whose gists the model holds back; return the call and its job."""
    reading = asyncio.create_task(client.call_tool("read_document", {"text": STORY, "title": "The Salt Barge"}))

    def held_back(jobs: list[dict[str, Any]]) -> bool:
        return bool(jobs) and any("shorten" in request.prompt for request in model.requests)

    jobs = await asyncio.to_thread(running.client.until, "/api/jobs", held_back)
    return reading, jobs[0]


async def test_a_reading_that_is_cancelled_goes_on(serve: Serve, model: LoopbackServer) -> None:
    running = serve(plan=TWO_STEPS)
    async with client_of(running) as client:
        with held(model, "shorten"):
            reading, job = await begun(client, running, model)
            reading.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reading
            await asyncio.to_thread(
                running.client.until, f"/api/jobs/{job['id']}", lambda found: found["state"] == "stopped"
            )
        (listed,) = (await result(client, "list_documents"))["documents"]
        assert listed["state"] == "reading"
        assert listed["pages"] > 0
        read = await result(client, "read_document", text=STORY, title="The Salt Barge")
    assert read["pages"] > 5
    prompts = [request.prompt for request in model.requests if request.finished]
    assert len(prompts) == len(set(prompts))


async def test_a_reading_is_a_job_of_the_page_and_known_afterwards(serve: Serve) -> None:
    running = serve(plan=TWO_STEPS)
    told = list[float]()

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append(done)

    async with client_of(running) as client:
        for _ in range(2):
            await client.call_tool("read_document", {"text": STORY, "title": "Barge"}, progress_callback=progress)
    (job,) = await asyncio.to_thread(running.client.get, "/api/jobs")
    assert (job["kind"], job["state"], job["subject"]) == ("read", "done", "Barge")
    assert job["calls"] > 5
    assert len(told) > 5
    assert told == sorted(set(told))
    assert told[-1] == 100


async def test_a_reading_survives_a_restart_of_the_server(serve: Serve, model: LoopbackServer) -> None:
    first = serve()
    with held(model, "shorten") as free:
        async with client_of(first) as client:
            reading, job = await begun(client, first, model)
            stopping = asyncio.create_task(asyncio.to_thread(serve))
            found = await reading
            assert found.is_error
            assert "goes on when the server is started again" in found.content[0].text
        free.set()
        second = await stopping
    ended = await asyncio.to_thread(second.client.ended, job)
    assert ended["state"] == "done"


@pytest.mark.parametrize(
    ("headers", "status"), [({}, 401), ({"authorization": f"Bearer {TOKEN}", "origin": "null"}, 403)]
)
async def test_the_guard_holds_for_agents_too(serve: Serve, headers: dict[str, str], status: int) -> None:
    assert posted(serve(), INITIALIZE, **headers).status_code == status
