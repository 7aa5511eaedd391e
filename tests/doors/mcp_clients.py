"""MCP clients: that of the SDK, and one that writes the messages of the protocol itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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


def shortened(passage: dict[str, Any], pause: int) -> str:
    """Return a gist of the text up to a label: its first words, as many as are asked for."""
    text = passage["text"].partition(f"\n<{pause}>")[0]
    words = [word for word in text.split() if not word.startswith("<")]
    return " ".join(words[: passage["places"][pause - 1]["gist_words"]])


async def read_on(client: Client, document: str, pages: int = 10_000) -> dict[str, Any]:
    """Read so many pages of a document, always up to the last label; return how far it is read."""
    state = await result(client, "next_passage", document=document)
    for _ in range(pages):
        passage = state["next"]
        if passage is None:
            break
        pause = len(passage["places"])
        state = await result(
            client, "keep_page", document=document, page=passage["page"], pause=pause, gist=shortened(passage, pause)
        )
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
