"""Tabs: pages that links and scripts open are shown, can be switched to and closed, and have the same guards."""

from __future__ import annotations

import pytest

from browse.live.conftest import RunVisit
from browse.live.scripted_visitor import ScriptedVisitor
from browse.live.site import site

pytestmark = [pytest.mark.anyio, pytest.mark.browser]
SHOP = """<title>Shop</title><h1>Shop</h1><a target=_blank href=/map>Map</a>
<button onclick="window.open('/map', '_blank', 'noopener')">Open</button>
<button onclick="window.open('/stalls')">Slow</button><button onclick="window.open('')">Nothing</button>
<button onclick="const w = window.open(''); w.document.write('<title>Written</title><p>Words in a window</p>')">Write</button>
<form target=_blank method=post action=/order><button>Order</button></form>"""
MAP = "<title>Map</title><h1>Map</h1><button onclick=\"document.title = 'Zoomed'\">Zoom</button>"
MAP += "<button onclick='window.close()'>Done here</button>"
PAGES = {"/": SHOP, "/map": MAP}


async def test_a_new_tab_is_shown_and_can_be_left_and_closed(run_visit: RunVisit) -> None:
    model = ScriptedVisitor(["Map", "Zoom", "Action: tab 1", "Action: tab 2", "Action: close"])
    with site(PAGES) as here:
        visit = await run_visit(here, model)
    assert [step.title for step in visit.steps] == ["Shop", "Map", "Zoomed", "Shop", "Zoomed", "Shop"]
    assert visit.steps[0].events == ("a new tab was opened, and is shown now",)
    assert visit.done
    assert [step.description for step in visit.steps][2:5] == ["switch to tab 1", "switch to tab 2", "close the tab"]
    listed = 'Action: tab 1 (shows another tab; these are open: 1 "Shop", 2 "Map" (shown))'
    assert listed in model.prompts[1]
    assert "Action: tab" not in model.prompts[0]
    assert "Action: tab" not in model.prompts[5]


async def test_what_a_new_tab_would_send_is_asked_about(run_visit: RunVisit) -> None:
    asked: list[str] = []
    with site(PAGES) as here:
        visit = await run_visit(here, ["Order"], confirm=lambda question: asked.append(question) or False)
        assert here.sent == []
        assert visit.steps[-1].title == "Shop"
        assert visit.steps[0].events[0].startswith("not sent: POST http://127.0.0.1")
        agreed = await run_visit(here, ["Order"], trace="agreed")
        assert here.sent == ["/order "]
    assert len(asked) == 1
    assert "a new tab was opened, and is shown now" in agreed.steps[0].events


async def test_pop_ups_that_a_page_opens_by_itself_are_blocked(run_visit: RunVisit) -> None:
    pages = {
        "/": "<title>Shop</title><h1>Shop</h1><a href=/next>Next</a><script>open('/ad'); open('/ad?2')</script>",
        "/next": """<title>Next</title><h1>Next</h1><script>open('/ad?3')</script><button
        onclick="window.open('/map')">Later</button>""",
        "/ad": "<title>Buy!</title><p>Advertisement</p>",
        "/map": MAP,
    }
    model = ScriptedVisitor(["Next", "Later", "Zoom"])
    with site(pages) as here:
        visit = await run_visit(here, model)
    assert [step.title for step in visit.steps] == ["Shop", "Next", "Map", "Zoomed"]
    assert set(visit.steps[0].events) == {"a pop-up that the page opened by itself was blocked"}
    assert "a new tab was opened, and is shown now" in visit.steps[1].events
    assert "Buy!" not in "".join(model.prompts)
