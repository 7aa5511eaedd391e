"""Pages that load slowly: each is read when its content is there, and one that never ends loading does not block a visit."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

from browse.live.conftest import QUICK, RunVisit
from browse.live.scripted_visitor import ScriptedVisitor
from browse.live.site import site
from readagent_browse.live import Limits
from readagent_browse.live.browser_tab import open_tab
from readagent_browse.live.network_guard import NetworkGuard
from readagent_browse.live.observe import observe, observe_reaction
from readagent_browse.live.secrets import Secrets
from readagent_browse.live.visit import Confirm, agree, refuse
from readagent_browse.render import render

pytestmark = [pytest.mark.anyio, pytest.mark.browser]
START = "<title>Start</title><a href=/next>Next</a>"
BUTTON = "<button onclick=\"document.title = 'Pressed'\">Press</button>"
HEADS = {
    "script": "<script src=/slow.js></script>",
    "deferred script": "<script defer src=/slow.js></script>",
    "module": "<script type=module src=/slow.js></script>",
    "stylesheet": "<link rel=stylesheet href=/slow.css><script>document.title = 'Next'</script>",
    "both": "<link rel=stylesheet href=/slow.css><script src=/slow.js></script>",
}


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


async def test_requests_that_wait_for_their_turn_are_waited_for(run_visit: RunVisit) -> None:
    parts = [f"/part{number}.js" for number in range(20)]  # a browser sends six at once
    pages = {
        "/": f"<title>Parts</title><p>Eight words that say that this loads.</p><script type=module>"
        f"await Promise.all({parts}.map((part) => import(part))); document.body.innerHTML = '<button>Ready</button>'</script>",
        **dict.fromkeys(parts, "export default 1"),
    }
    with site(pages, dict.fromkeys(parts, 0.6)) as here:
        visit = await run_visit(here, ["Ready"], limits=Limits(load=20, idle=1))
    assert visit.done, visit.reason


@pytest.mark.parametrize("shell", ["", "<p>Loading…</p>"])
async def test_a_page_without_content_is_looked_at_again(run_visit: RunVisit, shell: str) -> None:
    page = f"<title>Later</title>{shell}<script>setTimeout(() => {{ document.body.innerHTML = '<button>Late</button>' }}, 1500)</script>"
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


async def test_a_picture_that_never_loads_is_not_waited_for_again_and_again(run_visit: RunVisit) -> None:
    page = f"<title>Picture</title>{BUTTON}<img src=/stalls>"
    with site({"/": page}) as here:
        visit = await run_visit(here, ["Press"], limits=Limits(load=20, idle=0.5))
    assert visit.done
    assert visit.steps[-1].title == "Pressed"
    assert not any("loading" in event for step in visit.steps for event in step.events)


async def test_what_a_page_does_when_it_is_loaded_is_seen(run_visit: RunVisit) -> None:
    page = "<title>Late</title><a href=/>Home</a><img src=/slow.png><script>window.onload = () => { document.body.innerHTML += '<button>Loaded</button>' }</script>"
    with site({"/": page, "/slow.png": ""}, {"/slow.png": 1.0}) as here:
        visit = await run_visit(here, ["Loaded"])
    assert visit.done, visit.reason


@pytest.mark.parametrize("consent", [agree, refuse])
@pytest.mark.parametrize("form", [
    "<form id=f method=post action=ACTION></form><script>f.submit()</script>",
    "<iframe srcdoc=\"<form id=f method=post action=ACTION></form><script>f.submit()</script>\"></iframe>",
])  # fmt: skip
async def test_a_form_that_is_not_sent_while_the_page_is_parsed_does_not_keep_it_loading(
    run_visit: RunVisit, form: str, consent: Confirm
) -> None:
    action = "http://localhost:PORT/x" if consent is agree else "http://127.0.0.1:PORT/x"
    with site({"/": f"<title>Form</title>{BUTTON}{form.replace('ACTION', action)}<p>After</p>"}) as here:
        visit = await run_visit(here, ["Press"], confirm=consent)
        assert here.sent == []
    assert visit.steps[-1].title == "Pressed"
    events = [event for step in visit.steps for event in step.events]
    assert any(event.startswith(("blocked: ", "not sent: ")) for event in events)
    assert not any("still loading" in event for event in events)


@pytest.mark.parametrize("act", ["Next", "Action: press {Next} Enter", "Action: type {Word} lamp[Enter]", "Send"])
async def test_a_page_that_is_slow_to_answer_is_no_failed_action(run_visit: RunVisit, act: str) -> None:
    page = "<title>Start</title><a href=/next>Next</a><form action=/next><input placeholder=Word><button>Send</button></form>"
    with site({"/": page, "/next": "<title>Next</title><p>Here it is.</p>"}, {"/next": 2.0}) as here:
        visit = await run_visit(here, [act], limits=Limits(act=1))
    assert [(step.title, step.error) for step in visit.steps] == [("Start", ""), ("Next", "")]
    assert sum("/next" in line for line in here.asked) == 1


LATE = """<title>Late</title><button onclick="this.className = 'pressed'; setTimeout(() => { WHERE.innerHTML = 'Result is 42' }, DELAY)">Go</button>
<p id=o></p><iframe id=f srcdoc="<p>Frame</p>"></iframe><div id=h></div><script>h.attachShadow({mode: 'open'})</script>"""


@pytest.mark.parametrize("where", ["o", "f.contentDocument.body", "h.shadowRoot"])
async def test_a_page_that_reacts_late_to_a_click_is_read_when_it_has(run_visit: RunVisit, where: str) -> None:
    model = ScriptedVisitor(["Go"])
    with site({"/": LATE.replace("WHERE", where).replace("DELAY", "500")}) as here:
        assert (await run_visit(here, model)).done
    assert "Result is 42" in model.prompts[1]


async def test_a_list_that_loads_more_some_time_after_the_scroll_grows(run_visit: RunVisit) -> None:
    page = """<title>Feed</title><a href=/>Home</a><div id=list></div><script>
    const more = (n) => { list.innerHTML += `<p style="height:300px">${n}</p>`.repeat(5) };
    more('Old');
    let timer = 0;
    onscroll = () => { clearTimeout(timer); timer = setTimeout(async () => more(await (await fetch('/more')).text()), 600) };</script>"""
    model = ScriptedVisitor(["Action: scroll down"])
    with site({"/": page, "/more": "New"}, {"/more": 1.2}) as here:
        visit = await run_visit(here, model)
    assert [step.error for step in visit.steps] == ["", ""]
    assert "New" in model.prompts[1]


async def test_a_page_that_changes_at_once_is_not_waited_for(browser: Any) -> None:
    with site({"/": "<title>Quick</title><button>Go</button>"}) as here:
        async with open_tab(browser, NetworkGuard(here.url), QUICK) as tab:
            await tab.open(here.url)
            before = await observe(tab, Secrets())
            await tab.evaluate("document.body.append('Result')")
            seen = await observe_reaction(tab, Secrets(), before, inf)
    assert "Result" in render(seen.snapshot.root)


@pytest.mark.slow
async def test_a_model_can_wait_for_what_takes_longer(run_visit: RunVisit) -> None:
    model = ScriptedVisitor(["Go", "Action: wait 2"])
    with site({"/": LATE.replace("WHERE", "o").replace("DELAY", "2500")}) as here:
        visit = await run_visit(here, model)
    assert visit.steps[1].description == "wait 2 s"
    assert "Result is 42" in model.prompts[2]


CLOCK = """<title>Clock</title><p id=o>0</p><button onclick="b.textContent = n">Go</button><b id=b></b><script>
let n = 100; setInterval(() => { o.textContent = n = n % 900 + 101; ticks++ }, 20); let ticks = 0</script>"""


async def test_a_clock_on_the_page_is_not_waited_for(browser: Any) -> None:
    with site({"/": CLOCK}) as here:
        async with open_tab(browser, NetworkGuard(here.url), Limits(idle=20)) as tab:
            await tab.open(here.url)
            assert await tab.evaluate("ticks") < 500  # of 1,000 in 20 seconds


async def test_text_that_is_still_being_written_is_waited_for(browser: Any) -> None:
    writing = "let n = 0; const timer = setInterval(() => { o.textContent += ' word'; if (++n === 60) { clearInterval(timer); o.textContent += ' end' } }, 20)"
    with site({"/": f"<title>Chat</title><p id=o></p><script>{writing}</script>"}) as here:
        async with open_tab(browser, NetworkGuard(here.url), QUICK) as tab:
            await tab.open(here.url)
            seen = await observe(tab, Secrets({}, here.url))
    assert "word end" in render(seen.snapshot.root)
