"""A small web site on loopback that serves the pages of a test and records the requests."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from browse.live.serving import Quiet, serving


@dataclass(slots=True)
class Site:
    """Pages by path: HTML, or a redirect (``-> /other``). ``asked`` records GET requests, ``sent`` posted forms.

    ``delays`` are the seconds after which the server answers, by path.
    """

    pages: dict[str, str] = field(default_factory=dict)
    delays: dict[str, float] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    port: int = 0
    closing: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def elsewhere(self) -> str:
        """The same site under another host name."""
        return f"http://localhost:{self.port}"

    def hosts(self) -> set[str]:
        """Return the hosts that requests were addressed to."""
        return {line.partition("/")[0].partition(":")[0] for line in self.asked}


_TYPES = {"js": "text/javascript", "css": "text/css", "json": "application/json"}


@contextmanager
def site(pages: Mapping[str, str], delays: Mapping[str, float] | None = None) -> Iterator[Site]:
    """Serve these pages; ``/stalls`` does not answer until the end."""
    here = Site(dict(pages), dict(delays or {}))

    class Handler(Quiet):
        def do_GET(self) -> None:  # noqa: N802
            here.asked.append(f"{self.headers['Host']}{self.path}")
            path = self.path.partition("?")[0]
            if path == "/stalls":
                here.closing.wait()
            here.closing.wait(here.delays.get(path, 0))
            page = here.pages.get(path)
            if page is not None and page.startswith("-> "):
                self.answer(302, "", Location=page.removeprefix("-> ").replace("PORT", str(here.port)))
            elif path == "/file.zip":
                self.answer(200, "data", **{"Content-Disposition": "attachment; filename=file.zip"})
            else:
                self.answer(200 if page is not None else 404, (page or "").replace("PORT", str(here.port)))

        def do_POST(self) -> None:  # noqa: N802
            body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
            here.sent.append(f"{self.path} {body}")
            self.answer(200, f"<h1>Thank you</h1><p>We got {body}</p><a href=/>Home</a>")

        def answer(self, status: int, body: str, **headers: str) -> None:
            data = body.encode()
            self.send_response(status)
            for name, value in {
                "Content-Type": f"{_TYPES.get(self.path.rpartition('.')[2], 'text/html')}; charset=utf-8",
                "Content-Length": str(len(data)),
                **headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(ConnectionError):  # the browser may have left meanwhile
                self.wfile.write(data)

    with serving(Handler) as here.port:
        try:
            yield here
        finally:
            here.closing.set()
