"""A loopback web server for tests: pages can redirect, compress, announce a wrong length, stall or end early."""

from __future__ import annotations

import gzip
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

CERTIFICATES = Path(__file__).parent / "certificates"


@dataclass(frozen=True)
class Page:
    """A response: status, headers and body; a ``stalls`` page keeps the connection open without sending more."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    stalls: bool = False


def redirect(to: str, status: int = 302) -> Page:
    return Page(status=status, headers={"Location": to})


def compressed(body: bytes, *, times: int = 1) -> Page:
    for _ in range(times):
        body = gzip.compress(body)
    return Page(body, headers={"Content-Encoding": ", ".join(["gzip"] * times)})


class WebServer:
    """The pages by path, and the path and headers of every request."""

    def __init__(self, address: str, pages: dict[str, Page]) -> None:
        self.address = address
        self.pages = pages
        self.requests: list[tuple[str, dict[str, str]]] = []

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])


@contextmanager
def web_server(*, secure: bool = False) -> Iterator[WebServer]:
    """Run a server on loopback; pages can be added while it runs."""
    done = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            page = site.pages.get(self.path, Page(status=404))
            self.send_response(page.status)
            for name, value in {"Content-Length": str(len(page.body)), **page.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(page.body)
            self.wfile.flush()
            if page.stalls:
                done.wait(60)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            pass

    server = Quiet(("127.0.0.1", 0), Handler)
    if secure:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATES / "reading.test.pem")
        server.socket = context.wrap_socket(server.socket, server_side=True)
    site = WebServer(f"{'https' if secure else 'http'}://127.0.0.1:{server.server_port}", {})
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        done.set()
        server.shutdown()
        thread.join()
        server.server_close()
