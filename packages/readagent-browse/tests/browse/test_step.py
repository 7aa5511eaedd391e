"""Steps on a page: what the model is asked, which answers are legal, and the fallbacks for unusable replies."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from syrupy.assertion import SnapshotAssertion

from readagent.core.model import Ask, Reply
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.session import Session
from readagent.core.window import Window
from readagent.errors import NoAnswerError
from readagent.testing.scripted import ScriptedModel
from readagent_browse.goal import Action
from readagent_browse.memory import remember
from readagent_browse.snapshot import snapshot_of
from readagent_browse.step import WEB, Goal, next_step
from sessions import run
from web_pages import SHOP, shop_page, shopper

pytestmark = pytest.mark.anyio
GOAL = Goal("Buy the cobalt kettle", ('type "kettle" into "Search" [2]',))


def new_session(
    model: Callable[[Ask], str] | Callable[[Ask], Reply] | list[str], plan: Plan = WEB, window: int | None = 8000
) -> Session:
    return Session(ScriptedModel(model), Prompts.load(), plan, Window(window))


def asks(used: Session) -> list[Ask]:
    assert isinstance(used.model, ScriptedModel)
    return used.model.asks


async def test_left_out_ids_are_added_to_records_and_invented_ones_removed() -> None:
    page = snapshot_of(shop_page(700))
    memory = await remember(page, new_session(lambda ask: "Gist: Lamps [999] and [1, 5000] a field id=2"), GOAL)
    first = memory.records[0]
    assert json.loads(first.render()) == {"index": 0, "content": first.content}
    assert first.content.startswith("Lamps and [1] a field id=2 [0, 3-")
    assert first.lost_ids == len(memory.snippets[0].elements) - 2
    assert memory.lost_ids == sum(record.lost_ids for record in memory.records) > 0
    assert memory.elements() == page.elements


async def test_opened_snippets_replace_their_gists() -> None:
    page = snapshot_of(shop_page(1500))
    memory = await remember(page, new_session(shopper), GOAL)
    lines = memory.render({1}).splitlines()
    assert lines[0].startswith('{"index": 0')
    assert lines[1] == "<part 1>"
    assert lines[lines.index("</part>") + 1].startswith('{"index": 2')
    assert memory.words({1}) == memory.words() - memory.records[1].words + memory.snippets[1].words
    assert 0.5 < 1 - memory.words() / memory.full_words < 1


async def test_a_page_of_one_snippet_is_shown_in_full() -> None:
    session = new_session(["Action: click [40]"])
    step = await next_step(snapshot_of(SHOP), Goal("Buy the lamp"), session)
    assert step.action == Action("40", "click")
    assert step.opened == (0,)
    assert step.memory is None
    assert step.compression == 0


async def test_only_visible_elements_can_be_named() -> None:
    session = new_session(["Action: click [777]", "Action: click [778]"])
    step = await next_step(snapshot_of(SHOP), Goal("Add the lamp to the basket"), session)
    assert step.action == Action("40", "click")  # its name shares most words with the instruction
    assert [one.step for one in session.trace.fallbacks] == ["act"]


async def test_stopping_is_offered_only_if_it_is_allowed() -> None:
    assert (await next_step(snapshot_of(SHOP), GOAL, new_session(["Action: done"]), may_stop=True)).action is None
    session = new_session(["Action: done", "Action: done"])
    assert (await next_step(snapshot_of(SHOP), GOAL, session)).action is not None
    assert 'done"' not in asks(session)[0].prompt
    unreadable = new_session(["?", "?"])
    assert (await next_step(snapshot_of(SHOP), GOAL, unreadable, may_stop=True)).action is None
    assert unreadable.trace.fallbacks[0].taken == "nothing is done"


async def test_a_page_with_nothing_to_act_on_stops_or_is_an_error() -> None:
    page = snapshot_of("<p>Nothing here.</p>")
    assert (await next_step(page, GOAL, new_session(["Action: done"]), may_stop=True)).action is None
    with pytest.raises(NoAnswerError, match="nothing to act on"):
        await next_step(page, GOAL, new_session([]))


async def test_unusable_replies_have_recorded_fallbacks() -> None:
    session = new_session(lambda ask: Reply("" if ask.step != "act" else "I cannot help with that."))
    page = snapshot_of(shop_page(900) + "<input name=code placeholder='Your postcode'>")
    step = await next_step(page, Goal("Give your postcode"), session)
    assert step.action is not None
    assert (step.action.operation, step.action.value) == ("type", "")
    counts = session.trace.fallback_counts()
    assert counts["gist"] == len(step.snippets) - sum(r.origin == "verbatim" for r in step.memory.records)  # type: ignore[union-attr]
    assert counts["look_up"] == 1
    assert counts["act"] == 1


def test_the_rendered_prompts_of_a_small_page(snapshot: SnapshotAssertion) -> None:
    """A change to a prompt shows up in the snapshot of every place that uses it."""
    asks: list[Ask] = []
    for words, element in ((40, "2"), (400, "4")):

        def reply(ask: Ask, element: str = element) -> str:
            if ask.step == "gist":
                return "Gist: Lamps to buy [40]."
            return "Parts: 0" if ask.step == "look_up" else f"Action: click [{element}]"

        model = ScriptedModel(reply)
        plan = Plan(page_words=words, min_page_words=10, max_pages=2, task="Find a lamp" if words > 40 else "")
        goal = Goal("Find a brass lamp", ('click "Home" [0]',))
        run(next_step(snapshot_of(SHOP), goal, Session(model, Prompts.load(), plan), may_stop=words > 40))
        asks += model.asks
    distinct = {ask.prompt: ask.step for ask in asks}
    assert "\n\n=====\n\n".join(f"[{step}]\n{prompt}" for prompt, step in distinct.items()) == snapshot
