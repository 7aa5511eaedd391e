"""Controls as component libraries build them: they are shown with their state, and can be used as plain ones can."""

from __future__ import annotations

import re
from typing import Any

import pytest

from browse.live.conftest import QUICK, RunVisit
from browse.live.scripted_visitor import ScriptedVisitor
from browse.live.site import site
from readagent_browse.live.browser_tab import open_tab
from readagent_browse.live.network_guard import NetworkGuard
from readagent_browse.live.observe import observe
from readagent_browse.live.secrets import Secrets
from readagent_browse.render import render

pytestmark = [pytest.mark.anyio, pytest.mark.browser]


async def test_an_editor_that_fills_a_frame_is_written_in(run_visit: RunVisit) -> None:
    body = "<body contenteditable>Hi</body>"
    model = ScriptedVisitor(["Action: type {Hi} Good morning"])
    with site({"/": f"<title>Mail</title><p>Text:</p><iframe srcdoc='{body}'></iframe>"}) as here:
        visit = await run_visit(here, model)
    assert visit.done, visit.reason
    assert [step.error for step in visit.steps] == ["", ""]
    page = model.prompts[1].partition("</page>")[0]
    assert "Good morning" in page
    assert ">Hi" not in page


async def test_the_state_of_sliders_bars_and_switches_is_shown(run_visit: RunVisit) -> None:
    page = """<title>State</title><div role=slider tabindex=0 aria-label=Size aria-valuenow=30 aria-valuemax=60>x</div>
    <div role=spinbutton tabindex=0 aria-label=Count aria-valuenow=4>x</div><div role=progressbar aria-valuenow=70></div>
    <progress value=0.4></progress><progress></progress><meter value=3 max=10></meter>
    <input type=checkbox role=switch aria-checked=true aria-label=Sound>
    <div aria-checked=true><input type=checkbox role=switch aria-label=Light></div>
    <label><input type=checkbox aria-checked=true style="opacity:0">Wind</label>
    <input type=submit value=Save><input type=text value=Lamp><button type=submit>Send</button>"""
    model = ScriptedVisitor([])
    with site({"/": page}) as here:
        await run_visit(here, model)
    shown = re.sub(r" id=\d+", "", model.prompts[0])
    for line in (
        '<div role=slider aria-label=Size aria-description="from 0 to 60" aria-valuenow=30>x</div>',
        "<div role=spinbutton aria-label=Count aria-valuenow=4>x</div>",
        "<div role=progressbar aria-valuenow=70>",
        '<progress value="0.4 of 1">',
        '<meter value="3 of 10">',
        "<input type=checkbox role=switch aria-label=Sound aria-checked=true>",
        "<input type=checkbox role=switch aria-label=Light aria-checked=true>",
        "<label aria-checked=true>Wind</label>",
        "<input type=submit value=Save>",
        "<input value=Lamp>",
        "<button>Send</button>",
    ):
        assert line in shown


SLIDER = """<title>Slider</title><div id=s role=slider tabindex=0 aria-label=Size aria-valuemin=0 aria-valuemax=100 aria-valuenow=30>x</div><script>
const steps = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
s.onkeydown = ({ key }) => {
  const next = { Home: 0, End: 100 }[key] ?? Number(s.getAttribute('aria-valuenow')) + (steps[key] || 0);
  setTimeout(() => s.setAttribute('aria-valuenow', Math.min(100, Math.max(0, next))), 20);
};</script>"""


async def test_a_slider_that_is_no_field_is_set(run_visit: RunVisit) -> None:
    model = ScriptedVisitor(["Action: type [1] 55"])
    with site({"/": SLIDER}) as here:
        visit = await run_visit(here, model)
    assert [step.error for step in visit.steps] == ["", ""]
    assert "aria-valuenow=55>" in model.prompts[1]


async def test_an_editor_that_is_no_field_takes_text(run_visit: RunVisit) -> None:
    page = """<title>Code</title><div id=e role=textbox tabindex=0 aria-label=Code>let a = 1</div>
    <textarea readonly tabindex=-1 aria-hidden=true style="z-index:-10"></textarea><script>
    const context = new EditContext({ text: e.textContent });
    e.editContext = context;
    e.onkeydown = (event) => { if (event.ctrlKey && event.key === 'a') context.updateSelection(0, context.text.length) };
    context.ontextupdate = () => { e.textContent = context.text };</script>"""
    model = ScriptedVisitor(["Action: type [1] let b = 2"])
    with site({"/": page}) as here:
        visit = await run_visit(here, model)
    assert [step.error for step in visit.steps] == ["", ""]
    assert "<textarea" not in model.prompts[0]
    assert ">let b = 2</div>" in model.prompts[1]


FORM = """<title>Form</title><form action=/sent ATTRIBUTES><label>Name <input name=n></label>
<label>Mail <input name=m required></label><button>Send</button><button type=button>Help</button></form>"""
NOT_SENT = 'the form was not sent: "Please fill out this field." ("Mail")'


async def test_a_form_that_the_browser_does_not_send_is_reported_with_its_reason(run_visit: RunVisit) -> None:
    model = ScriptedVisitor(["Send"])
    with site({"/": FORM.replace("ATTRIBUTES", "")}) as here:
        visit = await run_visit(here, model)
        assert not any("/sent" in line for line in here.asked)
    assert visit.steps[0].events == (NOT_SENT,)
    assert NOT_SENT in model.prompts[1]


PAGE = """<title>Names</title><p id=metal>Metal</p><button aria-labelledby=metal>x</button>
<label>Your name <input name=n17></label><label><input type=checkbox value=on> Wrap it</label>
<a href=/cart><svg width=9 height=9><title>Cart</title></svg></a>
<a href=/day title="Choose a day"><i class=date-icon style="display:inline-block;width:9px;height:9px"></i></a>
<label hidden for=seen>Find lamps</label><input id=seen name=q>
<input type=password id=pw value=lantern42 aria-label=PIN><button aria-labelledby=pw>Show it</button>
<label>Code <input autocomplete=one-time-code value=778899 name=otc> again</label><button aria-label="Delete Tom">Delete</button>"""


async def test_elements_are_called_as_their_labels_and_references_say(browser: Any) -> None:
    with site({"/": PAGE}) as here:
        async with open_tab(browser, NetworkGuard(here.url), QUICK) as tab:
            await tab.open(here.url)
            snapshot = (await observe(tab, Secrets())).snapshot
            page: Any = tab.tabs.shown.page
            theirs = [
                await page.locator(f'[data-readagent-id="{one.id}"]').aria_snapshot() for one in snapshot.elements[:6]
            ]
    ours = [element.label for element in snapshot.elements]
    assert ours == [
        "Metal", "Your name", "Wrap it", "Cart", "Choose a day", "Find lamps", "PIN", "Show it", "Code again", "Delete Tom",
    ]  # fmt: skip
    for name, line in zip(ours, theirs, strict=False):
        assert f'"{name}"' in line, "Playwright calls it so, too"
    shown = render(snapshot.root)
    assert "<button id=1 aria-label=Metal>x</button>" in shown
    assert '<input id=6 name=q aria-label="Find lamps">' in shown, "nothing else says it"
    assert "<input id=2 name=n17>" in shown, "the label stands beside it already"
    assert "lantern42" not in shown
    assert "778899" not in shown
