"""Double-clicks and dragging: what pages notice of them, what prompts say, and that effects are asked about."""

from __future__ import annotations

import pytest

from browse.live.conftest import RunVisit
from browse.live.scripted_visitor import ScriptedVisitor
from browse.live.site import site
from readagent_browse.live.visit import Visit

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

NATIVE = """<title>Basket</title><div draggable=true id=lamp style="width:120px">Brass lamp</div>
<div id=basket style="height:80px;margin-top:MARGIN;border:1px solid">Basket</div><script>
lamp.ondragstart = (event) => event.dataTransfer.setData('text/plain', 'lamp');
basket.ondragover = (event) => event.preventDefault();
basket.addEventListener('drop', (event) => { event.preventDefault(); document.title = `Got a ${event.dataTransfer.getData('text/plain')}`;
  if (location.search) fetch('/order', {method: 'POST', body: 'lamp'}) });</script>"""

SORTED = """<title>List</title><ul id=list style="display:block;margin:0;padding:0;list-style:none">
<li>Amber</li><li>Brass</li><li>Copper</li><li>Dune</li></ul><script>
[...list.children].forEach((item) => { item.style.cssText = 'width:80px;height:24px;cursor:move' });
let held = null;
list.addEventListener('mousedown', (event) => { held = event.target; event.preventDefault() });
addEventListener('mousemove', (event) => {
  const over = document.elementFromPoint(event.clientX, event.clientY);
  if (!held || !over || over === held || over.parentNode !== list) return;
  const down = [...list.children].indexOf(held) < [...list.children].indexOf(over);
  down ? over.after(held) : over.before(held);
});
addEventListener('mouseup', () => { held = null; document.title = [...list.children].map((one) => one.textContent[0]).join('') });
</script>"""


def last_title(visit: Visit) -> str:
    assert visit.done, visit.reason
    assert [step.error for step in visit.steps] == [""] * len(visit.steps)
    return visit.steps[-1].title


async def test_a_double_click_edits_what_a_click_does_not(run_visit: RunVisit) -> None:
    page = """<title>Cells</title><table><tr><td id=cell tabindex=0>two coins</td></tr></table><script>
    cell.ondblclick = () => { cell.innerHTML = '<input aria-label=Price>'; cell.firstChild.focus() };
    cell.onkeyup = (event) => { if (event.key === 'Enter') document.title = event.target.value }</script>"""
    model = ScriptedVisitor(["two coins", "Action: double-click {two coins}", "Action: type {Price} 3 coins[Enter]"])
    with site({"/": page}) as here:
        visit = await run_visit(here, model)
    assert last_title(visit) == "3 coins"
    assert visit.steps[1].description == 'double-click "two coins" [1]'
    assert "Action: click [12], or double-click [12]" in model.prompts[0]


async def test_what_the_browser_lets_one_drag_is_dropped_elsewhere(run_visit: RunVisit) -> None:
    model = ScriptedVisitor(["Action: drag {Brass lamp} to {Basket}"])
    with site({"/": NATIVE.replace("MARGIN", "0")}) as here:
        visit = await run_visit(here, model)
    assert last_title(visit) == "Got a lamp"
    assert visit.steps[0].description == 'drag "Brass lamp" [1] to [2]'
    assert "<div id=1 draggable>Brass lamp</div>" in model.prompts[0]
    assert "Action: drag [12] to [15]" in model.prompts[0]


async def test_what_a_drop_would_send_is_asked_about(run_visit: RunVisit) -> None:
    asked: list[str] = []
    with site({"/": NATIVE.replace("MARGIN", "0")}) as here:
        act = "Action: drag {Brass lamp} to {Basket}"
        visit = await run_visit(here, [act], path="/?send", confirm=lambda question: asked.append(question) or False)
        assert here.sent == []
        await run_visit(here, [act], path="/?send", trace="agreed")
        assert here.sent == ["/order lamp"]
    assert visit.ended == "unconfirmed"
    assert len(asked) == 1
    assert "POST" in asked[0]


async def test_a_list_is_sorted_with_the_mouse(run_visit: RunVisit) -> None:
    with site({"/": SORTED}) as here:
        assert last_title(await run_visit(here, ["Action: drag {Dune} before {Brass}"])) == "ADBC"


async def test_dragging_is_offered_only_where_something_can_be_dragged(run_visit: RunVisit) -> None:
    model = ScriptedVisitor([])
    with site({"/": "<title>Plain</title><a href=/>Home</a><button>Go</button>"}) as here:
        await run_visit(here, model)
    assert "drag" not in model.prompts[0]


@pytest.mark.slow
async def test_a_drag_that_fails_is_told_to_the_model(run_visit: RunVisit) -> None:
    page = NATIVE.replace("MARGIN", "0").replace("</script>", "; lamp.onmousedown = () => basket.remove()</script>")
    model = ScriptedVisitor(["Action: drag {Brass lamp} to {Basket}"])
    with site({"/": page}) as here:
        visit = await run_visit(here, model)
    assert "cannot be dragged there" in visit.steps[0].error
    assert "cannot be dragged there" in model.prompts[1]
