"""A host of data sets on loopback: files by path, byte ranges, and connections that are cut."""

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
    breaks: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    ranges: list[str | None] = field(default_factory=list)
    url: str = ""


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            hub.ranges.append(wanted)
            if hub.statuses:
                self._start(hub.statuses.pop(0), 0)
                return
            data = hub.files[self.path]
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
            self._start(206 if start else 200, len(data) - start)
            self.wfile.write(data[start : start + hub.breaks.pop(0) if hub.breaks else len(data)])

        def _start(self, status: int, length: int) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(length))
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        hub.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield hub
        finally:
            server.shutdown()
            thread.join()
