"""A model hub or package index on loopback: files by path, byte ranges, redirects, and connections that are cut."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Hub:
    """``breaks`` has the bytes after which the next responses are cut, ``statuses`` the status of the next responses."""

    files: dict[str, bytes] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    breaks: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    ranges: list[str | None] = field(default_factory=list)
    takes_ranges: bool = True
    url: str = ""


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hub.ranges.append(self.headers.get("Range"))
            if self.path in hub.redirects:
                self._start(302, {"Location": hub.redirects[self.path], "Content-Length": "0"})
            elif hub.statuses:
                self._start(hub.statuses.pop(0), {"Content-Length": "0"})
            else:
                self._send(hub.files[self.path])

        def _kind(self) -> dict[str, str]:
            return {"Content-Type": "text/html"} if self.path.endswith("/") else {}

        def _send(self, data: bytes) -> None:
            wanted = self.headers.get("Range")
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and hub.takes_ranges else 0
            if start and start >= len(data):
                self._start(416, {"Content-Length": "0"})
                return
            self._start(206 if start else 200, {"Content-Length": str(len(data) - start), **self._kind()})
            end = start + hub.breaks.pop(0) if hub.breaks else len(data)
            self.wfile.write(data[start:end])

        def _start(self, status: int, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    hub.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
