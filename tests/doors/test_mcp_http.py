"""MCP over HTTP, at /mcp of `readagent serve`: the same tools, behind the same token."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from cli.console import running as running_command
from doors.mcp_clients import refusal, result
from readagent.testing.loopback import LoopbackServer
from sessions import EXAMPLES, TWO_STEPS
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


async def test_two_clients_that_read_the_same_text_share_one_job(serve: Serve, model: LoopbackServer) -> None:
    running = serve()
    async with client_of(running) as one, client_of(running) as other:
        with held(model, "shorten"):
            first, job = await begun(one, running, model)
            second, _ = await begun(other, running, model)
            feed = running.service.jobs.find(job["id"]).feed
            await asyncio.to_thread(running.client.until, "/healthz", lambda _: feed.listeners == 2)
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            await asyncio.to_thread(running.client.until, "/healthz", lambda _: feed.listeners == 1)
        assert not (await second).is_error
    (job,) = await asyncio.to_thread(running.client.get, "/api/jobs")
    assert job["state"] == "done"


async def test_an_agent_is_told_that_its_reading_was_paused_on_the_page(serve: Serve, model: LoopbackServer) -> None:
    running = serve()
    async with client_of(running) as client:
        with held(model, "shorten"):
            reading, job = await begun(client, running, model)
            await asyncio.to_thread(running.client.post, f"/api/jobs/{job['id']}/pause")
            assert "the reading was paused" in (await reading).content[0].text
        told = await refusal(client, "read_document", text=STORY, title="The Salt Barge")
        assert "is paused; hint: resume it on the page" in told
        await asyncio.to_thread(running.client.post, f"/api/jobs/{job['id']}/resume")
        read = await result(client, "read_document", text=STORY, title="The Salt Barge")
    assert read["pages"] > 5


async def test_a_reading_that_fails_says_why(serve: Serve, model: LoopbackServer) -> None:
    running = serve()
    model.faults.plan(*["wrong key"] * 50)
    async with client_of(running) as client:
        told = await refusal(client, "read_document", text=STORY, title="The Salt Barge")
    assert "key" in told


async def test_files_in_the_allowed_folders_are_read(serve: Serve) -> None:
    running = serve(folders=(EXAMPLES,))
    async with client_of(running) as client:
        read = await result(client, "read_document", path="story.txt")
        assert read["title"] == "The Second Two Hundred"
        for path in ("../README.md", "/etc/passwd"):
            assert "no such file in the allowed folders" in await refusal(client, "read_document", path=path)


async def test_folders_are_allowed_on_the_command_line(model: LoopbackServer, own_home: Path) -> None:
    options = ("--port", "0", "--token", TOKEN, "--model", "skimmer", "--base-url", model.base_url)
    with running_command("serve", *options, "--allow", str(EXAMPLES)) as child:
        assert child.stdout is not None
        address = re.search(r"http://\S+/", child.stdout.readline())
        assert address is not None
        async with client_at(address[0]) as client:
            assert (await result(client, "read_document", path="story.txt"))["pages"] > 5


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
        ({"authorization": f"Bearer {TOKEN}", "origin": "http://evil.example"}, 403),
        ({"authorization": f"Bearer {TOKEN}", "origin": "null"}, 403),
    ],
)
async def test_the_guard_holds_for_agents_too(serve: Serve, headers: dict[str, str], status: int) -> None:
    assert posted(serve(), INITIALIZE, **headers).status_code == status


async def test_a_client_may_send_the_origin_of_the_server_itself(serve: Serve) -> None:
    running = serve()
    origin = running.client.address.rstrip("/")
    assert posted(running, INITIALIZE, authorization=f"Bearer {TOKEN}", origin=origin).status_code == 200


async def test_a_read_only_server_only_shows(serve: Serve) -> None:
    running = serve()
    running.client.story()
    shows = serve(read_only=True)
    async with client_of(shows) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == {"list_documents", "search", "memory", "open_pages"}
        assert len((await result(client, "list_documents"))["documents"]) == 1
