"""A proxy on loopback in front of a site, which keeps every resource back for a while."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from random import Random
from urllib.parse import urlsplit

from browse.live.serving import Quiet, serving

_OF_CONNECTION = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length", "server", "date"})


def delay_of(path: str, seed: int, most: float) -> float:
    """Return the seconds that a resource is kept back for, from 0 to ``most``: the same for the same seed."""
    return Random(f"{seed} {path}").uniform(0, most)


@contextmanager
def slowed(address: str, seed: int, most: float) -> Iterator[str]:
    """Yield the address of a proxy in front of the site at ``address``."""
    upstream = urlsplit(address).netloc
    closing = threading.Event()

    class Handler(Quiet):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            closing.wait(delay_of(self.path, seed, most))
            connection = HTTPConnection(upstream, timeout=60)
            with suppress(ConnectionError):  # the browser may have left meanwhile
                connection.request(self.command, self.path, body, dict(self.headers))
                reply = connection.getresponse()
                data = reply.read()
                self.send_response(reply.status, reply.reason)
                for name, value in reply.getheaders():
                    if name.lower() not in _OF_CONNECTION:
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            connection.close()

        do_GET = do_POST = do_HEAD = do_PUT = do_DELETE = answer  # noqa: N815

    with serving(Handler) as port:
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            closing.set()
