"""A server on any loopback address that records every request of any method, with its body."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from browse.live.serving import Quiet, serving


@dataclass(slots=True)
class Recorder:
    """Pages by path: HTML, or a redirect that keeps the method (``-> http://...``). ``got`` is what arrived."""

    pages: dict[str, str]
    url: str = ""
    host: str = ""
    got: list[str] = field(default_factory=list)
    arrived: threading.Event = field(default_factory=threading.Event)

    def sent(self) -> list[str]:
        """Return what arrived by other methods than GET, or as a WebSocket."""
        return [line for line in self.got if not line.startswith("GET ")]


@contextmanager
def recorder(pages: Mapping[str, str] | None = None, address: str = "127.0.0.1") -> Iterator[Recorder]:
    """Serve pages and record what arrives; files ending in .js are scripts."""
    here = Recorder(dict(pages or {}))

    class Handler(Quiet):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode("utf-8", "replace")
            method = "SOCKET" if self.headers["Upgrade"] else self.command
            here.got.append(f"{method} {self.path} {body}".strip())
            here.arrived.set()
            path = self.path.partition("?")[0]
            page = here.pages.get(path)
            if page is not None and page.startswith("-> "):
                self.send_response(307)
                self.send_header("Location", page.removeprefix("-> "))
                page = ""
            else:
                self.send_response(404 if page is None else 200)
            data = (page or "").encode()
            self.send_header("Content-Type", "text/javascript" if path.endswith(".js") else "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            if path.endswith(".zip"):
                self.send_header("Content-Disposition", "attachment")
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()
            with suppress(ConnectionError):
                self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_HEAD = answer  # noqa: N815

    with serving(Handler, address) as port:
        here.host = f"{address}:{port}"
        here.url = f"http://{here.host}"
        yield here
