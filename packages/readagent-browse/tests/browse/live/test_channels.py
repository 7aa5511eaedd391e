"""No way out: each channel by which a page can reach another machine is closed, and open where the user allowed it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from browse.live.conftest import QUICK
from browse.live.recorder import Recorder, recorder
from browse.live.serving import Quiet, serving
from readagent.models.hosts import live_requests
from readagent_browse.live import browser as starting
from readagent_browse.live.browser import launch
from readagent_browse.live.browser_tab import open_tab
from readagent_browse.live.consent import Consent
from readagent_browse.live.network_guard import NetworkGuard
from readagent_browse.live.visit import agree, refuse
from sessions import EXAMPLES

pytestmark = [pytest.mark.anyio, pytest.mark.browser]
SCRIPTS = {  # OTHER is the address of the other server, SOCKET that of its WebSockets
    "/fetch.js": "fetch('OTHER/x', {mode: 'no-cors', method: 'POST', body: 'w'})",
    "/get.js": "fetch('OTHER/x', {mode: 'no-cors'})",
    "/socket.js": "new WebSocket('SOCKET/x')",
    "/nested.js": "new Worker('/fetch.js')",
    "/hop": "-> OTHER/x",
    "/away": "<meta http-equiv=refresh content='0;url=OTHER/x'>",
    "/frame": "<a id=a href=OTHER/x>x</a><script>a.click()</script>",
}
CHANNELS = {
    "picture": "<img src=OTHER/x>",
    "script": "<script src=OTHER/x></script>",
    "style": "<style>@import 'OTHER/x';</style>",
    "prefetch": "<link rel=prefetch href=OTHER/x>",
    "fetch": "<script>fetch('OTHER/x', {mode: 'no-cors'})</script>",
    "posted by fetch": "<script>fetch('OTHER/x', {mode: 'no-cors', method: 'POST', body: 'b'})</script>",
    "posted with keepalive": "<script>fetch('OTHER/x', {mode: 'no-cors', method: 'POST', keepalive: true})</script>",
    "redirected fetch": "<script>fetch('/hop', {mode: 'no-cors', method: 'POST', body: 'b'})</script>",
    "event source": "<script>new EventSource('OTHER/x')</script>",
    "beacon": "<script>navigator.sendBeacon('OTHER/x', 'b')</script>",
    "ping": "<a id=a ping=OTHER/x href=#here>a</a><script>a.click()</script>",
    "frame": "<iframe src=OTHER/x></iframe>",
    "redirected frame": "<iframe src=/hop></iframe>",
    "refreshed frame": "<iframe src=/away></iframe>",
    "link in a frame": "<iframe src=/frame></iframe>",
    "link into a frame": "<iframe name=w></iframe><a id=a target=w href=OTHER/x>a</a><script>a.click()</script>",
    "form into a frame": "<iframe name=w></iframe><form id=f target=w action=OTHER/x></form><script>f.submit()</script>",
    "form posted into a frame": "<iframe name=w></iframe><form id=f target=w method=post action=OTHER/x></form>"
    "<script>f.submit()</script>",
    "form in a srcdoc": "<iframe srcdoc=\"<form id=f method=post action='OTHER/x'></form><script>f.submit()</script>\">"
    "</iframe>",
    "object": "<object data=OTHER/x></object>",
    "form": "<form id=f method=post action=OTHER/x></form><script>onload = () => setTimeout(() => f.submit())</script>",
    "socket": "<script>new WebSocket('SOCKET/x')</script>",
    "socket in a frame": "<iframe srcdoc=\"<script>new WebSocket('SOCKET/x')</script>\"></iframe>",
    "worker": "<script>new Worker('/get.js')</script>",
    "worker that posts": "<script>new Worker('/fetch.js')</script>",
    "worker of a worker": "<script>new Worker('/nested.js')</script>",
    "worker from a blob": "<script>new Worker(URL.createObjectURL(new Blob([\"fetch('OTHER/x', {mode: 'no-cors'})\"])))"
    "</script>",
    "socket of a worker": "<script>new Worker('/socket.js')</script>",
    "shared worker": "<script>new SharedWorker('/get.js')</script>",
    "shared worker that posts": "<script>new SharedWorker('/fetch.js')</script>",
    "socket of a shared worker": "<script>new SharedWorker('/socket.js')</script>",
}  # fmt: skip


class NotingGuard(NetworkGuard):
    """Notes that it has refused something."""

    def __init__(self, start: str) -> None:
        super().__init__(start)
        self.refused = asyncio.Event()

    async def refusal(self, url: str, *, navigates: bool) -> str:
        reason = await super().refusal(url, navigates=navigates)
        if reason:
            self.refused.set()
        return reason


def happened(event: asyncio.Event) -> Any:
    """Wait for an event, but not forever."""
    return asyncio.wait_for(event.wait(), 20)


def serve(page: str, other: Recorder, here: Recorder) -> None:
    """Let ``here`` serve a page that tries to reach ``other``."""
    for path, text in {**SCRIPTS, "/": f"<title>Way out</title>{page}"}.items():
        here.pages[path] = text.replace("OTHER", other.url).replace("SOCKET", f"ws://{other.host}")


KINDS = (
    "picture", "redirected fetch", "beacon", "form posted into a frame", "socket", "worker",
    "shared worker that posts",
)  # fmt: skip
SENDING = [name for name, page in CHANNELS.items() if "post" in name or "SOCKET" in page
           or "socket" in name or name in ("beacon", "ping", "form", "form in a srcdoc")]  # fmt: skip


def each(names: Iterable[str]) -> list[Any]:
    """One channel of each kind always, the others before a release."""
    return [pytest.param(name, marks=[] if name in KINDS else pytest.mark.release) for name in names]


@pytest.mark.parametrize("name", each(CHANNELS))
async def test_a_page_reaches_another_machine_only_if_it_is_allowed(browser: Any, name: str) -> None:
    with recorder() as here, recorder({"/x": ""}, "127.0.0.2") as other:
        serve(CHANNELS[name], other, here)
        guard = NotingGuard(here.url)
        async with open_tab(browser, guard, QUICK, Consent(agree)) as tab:
            await tab.open(here.url)
            await happened(guard.refused)
            await tab.wait_until_idle()
        assert other.got == []
        async with open_tab(browser, NetworkGuard(here.url, [other.host]), QUICK, Consent(agree)) as tab:
            await tab.open(here.url)
            assert await asyncio.to_thread(other.arrived.wait, 20), "otherwise it is no channel"


@pytest.mark.parametrize("name", each(SENDING))
async def test_nothing_is_sent_to_an_allowed_host_without_consent(browser: Any, name: str) -> None:
    with recorder() as here, recorder({"/x": ""}, "127.0.0.2") as other:
        serve(CHANNELS[name], other, here)
        asked, questions = asyncio.Event(), []

        def confirm(question: str) -> bool:
            questions.append(question)
            asked.set()
            return False

        async with open_tab(browser, NetworkGuard(here.url, [other.host]), QUICK, Consent(confirm)) as tab:
            await tab.open(here.url)
            await happened(asked)
            await tab.wait_until_idle()
        assert other.got == []
    assert all("127.0.0." in question for question in questions)


async def test_with_resources_pages_still_reach_no_private_address(browser: Any) -> None:
    with recorder() as here, recorder({"/x": ""}, "127.0.0.2") as other:
        serve(CHANNELS["picture"] + "<script>fetch('OTHER/x', {mode: 'no-cors'}).catch(() => document.title = 'no')</script>",
              other, here)  # fmt: skip
        async with open_tab(browser, NetworkGuard(here.url, resources=True), QUICK, Consent(agree)) as tab:
            await tab.open(here.url)
            await until_title(tab, "no")
        assert other.got == []


async def until_title(tab: Any, title: str) -> None:
    """Wait until the page has set this title."""
    script = f"""new Promise(done => {{ const look = () => document.title == {title!r} ? done(1) : setTimeout(look, 20);
    look() }})"""
    await tab.evaluate(script)


async def test_with_resources_other_hosts_give_files_but_get_nothing(browser: Any) -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"] if host == "shop.test" else ["93.184.216.34"]

    connected: list[str] = []
    with recorder() as here, live_requests(True):
        port = here.host.partition(":")[2]
        here.pages["/"] = (
            "<title>Shop</title><script>Promise.allSettled([fetch('http://cdn.test/a', {mode: 'no-cors'}),"
            "fetch('http://cdn.test/b', {mode: 'no-cors', method: 'POST', body: 'x'})])"
            ".then(() => document.title = 'over')</script>"
        )
        guard = NetworkGuard(f"http://shop.test:{port}", resources=True, resolve=resolve)
        async with open_tab(browser, guard, QUICK, Consent(agree)) as tab:
            gate = browser.proxy.gatekeeper

            class Watching:
                """Lets nothing through to public addresses, which are noted instead."""

                async def addresses(self, url: str, *, socket: bool) -> Sequence[str]:
                    found = await gate.addresses(url, socket=socket)
                    if found != ["127.0.0.1"]:
                        connected.append(url)
                        return []
                    return list(found)

                def failed(self, url: str, reason: str) -> None:
                    return

            browser.proxy.gatekeeper = Watching()
            await tab.open(f"http://shop.test:{port}/")
            await until_title(tab, "over")
            events = tab.monitor.take_events()
    assert connected == ["http://cdn.test/a"]
    assert events == ("blocked: POST http://cdn.test/b, for http://cdn.test is not an allowed host",)


async def test_a_host_that_moves_to_another_machine_is_not_followed(browser: Any) -> None:
    answers = ["127.0.0.1", "127.0.0.2", "127.0.0.2"]

    async def rebinding(host: str, port: int) -> Sequence[str]:
        return [answers.pop(0)]

    with recorder({"/": "<title>Shop</title><p>Shop</p>", "/again": "again"}) as here, live_requests(True):
        port = here.host.partition(":")[2]
        guard = NetworkGuard(f"http://moving.test:{port}", resolve=rebinding)
        async with open_tab(browser, guard, QUICK, Consent(agree)) as tab:
            await tab.open(f"http://moving.test:{port}/")
            for _ in range(3):
                assert await tab.evaluate("fetch('/again').then(answer => answer.text())") == "again"
    assert answers == ["127.0.0.2", "127.0.0.2"], "it was resolved once"


async def test_service_workers_cannot_be_registered(browser: Any) -> None:
    register = "navigator.serviceWorker.register('/sw.js')"
    script = f"{register}.then(worker => worker ? 'registered' : 'nothing', error => 'refused')"
    with recorder({"/": "<title>Shop</title>", "/sw.js": "self.skipWaiting()"}) as here:
        async with open_tab(browser, NetworkGuard(here.url), QUICK, Consent(agree)) as tab:
            await tab.open(here.url)
            assert await tab.evaluate(script) != "registered"
            assert not any("sw.js" in line for line in here.got)
            context = await browser._browser.new_context(service_workers="allow")
            page = await context.new_page()
            await page.goto(here.url)
            assert await page.evaluate(script) == "registered", "otherwise the test shows nothing"
            await context.close()


async def test_webrtc_is_off(browser: Any) -> None:
    fresh = """(() => { const frame = document.createElement('iframe'); document.body.append(frame);
    return typeof frame.contentWindow.RTCPeerConnection })()"""
    with recorder({"/": "<title>Shop</title><p>Shop</p>"}) as here:
        async with open_tab(browser, NetworkGuard(here.url), QUICK) as tab:
            await tab.open(here.url)
            assert await tab.evaluate("typeof RTCPeerConnection") == "undefined"
            assert await tab.evaluate(fresh) == "undefined"


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

    class Handler(Quiet):
        protocol_version = "HTTP/1.1"  # keeps the connection open

        def do_GET(self) -> None:  # noqa: N802
            page = PAGE if self.path == "/" else b""
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(page)))
            self.send_header("Reporting-Endpoints", f'here="{here.url}/report"')
            self.send_header("Content-Security-Policy-Report-Only", "script-src 'none'; report-to here")
            self.end_headers()
            self.wfile.write(page)

        def do_POST(self) -> None:  # noqa: N802
            here.sent.append(self.path)
            here.one.set()
            self.rfile.read(int(self.headers["Content-Length"] or 0))
            self.send_response(204)
            self.end_headers()

    with serving(Handler, certificate=CERTIFICATE) as port:
        here.url = f"https://127.0.0.1:{port}"
        yield here


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
