"""A web server on loopback whose pages do what pages do: redirect, pack, promise too much, fall silent, end early."""

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
    """What the server answers: a status, headers and bytes; ``silent`` ones then say nothing more."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    silent: bool = False


def redirect(to: str, status: int = 302) -> Page:
    return Page(status=status, headers={"Location": to})


def packed(body: bytes, *, times: int = 1) -> Page:
    for _ in range(times):
        body = gzip.compress(body)
    return Page(body, headers={"Content-Encoding": ", ".join(["gzip"] * times)})


class Pages:
    """The pages by path, and what was asked for: path and headers of every request."""

    def __init__(self, address: str, pages: dict[str, Page]) -> None:
        self.address = address
        self.pages = pages
        self.asked: list[tuple[str, dict[str, str]]] = []

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])


@contextmanager
def served(*, secure: bool = False) -> Iterator[Pages]:
    """A server on loopback, to which pages can be added while it runs."""
    over = threading.Event()

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            shelf.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            page = shelf.pages.get(self.path, Page(status=404))
            self.send_response(page.status)
            for name, value in {"Content-Length": str(len(page.body)), **page.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(page.body)
            self.wfile.flush()
            if page.silent:
                over.wait(60)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            pass

    server = Quiet(("127.0.0.1", 0), Answer)
    if secure:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATES / "reading.test.pem")
        server.socket = context.wrap_socket(server.socket, server_side=True)
    shelf = Pages(f"{'https' if secure else 'http'}://127.0.0.1:{server.server_port}", {})
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield shelf
    finally:
        over.set()
        server.shutdown()
        thread.join()
        server.server_close()
