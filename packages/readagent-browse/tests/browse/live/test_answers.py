"""Visits that end with an answer: its quotes are checked on the pages seen. Visits that repeat themselves or each other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from browse.live.conftest import RunVisit
from browse.live.scripted_visitor import ScriptedVisitor
from browse.live.site import site
from readagent.agent import AsyncReadAgent
from readagent_browse.live import browse

pytestmark = [pytest.mark.anyio, pytest.mark.browser]
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


@pytest.mark.parametrize("cached", [False, True])
async def test_a_repeated_visit_is_decided_anew_unless_asked(tmp_path: Path, cached: bool) -> None:
    model = ScriptedVisitor(["Visit", "Action: done Eight coins", "Visit", "Action: done Nine coins"])
    answers = []
    with site(PAGES) as here:
        async with AsyncReadAgent(model, window=8000) as agent:
            for name in ("one", "two"):
                visit = await browse(here.url, "What is it?", agent, folder=tmp_path / name, cached=cached)
                answers.append(visit.answer and visit.answer.text)
    assert answers == ["Eight coins", "Eight coins" if cached else "Nine coins"]
    ended = json.loads((tmp_path / "one" / "trace.jsonl").read_text("utf-8").splitlines()[-1])
    assert ended["answer"]["text"] == "Eight coins"
