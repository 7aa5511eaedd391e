"""MCP clients: that of the SDK, and one that writes the messages of the protocol itself."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from examples.mcp_reader import divide
from mcp import Client, StdioServerParameters, stdio_client

from sessions import EXAMPLES

STORY = EXAMPLES / "story.txt"
RUN = [sys.executable, "-m", "readagent", "mcp"]


def started(*arguments: str | Path, mode: str = "auto") -> Client:
    """Return the SDK's client of a `readagent mcp` that it starts itself."""
    command, *rest = [*RUN, *map(str, arguments)]
    return Client(stdio_client(StdioServerParameters(command=command, args=rest, env=dict(os.environ))), mode=mode)


async def result(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return the structured result of a tool, which must not fail."""
    found = await client.call_tool(tool, arguments)
    assert not found.is_error, found.content
    assert found.structured_content is not None
    return found.structured_content


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    """Return the error of a tool, which must be one line and no traceback."""
    found = await client.call_tool(tool, arguments)
    assert found.is_error, found.structured_content
    (content,) = found.content
    text = getattr(content, "text", "")
    assert text
    assert "\n" not in text
    assert "Traceback" not in text
    return str(text)


async def read_on(client: Client, document: str, pages: int = 10_000, count: list[str] | None = None) -> dict[str, Any]:
    """Read so many pages of a document; return how far it is read. ``count`` gets what was sent and what came back.

    Where a page cannot end as wanted, it ends at the last label that the refusal names, and those after it there on.
    """
    state, count = await result(client, "next_passage", document=document), count if count is not None else []
    count += ["", json.dumps(state)]
    while (passage := state["next"]) is not None and state["pages_kept"] < pages:
        wanted = divide(passage, state["words"])[: pages - state["pages_kept"]]
        while (found := await client.call_tool("keep_pages", {"document": document, "pages": wanted})).is_error:
            told = getattr(found.content[0], "text", "")
            count += [json.dumps(wanted), told]
            kept = int(told.split()[0]) if " kept, but not the one" in told else 0
            begins, _, *allowed = map(int, re.findall(r"<(\d+)>", told.partition(": page")[2] or told))
            shorter = " ".join(wanted[kept]["gist"].split()[: max(25, (allowed[-1] - begins) * 14 // 100)])
            rest = passage["text"].partition(f"\n<{allowed[-1]}>\n")[2]
            again = divide({**passage, "begins": allowed[-1], "text": rest}, state["words"])
            wanted = [{"pause": allowed[-1], "gist": shorter}, *again][: len(wanted) - kept]
        assert found.structured_content is not None
        state = found.structured_content
        count += [json.dumps(wanted), getattr(found.content[0], "text", "")]
    return state


class RawClient:
    """Writes and reads JSON-RPC lines itself, as a client in another language does. Its version is an earlier one."""

    version = "2025-06-18"

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process, self._number = process, 0
        self.notifications: list[dict[str, Any]] = []
        self.server = self.request(
            "initialize",
            {"protocolVersion": self.version, "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
        )
        self.send({"method": "notifications/initialized"})

    def send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()

    def begin(self, method: str, params: dict[str, Any]) -> int:
        self._number += 1
        self.send({"id": self._number, "method": method, "params": params})
        return self._number

    def received(self) -> dict[str, Any]:
        """Return the next line of standard output, which must be a message of the protocol."""
        assert self._process.stdout is not None
        message = json.loads(self._process.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        return dict(message)

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        number = self.begin(method, params)
        while (message := self.received()).get("id") != number:
            self.notifications.append(message)
        return dict(message.get("result") or message)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.request("tools/call", {"name": tool, "arguments": arguments})


@contextmanager
def raw(*arguments: str | Path, killed: bool = False) -> Iterator[RawClient]:
    """Start `readagent mcp`, and end it as clients do: by closing its standard input. Or it is ``killed``."""
    with subprocess.Popen(
        [*RUN, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    ) as process:
        yield RawClient(process)
        if killed:
            process.kill()
            return
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(30) == 0
