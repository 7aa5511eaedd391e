"""`readagent mcp` as clients start it: over standard input and output, with two clients and two protocol versions."""

from __future__ import annotations

import pytest
from mcp_types.version import LATEST_MODERN_VERSION

from doors.mcp_clients import STORY, raw, read_on, refusal, result, started
from readagent.cli import run
from readagent.testing.loopback import LoopbackServer
from web.running import held

pytestmark = pytest.mark.slow
ALLOW = ("--allow", STORY.parent)


@pytest.mark.anyio
async def test_the_client_of_the_sdk_reads_and_asks(model: LoopbackServer) -> None:
    async with started(*ALLOW, "--model", "skimmer", "--base-url", model.base_url, mode="auto") as client:
        assert client.protocol_version == LATEST_MODERN_VERSION
        read = await result(client, "read_document", path="story.txt")
        answer = await result(client, "ask", document=read["document"], question="What was in the biscuit tin?")
    assert answer["quotes"]


@pytest.mark.anyio
async def test_a_reading_by_the_client_goes_on_in_a_new_process_and_the_commands_know_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with started(*ALLOW, "--no-model") as client:
        document = (await result(client, "add_document", path="story.txt"))["document"]
        await read_on(client, document, pages=2)
    async with started(*ALLOW, "--no-model") as client:
        state = await result(client, "next_passage", document=document)
        assert state["pages_kept"] == 2
        state = await read_on(client, document)
    assert state["done"]
    assert run(["show", document]) == 0
    assert f"{state['pages_kept']} pages" in capsys.readouterr().out


def test_a_server_that_is_killed_loses_no_page(model: LoopbackServer) -> None:
    served = (*ALLOW, "--model", "skimmer", "--base-url", model.base_url)
    params = {"name": "read_document", "arguments": {"path": "story.txt"}, "_meta": {"progressToken": "t"}}
    with held(model, "shorten"), raw(*served, killed=True) as client:
        client.begin("tools/call", params)
        while client.received().get("method") != "notifications/progress":
            pass
    with raw(*served) as client:
        assert client.call("list_documents")["structuredContent"]["documents"][0]["state"] == "reading"
        assert client.request("tools/call", params)["structuredContent"]["pages"] > 5
    prompts = [request.prompt for request in model.requests]
    assert prompts.count(prompts[0]) == 1  # where the first page ends was known


def test_lines_that_are_no_messages_do_not_end_the_server() -> None:
    with raw("--no-model") as client:
        assert client._process.stdin is not None
        client._process.stdin.write("this is not JSON\n")
        client.send({"id": "x", "method": "no/such/method", "params": {}})
        while (answer := client.received()).get("id") != "x":
            pass
        assert "error" in answer
        assert client.call("list_documents")["structuredContent"]["documents"] == []


def test_without_the_package_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("readagent.cli.serving.find_spec", lambda name: None)
    assert run(["mcp"]) != 0
    assert "[mcp]" in capsys.readouterr().err


@pytest.mark.anyio
async def test_a_model_that_cannot_be_reached_is_told_and_the_next_call_goes_on(model: LoopbackServer) -> None:
    async with started(
        *ALLOW, "--model", "skimmer", "--base-url", "http://127.0.0.1:9/v1", "--patience", "0"
    ) as client:
        assert "could not connect" in await refusal(client, "read_document", path="story.txt")
        (listed,) = (await result(client, "list_documents"))["documents"]
        assert (listed["state"], listed["problem"]) == ("failed", "could not connect to http://127.0.0.1:9/v1")
        said = await refusal(client, "ask", document=listed["document"], question="Who?")
        assert "could not connect" in said
        assert "call read_document again" in said
    async with started(*ALLOW, "--model", "skimmer", "--base-url", model.base_url) as client:
        read = await result(client, "read_document", path="story.txt")
        (listed,) = (await result(client, "list_documents"))["documents"]
    assert (listed["document"], listed["state"], listed["problem"]) == (read["document"], "done", "")
