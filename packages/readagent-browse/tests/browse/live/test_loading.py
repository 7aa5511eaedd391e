"""Pages that load slowly: each is read when its content is there, and one that never ends loading does not block a visit."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from browse.live.conftest import RunVisit
from browse.live.scripted_visitor import ScriptedVisitor
from browse.live.site import site
from readagent.agent import AsyncReadAgent
from readagent.errors import BrowserError
from readagent_browse.live import Limits, browse

pytestmark = [pytest.mark.anyio, pytest.mark.browser]
START = "<title>Start</title><a href=/next>Next</a>"
BUTTON = "<button onclick=\"document.title = 'Pressed'\">Press</button>"
HEADS = {"script": "<script src=/slow.js></script>"}


@pytest.mark.parametrize("head", HEADS)
async def test_a_page_with_slow_resources_in_its_head_is_read_when_it_is_there(run_visit: RunVisit, head: str) -> None:
    pages = {
        "/": START, "/next": f"<head>{HEADS[head]}</head><body>{BUTTON}</body>", "/slow.js": "1", "/slow.css": "p{}",
    }  # fmt: skip
    with site(pages, {"/slow.js": 1.2, "/slow.css": 0.8}) as here:
        visit = await run_visit(here, ["Next", "Press"])
    assert visit.done, visit.reason
    assert [step.title for step in visit.steps][-1] == "Pressed"


async def test_an_application_that_loads_its_parts_one_after_another_is_read_when_they_are_there(
    run_visit: RunVisit,
) -> None:
    pages = {
        "/": "<title>App</title><div id=root></div><script type=module src=/main.js></script>",
        "/main.js": "import('/view.js').then((view) => view.show())",
        "/view.js": "export const show = async () => { const items = await (await fetch('/items.json')).json();"
        " root.innerHTML = items.map((item) => `<button onclick=\"document.title = '${item}'\">${item}</button>`).join(''); }",
        "/items.json": '["Lamp", "Chair"]',
    }
    delays = {"/": 0.5, "/main.js": 1.0, "/view.js": 1.0, "/items.json": 1.0}
    with site(pages, delays) as here:
        visit = await run_visit(here, ["Chair"])
    assert visit.done, visit.reason
    assert visit.steps[-1].title == "Chair"


async def test_a_request_that_never_ends_does_not_block_the_visit(run_visit: RunVisit) -> None:
    page = f"<title>Chat</title>{BUTTON}<script>fetch('/stalls')</script>"
    with site({"/": page}) as here:
        visit = await run_visit(here, ["Press"], limits=Limits(idle=0.5))
    assert visit.done
    assert not any("loading" in event for step in visit.steps for event in step.events)


async def test_a_page_that_never_ends_loading_is_read_as_far_as_it_is_there(run_visit: RunVisit) -> None:
    page = f"<title>Half</title>{BUTTON}<p>Before</p><script src=/stalls></script><p>After</p>"
    model = ScriptedVisitor([])
    with site({"/": page}) as here:
        visit = await run_visit(here, model, limits=Limits(load=1, idle=0.5))
    assert visit.done
    assert visit.steps[0].events == ("the page was still loading after 1 seconds",)
    assert "Before" in model.prompts[0]
    assert "After" not in model.prompts[0]


async def test_a_page_that_is_slow_to_answer_is_no_failed_action(run_visit: RunVisit) -> None:
    page = "<title>Start</title><a href=/next>Next</a><form action=/next><input placeholder=Word><button>Send</button></form>"
    with site({"/": page, "/next": "<title>Next</title><p>Here it is.</p>"}, {"/next": 2.0}) as here:
        visit = await run_visit(here, ["Next"], limits=Limits(act=1))
    assert [(step.title, step.error) for step in visit.steps] == [("Start", ""), ("Next", "")]
    assert sum("/next" in line for line in here.asked) == 1


SHORT = Limits(load=1, idle=1, act=1)

STUCK = """<title>Stuck</title><button onclick="setTimeout(() => { for (;;); })">Hang</button>"""

HANGS = {"Action: press Escape": "<p>Keys</p><script>onkeydown = () => { for (;;); }</script>", "Hang": STUCK}


class Killer(ScriptedVisitor):
    """Kills the page at its first turn, once its action has begun."""

    def answer(self, prompt: str) -> str:
        if len(self.prompts) == 1:
            asyncio.get_running_loop().call_soon(self._kill)
        return super().answer(prompt)

    def _kill(self) -> None:
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):  # other processes may end meanwhile
                line = " ".join(process.cmdline())
                if "chrom" in process.name() and "--type=renderer" in line:
                    process.kill()


async def test_a_page_or_browser_that_is_killed_is_an_error(tmp_path: Path) -> None:
    killer = Killer(["Home"] * 3)
    gone = pytest.raises(BrowserError, match="the browser was closed, or its page crashed")
    with site({"/": f"{STUCK}<a href=/>Home</a>"}) as here, gone:
        await browse(here.url, "Die", AsyncReadAgent(killer, window=8000), folder=tmp_path / "t")
    trace = (tmp_path / "t" / "trace.jsonl").read_text("utf-8")
    assert '"event":"step"' in trace
    assert "the browser was closed, or its page crashed" in trace.splitlines()[-1]


@pytest.mark.parametrize("act", [pytest.param(act, marks=[] if act == "Hang" else pytest.mark.slow) for act in HANGS])
async def test_a_page_that_hangs_is_an_error(run_visit: RunVisit, act: str) -> None:
    with site({"/": HANGS[act]}) as here, pytest.raises(BrowserError, match="does not respond"):
        await run_visit(here, [act], limits=SHORT)


SOCKET_APP = """<title>Desk</title><a href=#main>Skip to main content</a><main id=main></main><script>
const way = new WebSocket("ws://127.0.0.1:PORT/");
way.onmessage = (message) => { main.innerHTML = message.data; };
main.onclick = () => way.send("clicked");</script>"""


@contextmanager
def socket_server(*pages: str, seconds: float, answers: bool = True) -> Iterator[int]:
    """Serve a WebSocket that sends the first page after a while, and the next one after each message. Yield its port.

    Without ``answers`` no message is waited for.
    """
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                connection, _ = listening.accept()
                with connection:
                    head = connection.recv(4096).decode()
                    key = next(line for line in head.split("\r\n") if line.lower().startswith("sec-websocket-key"))[19:]
                    proof = hashlib.sha1(f"{key.strip()}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode()).digest()
                    connection.sendall(
                        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        b"Sec-WebSocket-Accept: " + base64.b64encode(proof) + b"\r\n\r\n"
                    )
                    for page in pages:
                        ended.wait(seconds)
                        connection.sendall(bytes([0x81, len(page)]) + page.encode())
                        if answers:
                            connection.recv(4096)
                    connection.recv(4096)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            ended.set()
    thread.join(5)


@pytest.mark.slow
async def test_an_application_that_talks_through_a_socket_is_waited_for(run_visit: RunVisit) -> None:
    first, second = "<button>Start the kettle</button>", "<h1>The water boils</h1><button>Pour</button>"
    model = ScriptedVisitor(["Start the kettle"])
    with socket_server(first, second, seconds=0.8) as port, site({"/": SOCKET_APP.replace("PORT", str(port))}) as here:
        visit = await run_visit(here, model, allow=(f"127.0.0.1:{port}",))
    assert [step.error for step in visit.steps] == ["", ""]
    assert "Start the kettle" in model.prompts[0]
    assert "The water boils" in model.prompts[1]


SPECK = "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0);white-space:nowrap"


async def test_the_label_of_a_box_to_tick_that_only_screen_readers_see_gets_the_id(run_visit: RunVisit) -> None:
    page = f"""<title>Form</title><label style="display:block;position:relative"><span style="{SPECK}"><input type=checkbox
    onchange="document.title = this.checked"></span><div style="position:absolute;inset:0"></div>Terms</label>"""
    with site({"/": page}) as here:
        visit = await run_visit(here, ["Terms"])
    assert [step.title for step in visit.steps] == ["Form", "true"]
    assert visit.steps[0].error == ""


@pytest.mark.slow
async def test_a_server_that_does_not_answer_is_named(run_visit: RunVisit) -> None:
    silent = pytest.raises(BrowserError, match=r"127\.0\.0\.1:\d+ does not answer")
    with site({"/": "<title>Start</title><a href=/stalls>Next</a>"}) as here, silent:
        await run_visit(here, ["Next"], limits=SHORT)


@pytest.mark.slow
async def test_what_stands_for_content_to_come_is_waited_for(run_visit: RunVisit) -> None:
    sign = "aria-busy=true"
    page = f"""<title>Widgets</title><h1>A desk with many lamps, and more to come</h1><div id=d {sign}>...</div><script>
    setTimeout(() => {{ d.outerHTML = '<button>Order</button>' }}, 1200)</script>"""
    model = ScriptedVisitor(["Order"])
    with site({"/": page}) as here:
        visit = await run_visit(here, model)
    assert visit.steps[0].description.startswith('click "Order"')
