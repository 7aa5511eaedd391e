"""`readagent mcp` as clients start it, and what docs/mcp.md says of it."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from mcp import Client
from mcp_types.version import LATEST_MODERN_VERSION

from docs.pages import ROOT, blocks
from doors.mcp_clients import STORY, raw, read_on, refusal, result, started
from readagent import AsyncReadAgent, Library
from readagent.cli import run
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.mcp.context import AgentContext, ClientContext, Sources
from readagent.mcp.server import server_for, server_for_readers
from readagent.testing import Skimmer
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


PATH = ROOT / "docs" / "mcp.md"
PAGE = PATH.read_text("utf-8")


@pytest.mark.anyio
async def test_the_tools_resources_and_prompts_are_those_of_the_page(own_home: Path) -> None:
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| .* \| (.*?) ?\|$", PAGE, re.MULTILINE)
    named = {tool: needs for tools, needs in rows for tool in re.findall(r"\w+", tools)}
    with Library(own_home / "library.db") as library:
        async with AsyncReadAgent(Skimmer(), library=library) as agent:
            with_model, without = (
                server_for(AgentContext(agent, Sources())),
                server_for_readers(ClientContext(library, Sources(), Plan(), Prompts.load())),
            )
            async with Client(with_model) as one, Client(without) as other:
                tools = [{tool.name for tool in (await client.list_tools()).tools} for client in (one, other)]
                templates = {found.uri_template for found in (await one.list_resource_templates()).resource_templates}
                prompts = [{prompt.name for prompt in (await client.list_prompts()).prompts} for client in (one, other)]
                read = await other.get_prompt("read_into_library", {"document": "story.txt"})
    assert {tool for tool, needs in named.items() if needs in ("", "yes")} == tools[0]
    assert {tool for tool, needs in named.items() if needs in ("", "the client's")} == tools[1]
    assert {one.replace("{document}", "ID").replace("{page}", "N") for one in templates} == set(
        re.findall(r"`(readagent://documents/[^`]+)`", PAGE)
    )
    assert prompts == [{"answer_from"}, {"answer_from", "read_into_library"}]
    assert "story.txt" in str(read.messages[0].content)


def commands() -> list[list[str]]:
    """Return the commands that the page gives to clients, each with its arguments."""
    found = []
    for block in blocks(PATH, "json", "toml", "text"):
        if block.language == "text":
            found += [shlex.split(line.partition(" -- ")[2]) for line in block.text.splitlines() if " -- " in line]
            continue
        settings = json.loads(block.text) if block.language == "json" else tomllib.loads(block.text)
        (servers,) = settings.values()
        found += [[one["command"], *one["args"]] for one in servers.values()]
    return found


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_a_command_of_the_page_is_one_of_ours(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a folder that exists everything is right; with one that does not, that is all that is wrong."""
    program, *arguments = [str(tmp_path / "absent") if "/" in one or "$" in one else one for one in command]
    assert program == "readagent"
    assert run(arguments) != 0
    assert "absent" in capsys.readouterr().err


def test_a_server_without_a_model_is_not_given_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mcp", "--no-model", "--read-only"]) == 2
    assert "--no-model cannot be used with --read-only" in capsys.readouterr().err


@pytest.mark.slow
def test_a_server_that_logs_everything_writes_only_messages_to_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READAGENT_LOG", "debug")
    with raw("--no-model") as client:  # it checks every line
        document = client.call("add_document", text="The barge carried salt.")["structuredContent"]["document"]
        assert client.call("next_passage", document=document)["structuredContent"]["done"]
        assert client.call("memory", document="absent")["isError"]
