"""Encrypted sites: the browser keeps their connections open, and nothing may leave through them unasked, not even at the end."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import psutil
import pytest

from browse.live.conftest import QUICK
from readagent_browse.live import browser as starting
from readagent_browse.live.browser import launch
from readagent_browse.live.browser_tab import open_tab
from readagent_browse.live.consent import Consent
from readagent_browse.live.network_guard import NetworkGuard
from readagent_browse.live.visit import refuse
from sessions import EXAMPLES

pytestmark = [pytest.mark.anyio, pytest.mark.browser]
CERTIFICATE = EXAMPLES.parent / "tests" / "loaders" / "certificates" / "reading.test.pem"
PAGE = b"""<title>Start</title><p>A page that reports what it can.</p><script>
addEventListener('pagehide', () => {
  navigator.sendBeacon('/beacon', 'bye');
  fetch('/kept', {method: 'POST', keepalive: true, body: 'bye'});
});
fetch('/posted', {method: 'POST', body: 'x'}).catch(() => { document.title = 'Refused'; });
setInterval(() => fetch('/again' + Math.random(), {method: 'POST', body: 'x'}).catch(() => {}), 20);
</script>"""


class Arrivals:
    """The address of a server, and what arrived there by other methods than GET."""

    def __init__(self) -> None:
        self.url = ""
        self.sent: list[str] = []
        self.one = threading.Event()


@contextmanager
def encrypted_site() -> Iterator[Arrivals]:
    """Serve a page whose policy forbids its own scripts, and asks for a report of each."""
    here = Arrivals()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # keeps the connection open

        def do_GET(self) -> None:
            page = PAGE if self.path == "/" else b""
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(page)))
            self.send_header("Reporting-Endpoints", f'here="{here.url}/report"')
            self.send_header("Content-Security-Policy-Report-Only", "script-src 'none'; report-to here")
            self.end_headers()
            self.wfile.write(page)

        def do_POST(self) -> None:
            here.sent.append(self.path)
            here.one.set()
            self.rfile.read(int(self.headers["Content-Length"] or 0))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    here.url = f"https://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield here
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def trusting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser takes the certificate of the tests, and sends reports without delay."""
    flags = (*starting._FLAGS, "--ignore-certificate-errors", "--short-reporting-delay")
    monkeypatch.setattr(starting, "_FLAGS", flags)


@pytest.mark.slow
@pytest.mark.usefixtures("trusting")
async def test_nothing_is_sent_by_reports_or_when_the_page_is_closed() -> None:
    with encrypted_site() as here:
        async with launch() as browser:
            async with open_tab(browser, NetworkGuard(here.url), QUICK, Consent(refuse)) as tab:
                await tab.open(here.url)
                assert await tab.evaluate("document.title") == "Refused"
                assert not await asyncio.to_thread(here.one.wait, 3)  # for reports
            assert not await asyncio.to_thread(here.one.wait, 1)  # for what the page held back until it was closed
        assert here.sent == []


async def test_what_playwright_disables_stays_disabled(browser: Any) -> None:
    lines = [
        process.cmdline() for process in psutil.Process().children(recursive=True) if "chrom" in process.name().lower()
    ]
    line = next(line for line in lines if not any(part.startswith("--type=") for part in line))
    flags = [part.partition("=")[2].split(",") for part in line if part.startswith("--disable-features=")]
    assert len(flags) > 1
    assert set().union(*flags) == set(flags[-1])  # the browser heeds the last one


@pytest.mark.usefixtures("trusting")
async def test_a_page_opens_no_unencrypted_socket_to_an_encrypted_host() -> None:
    asked: list[str] = []
    open_socket = """scheme => new Promise(done => { const socket = new WebSocket(`${scheme}://${location.host}/`);
    socket.onopen = () => done('open'); socket.onerror = () => done('refused') })"""
    with encrypted_site() as here:
        async with launch() as browser:
            consent = Consent(lambda said: bool(asked.append(said)) or "WebSocket" not in said)
            async with open_tab(browser, NetworkGuard(here.url), QUICK, consent) as tab:
                await tab.open(here.url)
                for scheme in ("ws", "wss"):
                    assert await tab.page.evaluate(open_socket, scheme) == "refused"
    sockets = [said.partition(",")[0] for said in asked if "WebSocket" in said]
    assert sockets == [f"open a WebSocket to {here.url.replace('https', 'wss')}"]
