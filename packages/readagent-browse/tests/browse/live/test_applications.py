"""What applications nobody here wrote showed, each as a small page: Streamlit, Gradio, ag-Grid, Vuetify, SortableJS, jKanban."""

from __future__ import annotations

import base64
import hashlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from browse.live.conftest import RunVisit
from browse.live.scripted_visitor import ScriptedVisitor
from browse.live.site import site

pytestmark = [pytest.mark.anyio, pytest.mark.browser]
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


@pytest.mark.slow
async def test_what_stands_for_content_to_come_is_waited_for(run_visit: RunVisit) -> None:
    sign = "aria-busy=true"
    page = f"""<title>Widgets</title><h1>A desk with many lamps, and more to come</h1><div id=d {sign}>...</div><script>
    setTimeout(() => {{ d.outerHTML = '<button>Order</button>' }}, 1200)</script>"""
    model = ScriptedVisitor(["Order"])
    with site({"/": page}) as here:
        visit = await run_visit(here, model)
    assert visit.steps[0].description.startswith('click "Order"')


SPECK = "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0);white-space:nowrap"


async def test_the_label_of_a_box_to_tick_that_only_screen_readers_see_gets_the_id(run_visit: RunVisit) -> None:
    page = f"""<title>Form</title><label style="display:block;position:relative"><span style="{SPECK}"><input type=checkbox
    onchange="document.title = this.checked"></span><div style="position:absolute;inset:0"></div>Terms</label>"""
    with site({"/": page}) as here:
        visit = await run_visit(here, ["Terms"])
    assert [step.title for step in visit.steps] == ["Form", "true"]
    assert visit.steps[0].error == ""
