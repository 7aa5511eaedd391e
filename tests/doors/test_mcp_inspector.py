"""The MCP inspector, if it is installed (`npm install --global @modelcontextprotocol/inspector`): a client with checks."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from typing import Any

import pytest

from doors.mcp_clients import RUN, STORY
from web.fixtures import Serve
from web.running import TOKEN

INSPECTOR = shutil.which("mcp-inspector")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(INSPECTOR is None, reason="the MCP inspector is not installed")]


@cache
def patience() -> tuple[str, ...]:
    """Newer inspectors wait 15 seconds for a server to start, unless they are told to wait longer."""
    told = subprocess.run([str(INSPECTOR), "--cli", "--help"], capture_output=True, text=True, check=False)
    return ("--connect-timeout", "90000") if "--connect-timeout" in told.stdout else ()


def inspected(server: list[str], *how: str) -> dict[str, Any]:
    """Return what the inspector got from a server; it exits with an error if a response is not as the protocol says."""
    done = subprocess.run(
        [str(INSPECTOR), "--cli", *server, *how, *patience()], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_over_standard_input_and_output(own_home: object) -> None:
    server = [*RUN, "--no-model", "--allow", str(STORY.parent)]
    tools = {tool["name"]: tool for tool in inspected(server, "--method", "tools/list")["tools"]}
    assert tools["keep_page"]["outputSchema"]["type"] == "object"
    call = ("--method", "tools/call", "--tool-name")
    added = inspected(server, *call, "add_document", "--tool-arg", "path=story.txt")["structuredContent"]
    passage = inspected(server, *call, "next_passage", "--tool-arg", f"document={added['document']}")
    assert passage["structuredContent"]["next"]["places"]
    assert inspected(server, "--method", "resources/templates/list")["resourceTemplates"]
    documents = inspected(server, "--method", "resources/read", "--uri", "readagent://documents")
    assert added["document"] in documents["contents"][0]["text"]
    assert {one["name"] for one in inspected(server, "--method", "prompts/list")["prompts"]} == {
        "answer_from",
        "read_into_library",
    }


def test_over_http(serve: Serve) -> None:
    running = serve()
    document = running.client.story()
    server = [f"{running.client.address}mcp", "--transport", "http", "--header", f"Authorization: Bearer {TOKEN}"]
    listed = inspected(server, "--method", "tools/call", "--tool-name", "list_documents")
    assert listed["structuredContent"]["documents"][0]["document"] == document
