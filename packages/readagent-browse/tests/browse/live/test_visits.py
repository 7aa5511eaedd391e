"""Visits to a small site in a real browser: what the model sees, what is done, how a visit ends, and its trace."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from browse.live.conftest import QUICK, RunVisit
from browse.live.scripted_visitor import ScriptedVisitor
from browse.live.site import site
from readagent.agent import AsyncReadAgent
from readagent.errors import BrowserError, UsageError
from readagent_browse.live import Limits, VisitStep, browse, refuse
from readagent_browse.live.browser_tab import open_tab
from readagent_browse.live.network_guard import NetworkGuard
from readagent_browse.live.observe import observe
from readagent_browse.live.secrets import Secrets
from readagent_browse.live.visit import agree
from readagent_browse.render import render

pytestmark = [pytest.mark.anyio, pytest.mark.browser]
SHOP = """<title>Shop</title><h1>Shop</h1><form action=/find><input name=q placeholder=Find type=search>
<select name=kind><option>Lamps<option>Chairs</select><button>Go</button></form>"""
FOUND = "<title>Found</title><ul><li><a href=/brass>Brass lamp</a><li><a href=/steel>Steel lamp</a></ul>"


async def observed(browser: Any, html: str) -> tuple[str, Any]:
    """Return the rendered page and the observation."""
    with site({"/": html, "/inside": "<p>In the frame <button>Inner</button></p>"}) as here:
        async with open_tab(browser, NetworkGuard(here.url), QUICK) as tab:
            await tab.open(here.url)
            seen = await observe(tab, Secrets())
    return render(seen.snapshot.root), seen


async def test_a_page_cannot_push_steps_and_notes_out_of_the_prompt(run_visit: RunVisit) -> None:
    script = "for (let n = 0; n < 40; n++) fetch('/stat/' + n + 'x'.repeat(60), {method: 'POST', body: 'x'})"
    page = f'<title>Noisy</title><button onclick="{script}">Go</button><script>{script}</script>'
    model = ScriptedVisitor(["Action: note The price is 7", "Go", "Go"])
    with site({"/": page}) as here:
        visit = await run_visit(here, model, confirm=refuse, window=3000)
    done = model.prompts[-1].partition("<done>")[2].partition("</done>")[0] or model.prompts[-1]
    assert "The price is 7" in done
    assert 'click "Go"' in done
    assert done.count("not sent: POST") <= 12
    assert re.search(r"\.\.\. and \d\d more", done)
    assert len(visit.steps[0].events) > 20, "the trace has them all"


async def test_an_unattended_visit_of_a_page_that_needs_its_socket_is_not_done(run_visit: RunVisit) -> None:
    page = "<title>App</title><p>Connecting</p><script>new WebSocket(`ws://${location.host}/stream`)</script>"
    with site({"/": page}) as here:
        visit = await run_visit(here, ["Action: done There is nothing."], confirm=refuse)
    assert visit.ended == "unconfirmed"
    assert visit.reason.startswith(f"open a WebSocket to ws://127.0.0.1:{here.port}")


async def test_a_page_is_read_as_a_person_sees_it(browser: Any) -> None:
    html = """<title>Odds and ends</title><p style="display:none">hidden text</p><p style="visibility:hidden">unseen</p>
    <div style="height:0;overflow:hidden"><a href=/x>collapsed</a></div><details><summary>More</summary><a href=/y>inside
    details</a></details><input id=t value=stale placeholder=Field><input type=checkbox id=c><select id=s><option>One<option>Two
    </select><textarea id=a>before</textarea><button disabled>Not now</button><span id=l>listens</span><span
    style="cursor:pointer">points</span><p>plain</p><img src=/none alt=vegan><i class="icon-trash" onclick="1"></i><my-box></my-box><iframe
    src=/inside></iframe><script>t.value = 'new'; c.checked = true; s.selectedIndex = 1; a.value = 'after';
    l.addEventListener('click', () => 1); document.querySelector('my-box').attachShadow({mode: 'open'}).innerHTML =
    '<button>In the shadow</button>';</script>"""
    text, seen = await observed(browser, html)
    for unseen in ("hidden text", "unseen", "collapsed", "inside details", "before", "stale"):
        assert unseen not in text
    labels = [element.label for element in seen.snapshot.elements]
    assert labels == ["More", "Field", "c", "Two", "after", "listens", "points", "icon-trash", "In the shadow", "Inner"]
    assert "value=new" in text
    assert "checked" in text
    assert "value=Two" in text
    assert "plain" in text
    assert "alt=vegan" in text, "even before it has loaded"
    assert seen.title == "Odds and ends"


async def test_elements_keep_their_ids_and_ids_are_unique(browser: Any) -> None:
    html = "<div id=box><button>One</button><button>Two</button></div>"
    with site({"/": html}) as here:
        async with open_tab(browser, NetworkGuard(here.url), QUICK) as tab:
            await tab.open(here.url)
            first = await observe(tab, Secrets())
            await tab.evaluate("box.prepend(box.lastChild.cloneNode(true)); box.lastChild.textContent = 'Last'; 1")
            second = await observe(tab, Secrets())
    assert [(one.id, one.label) for one in first.snapshot.elements] == [("1", "One"), ("2", "Two")]
    labels = {element.id: element.label for element in second.snapshot.elements}
    assert labels["1"] == "One"
    assert sorted(labels.values()) == ["Last", "One", "Two"]


async def test_a_host_that_contains_a_secret_is_named_without_it(tmp_path: Path) -> None:
    page = "<title>Shop</title><h1>Shop</h1><img src=http://zebra-77.evil.example/x.png><a href=/>Home</a>"
    with site({"/": page}) as here:
        async with AsyncReadAgent(ScriptedVisitor([]), window=8000) as agent:
            visit = await browse(here.url, "Look", agent, folder=tmp_path / "t", secrets={"PW": "zebra-77"})
    assert visit.blocked_hosts == ("http://{PW}.evil.example",)


async def test_a_task_is_carried_out_and_traced(tmp_path: Path) -> None:
    steps: list[VisitStep] = []
    acts = [("Find", "lamp"), ("Lamps | Chairs", "Chairs"), "Go", "Brass lamp"]
    with site({"/": SHOP, "/find": FOUND, "/brass": "<title>Brass lamp</title><a href=/>Home</a>"}) as here:
        async with AsyncReadAgent(ScriptedVisitor(acts), window=8000) as agent:
            visit = await browse(here.url, "Find a brass lamp", agent, folder=tmp_path / "t", on_step=steps.append)
        assert [one.partition("/")[2] for one in here.asked if "favicon" not in one] == [
            "",
            "find?q=lamp&kind=Chairs",
            "brass",
        ]
    assert visit.done
    assert tuple(steps) == visit.steps
    assert [step.description for step in visit.steps] == [
        'type "lamp" into "Find" [1]', 'select "Chairs" in "kind" [2]', 'click "Go" [3]', 'click "Brass lamp" [1]',
        "nothing left to do",
    ]  # fmt: skip
    assert visit.steps[3].context.count("lamp") == 2
    lines = [json.loads(line) for line in (tmp_path / "t" / "trace.jsonl").read_text("utf-8").splitlines()]
    assert [line["event"] for line in lines] == ["began", *["step"] * 5, "ended"]
    assert lines[0]["instruction"] == "Find a brass lamp"
    assert lines[3]["description"] == 'click "Go" [3]'
    assert lines[-1]["ended"] == "done"
    for number in range(1, 6):
        assert (tmp_path / "t" / f"step-0{number}.png").read_bytes().startswith(b"\x89PNG")
        assert "lamp" in (tmp_path / "t" / f"step-0{number}.calls.jsonl").read_text("utf-8")
        assert (tmp_path / "t" / f"step-0{number}.snippets.jsonl").exists()


async def test_a_visit_ends_after_the_maximum_number_of_steps(run_visit: RunVisit) -> None:
    with site({"/": SHOP, "/find": SHOP}) as here:
        visit = await run_visit(here, ["Go"] * 9, limits=Limits(steps=2))
    assert (visit.ended, len(visit.steps), visit.reason) == ("steps", 2, "not done after 2 steps")


async def test_a_failed_action_is_shown_to_the_model_and_the_visit_goes_on(run_visit: RunVisit) -> None:
    html = """<button id=a>Covered</button><div id=d style="position:fixed;inset:0;background:#fff8"><p>Cookies</p>
    <button onclick="d.remove()">Fine</button></div>"""
    model = ScriptedVisitor(["Covered", "Fine", "Covered"])
    with site({"/": html}) as here:
        visit = await run_visit(here, model, limits=Limits(act=1))
    assert visit.done
    assert visit.steps[0].error.startswith("it cannot be clicked: it took too long; in the way: <p>Cookies</p>")
    assert [step.error for step in visit.steps[1:]] == ["", "", ""]
    assert "(failed: it cannot be clicked" in model.prompts[1]


async def test_a_start_page_that_redirects_to_another_host_is_an_error_with_a_hint(run_visit: RunVisit) -> None:
    with site({"/": "-> http://localhost:PORT/there", "/there": SHOP}) as here:
        with pytest.raises(BrowserError, match=r"blocked: http://localhost.*not an allowed host") as caught:
            await run_visit(here, [])
        assert "`allow`" in caught.value.hint
        assert (await run_visit(here, ["Go"], allow=(f"localhost:{here.port}",), trace="again")).done


async def test_invalid_addresses_and_hosts_are_usage_errors() -> None:
    agent = AsyncReadAgent(ScriptedVisitor([]))
    with pytest.raises(UsageError, match="not the address of a web page"):
        await browse("file:///etc/passwd", "Read", agent)
    with pytest.raises(UsageError, match="not the address of a web page"):
        await browse("What do tickets cost?", "https://example.org", agent)
    with pytest.raises(UsageError, match="is not a host"):
        await browse("https://example.org", "Read", agent, allow=["example.org/path"])


PAGES = {
    "/": "<title>Museum</title><p>The museum shows lamps of five centuries.</p><a href=/visit?lang=en>Visit</a>",
    "/visit": "<title>Visit</title><h1>Visit</h1><p>The museum is open from Tuesday to Sunday.</p>"
    "<p>A ticket costs eight coins, children pay nothing.</p>",
}


async def test_an_answer_carries_quotes_from_the_pages_that_were_seen(run_visit: RunVisit, tmp_path: Path) -> None:
    said = (
        'Action: done A ticket costs eight coins.\nQuote: "A ticket costs eight coins"\n'
        'Quote: "The museum shows lamps of five centuries."'
    )
    model = ScriptedVisitor(["Visit", said])
    with site(PAGES) as here:
        visit = await run_visit(here, model)
    answer = visit.answer
    assert visit.done
    assert answer is not None
    assert answer.text == "A ticket costs eight coins."
    assert [(quote.text, quote.place, quote.by_us) for quote in answer.quotes] == [
        ("A ticket costs eight coins, children pay nothing.", f"{here.url}/visit?lang=en", False),
        ("The museum shows lamps of five centuries.", f"{here.url}/", False),
    ]
    assert [one.state for one in answer.statements] == ["supported"]
    assert answer.verified
    assert f"<url>{here.url}/visit?lang=en</url>\n" in model.prompts[1]


async def test_a_quote_that_is_on_no_page_is_dropped_and_told(run_visit: RunVisit) -> None:
    said = 'Action: done A ticket costs nine coins.\nQuote: "A ticket costs nine coins for everyone"'
    with site(PAGES) as here:
        visit = await run_visit(here, ["Visit", said])
    assert visit.answer is not None
    assert visit.answer.text == "A ticket costs nine coins."
    assert visit.answer.false_quotes == 1
    assert not visit.answer.verified
    assert all(quote.by_us for quote in visit.answer.quotes)
    assert any("eight coins" in quote.text for quote in visit.answer.quotes)


async def test_the_same_action_on_the_same_page_ends_the_visit(run_visit: RunVisit) -> None:
    model = ScriptedVisitor(["Nothing"] * 8)
    with site({"/": "<button>Nothing</button>"}) as here:
        visit = await run_visit(here, model)
    assert visit.ended == "stuck"
    assert "again and again: the page was the same when this was done before" in visit.reason
    assert len(visit.steps) == 4
    assert visit.steps[-1].error.startswith("not done again")
    assert "the page was the same when this was done before" not in model.prompts[1]
    assert "(the page was the same when this was done before)" in model.prompts[2]


async def test_a_model_that_names_no_action_fails_with_a_reason(run_visit: RunVisit) -> None:
    with site(PAGES) as here:
        visit = await run_visit(here, ["Action: fly", "Action: fly"])
    assert (visit.ended, visit.reason) == ("failed", "the model named no action")
    assert [(one.reason, one.taken) for one in visit.trace.fallbacks] == [("it named no action", "the visit ends")]


async def test_a_repeated_visit_is_decided_anew(tmp_path: Path) -> None:
    model = ScriptedVisitor(["Visit", "Action: done Eight coins", "Visit", "Action: done Nine coins"])
    answers = []
    with site(PAGES) as here:
        async with AsyncReadAgent(model, window=8000) as agent:
            for name in ("one", "two"):
                visit = await browse(here.url, "What is it?", agent, folder=tmp_path / name)
                answers.append(visit.answer and visit.answer.text)
    assert answers == ["Eight coins", "Nine coins"]
    ended = json.loads((tmp_path / "one" / "trace.jsonl").read_text("utf-8").splitlines()[-1])
    assert ended["answer"]["text"] == "Eight coins"


@pytest.mark.slow
async def test_a_profile_keeps_cookies(tmp_path: Path) -> None:
    page = """<script>document.write(document.cookie.includes('who=Mira') ? '<p>Welcome back Mira, nice to see you here again</p>' :
    '<button onclick="document.cookie = \\'who=Mira; max-age=9999\\'">Enter as Mira</button>')</script>"""
    models = [ScriptedVisitor(["Enter as Mira"]), ScriptedVisitor([])]
    with site({"/": page}) as here:
        for number, model in enumerate(models):
            async with AsyncReadAgent(model, window=8000) as agent:
                folder = tmp_path / f"t{number}"
                assert (await browse(here.url, "Enter", agent, profile="cookie", folder=folder, confirm=agree)).done
    assert "Welcome back Mira" in models[1].prompts[0]
