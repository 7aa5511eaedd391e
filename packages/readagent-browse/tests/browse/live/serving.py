"""Serve on loopback what a handler answers, until the block ends."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Quiet(BaseHTTPRequestHandler):
    """Logs nothing."""

    def log_message(self, *said: Any) -> None:
        return


@contextmanager
def serving(handler: type[Quiet], address: str = "127.0.0.1", certificate: Path | None = None) -> Iterator[int]:
    """Yield the port of a server; with a certificate, it is encrypted."""
    server = ThreadingHTTPServer((address, 0), handler)
    server.daemon_threads = True
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
