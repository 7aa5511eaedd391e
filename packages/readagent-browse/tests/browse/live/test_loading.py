"""Pages that load slowly: each is read when its content is there, and one that never ends loading does not block a visit."""

from __future__ import annotations

from typing import Any

import pytest

from browse.live.conftest import RunVisit
from browse.live.scripted_visitor import ScriptedVisitor
from browse.live.site import site
from readagent_browse.live import Limits
from readagent_browse.live.browser_tab import open_tab
from readagent_browse.live.network_guard import NetworkGuard

pytestmark = [pytest.mark.anyio, pytest.mark.browser]
START = "<title>Start</title><a href=/next>Next</a>"
BUTTON = "<button onclick=\"document.title = 'Pressed'\">Press</button>"
HEADS = {"script": "<script src=/slow.js></script>"}


@pytest.mark.parametrize("head", HEADS)
async def test_a_page_with_slow_resources_in_its_head_is_read_when_it_is_there(run_visit: RunVisit, head: str) -> None:
    pages = {
        "/": START,
        "/next": f"<head>{HEADS[head]}</head><body>{BUTTON}</body>",
        "/slow.js": "1",
        "/slow.css": "p{}",
    }
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


async def test_a_page_without_content_is_looked_at_again(run_visit: RunVisit) -> None:
    page = "<title>Later</title><script>setTimeout(() => { document.body.innerHTML = '<button>Late</button>' }, 1500)</script>"
    with site({"/": page}) as here:
        visit = await run_visit(here, ["Late"])
    assert visit.done, visit.reason


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


CLOCK = """<title>Clock</title><p id=o>0</p><button onclick="b.textContent = n">Go</button><b id=b></b><script>
let n = 100; setInterval(() => { o.textContent = n = n % 900 + 101; ticks++ }, 20); let ticks = 0</script>"""


async def test_a_clock_on_the_page_is_not_waited_for(browser: Any) -> None:
    with site({"/": CLOCK}) as here:
        async with open_tab(browser, NetworkGuard(here.url), Limits(idle=20)) as tab:
            await tab.open(here.url)
            assert await tab.evaluate("ticks") < 500  # of 1,000 in 20 seconds
