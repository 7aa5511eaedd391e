"""`readagent mcp` as clients start it, and what docs/mcp.md says of it."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile
from base64 import b64decode
from importlib.metadata import version
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from mcp import Client
from mcp_types.version import LATEST_MODERN_VERSION

from docs.pages import ROOT, blocks
from doors.mcp_clients import STORY, raw, read_on, refusal, result, started
from mcp_bundle import bundle
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
    for block in blocks(PATH, "json", "text"):
        if block.language == "text":
            found += [shlex.split(line.partition(" -- ")[2]) for line in block.text.splitlines() if " -- " in line]
            continue
        (servers,) = json.loads(block.text).values()
        found += [[one["command"], *one["args"]] for one in servers.values()]
    vscode, cursor = (
        parse_qs(urlsplit(link).query)["config"][0] for link in re.findall(r"\((https://\S+config=\S+)\)", PAGE)
    )
    assert json.loads(vscode) == json.loads(b64decode(cursor))
    return [*found, [json.loads(vscode)["command"], *json.loads(vscode)["args"]]]


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_a_command_of_the_page_is_one_of_ours(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a folder that exists everything is right; with one that does not, that is all that is wrong."""
    uvx, option, package, program, *given = command
    assert (uvx, option, package.endswith("readagent[mcp]") or package == "${PWD}[mcp]") == ("uvx", "--from", True)
    assert program == "readagent"
    arguments = [str(tmp_path / "absent") if "/" in one or "$" in one else one for one in given]
    assert run([*arguments, *(["--allow", str(tmp_path / "absent")] if "--allow" not in arguments else [])]) != 0
    assert "absent" in capsys.readouterr().err


def test_the_registry_and_the_bundle_start_this_version(tmp_path: Path) -> None:
    listed = json.loads((ROOT / "server.json").read_text("utf-8"))
    (package,) = listed["packages"]
    assert listed["version"] == package["version"] == version("readagent")
    assert f"<!-- mcp-name: {listed['name']} -->" in (ROOT / "README.md").read_text("utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert [one["value"] for one in package["runtimeArguments"]] == extras["mcp"]
    path = bundle(tmp_path)
    with zipfile.ZipFile(path) as archive:
        started = json.loads(archive.read("manifest.json"))["server"]
        assert {started["entry_point"], "pyproject.toml", "README.md"} <= {*archive.namelist()}
    program = started["mcp_config"]["args"]
    assert program[program.index("readagent") :][:3] == ["readagent", "mcp", "--no-model"]


def test_initialize_is_answered_as_the_sdk_does_and_before_it_is_imported() -> None:
    with raw("--no-model") as client:
        early = client.server
        (answer,) = [one for one in [client.request("tools/list", {})] if "tools" in one]
    with Library.in_memory() as library:
        server = server_for_readers(ClientContext(library, Sources(), Plan(), Prompts.load()))
        options = server._lowlevel_server.create_initialization_options()
    assert {**early["capabilities"], "extensions": {}} == options.capabilities.model_dump(
        mode="json", exclude_none=True, by_alias=True
    )
    assert early["instructions"] == options.instructions
    assert early["serverInfo"] == {
        "name": options.server_name,
        "title": options.title,
        "version": options.server_version,
    }
    tools = answer["tools"]
    schemas = sum(len(json.dumps(one.pop("outputSchema"))) for one in tools)
    assert schemas < len(json.dumps(tools))
    assert not any("  " in one["description"] for one in tools)
    loaded = (
        "import sys; from readagent.cli.commands import mcp; from readagent.mcp import opening; print(*sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert not {"mcp", "pydantic", "readagent.agent", "readagent.library"} & {*ran.stdout.split()}


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
