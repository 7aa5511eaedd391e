"""docs/mcp.md names the tools, options, resources and settings that there are."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from mcp import Client

from docs.pages import ROOT, blocks
from doors.mcp_clients import raw
from readagent import AsyncReadAgent, Library
from readagent.cli import run
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.mcp.context import AgentContext, ClientContext, Sources
from readagent.mcp.server import server_for, server_for_readers
from readagent.testing import Skimmer

pytestmark = pytest.mark.slow

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
