"""A server on loopback that sends given JSON replies, one after another, and records what it is sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any


class ToolServer:
    """``requests`` are the bodies of the requests so far, and ``url`` is the address of the server."""

    def __init__(self, replies: list[dict[str, Any]]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.url = ""
        self._replies = iter(replies)

    @contextmanager
    def running(self) -> Iterator[ToolServer]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                body = json.dumps(next(outer._replies)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *values: Any) -> None:  # noqa: A002
                """Print nothing."""

        with HTTPServer(("127.0.0.1", 0), Handler) as server:
            self.url = f"http://127.0.0.1:{server.server_port}"
            thread = threading.Thread(target=server.serve_forever, args=(0.01,))
            thread.start()
            try:
                yield self
            finally:
                server.shutdown()
                thread.join()


def chat_message(**message: Any) -> dict[str, Any]:
    """Return a reply of chat completions with this message."""
    finish = "tool_calls" if "tool_calls" in message else "stop"
    choice = {"index": 0, "message": {"role": "assistant", "content": None, **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}


def chat_call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return a reply of chat completions that calls a tool."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return chat_message(tool_calls=[{"id": "call_1", "type": "function", "function": function}])
