"""`readagent mcp` as clients start it: over standard input and output, with two clients and two protocol versions."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp_types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

from doors.mcp_clients import STORY, RawClient, raw, read_on, refusal, result, shortened, started
from readagent.cli import run
from readagent.testing.loopback import LoopbackServer
from web.running import held

pytestmark = pytest.mark.slow
ALLOW = ("--allow", STORY.parent)


@pytest.mark.anyio
@pytest.mark.parametrize(("mode", "version"), [("auto", LATEST_MODERN_VERSION), ("legacy", LATEST_HANDSHAKE_VERSION)])
async def test_the_client_of_the_sdk_reads_and_asks(model: LoopbackServer, mode: str, version: str) -> None:
    async with started(*ALLOW, "--model", "skimmer", "--base-url", model.base_url, mode=mode) as client:
        assert client.protocol_version == version
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


def test_another_client_of_an_earlier_version_reads_and_asks(model: LoopbackServer) -> None:
    with raw(*ALLOW, "--model", "skimmer", "--base-url", model.base_url) as client:
        assert client.server["protocolVersion"] == RawClient.version
        assert client.server["serverInfo"]["name"] == "readagent"
        params = {"name": "read_document", "arguments": {"path": "story.txt"}, "_meta": {"progressToken": "t"}}
        read = client.request("tools/call", params)
        assert read["structuredContent"]["pages"] > 5
        told = [one["params"]["progress"] for one in client.notifications if one["method"] == "notifications/progress"]
        assert told == sorted(set(told))
        assert told
        document = read["structuredContent"]["document"]
        answer = client.call("ask", document=document, question="What was in the biscuit tin?")
        assert answer["structuredContent"]["quotes"]
        wrong = client.call("open_pages", document=document, pages=[0])
        assert wrong["isError"]
        assert wrong["content"][0]["text"].startswith("pages are numbered from 1 to")
        absent = client.call("no_such_tool")
        assert "no_such_tool" in str(absent.get("error") or (absent["isError"] and absent["content"]))


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


def test_pages_that_a_client_has_kept_outlive_a_killed_server() -> None:
    with raw(*ALLOW, "--no-model", killed=True) as client:
        document = client.call("add_document", path="story.txt")["structuredContent"]["document"]
        passage = client.call("next_passage", document=document)["structuredContent"]["next"]
        page = {"document": document, "page": 1, "pause": 1, "gist": shortened(passage, 1)}
        before = client.call("keep_page", **page)["structuredContent"]
    with raw(*ALLOW, "--no-model") as client:
        assert client.call("next_passage", document=document)["structuredContent"] == before


def test_private_addresses_can_be_allowed(model: LoopbackServer) -> None:
    url = f"{model.base_url}/models"
    with raw("--no-model") as client:
        told = client.call("add_document", url=url)["content"][0]["text"]
        assert "private address" in told
        assert "--allow-private" in told
    with raw("--no-model", "--allow-private") as client:
        assert "private address" not in client.call("add_document", url=url)["content"][0]["text"]


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
    monkeypatch.setattr("readagent.cli.commands.mcp.find_spec", lambda name: None)
    assert run(["mcp"]) != 0
    assert "[mcp]" in capsys.readouterr().err


def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mcp", "--allow", str(tmp_path / "absent")]) != 0
    assert "absent" in capsys.readouterr().err


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
