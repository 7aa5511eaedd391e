"""Remember, look up, act: what is asked, what may be answered, and what is taken when nothing usable comes back."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from readagent.core.model import Ask
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.session import Session
from readagent.core.window import Window
from readagent.core.words import estimate_tokens
from readagent.errors import NoAnswerError, UsageError
from readagent.testing.scripted import ScriptedModel
from readagent.webnav.action import Action
from readagent.webnav.ids import checked, runs
from readagent.webnav.remember import remember
from readagent.webnav.snapshot import snapshot_of
from readagent.webnav.snippets import cut
from readagent.webnav.step import WEB, Goal, next_step
from readagent.webnav.view import plain_view
from web_pages import SHOP, shop_page, shopper

pytestmark = pytest.mark.anyio
GOAL = Goal("Buy the cobalt kettle", ('type "kettle" into "Search" [2]',))


def session(model: Callable[[Ask], str] | list[str], plan: Plan = WEB, window: int | None = 8000) -> Session:
    return Session(ScriptedModel(model), Prompts.load(), plan, Window(window))


def asks(who: Session) -> list[Ask]:
    assert isinstance(who.model, ScriptedModel)
    return who.model.asks


async def test_a_page_of_50000_words_is_acted_on_within_8000_tokens() -> None:
    page, who = snapshot_of(shop_page(50_000)), session(shopper)
    step = await next_step(page, GOAL, who)
    assert step.full_words > 50_000
    assert step.element is not None
    assert step.element.label == "Buy this kettle"
    assert step.action == Action(step.element.id, "click")
    assert step.element in step.snippets[step.opened[0]].elements
    assert len(step.opened) == 1
    assert max(estimate_tokens(ask.prompt) for ask in asks(who)) < 8000
    assert step.compression > 0.9
    assert not who.trace.fallbacks


async def test_the_same_page_raw_does_not_show_it_within_8000_tokens() -> None:
    page, who = snapshot_of(shop_page(50_000)), session(shopper)
    view = plain_view(page, cut(page), GOAL.shown(who), who)
    assert "kettle" not in view.prompt
    assert not any("kettle" in element.label for element in view.elements)
    assert all(f"id={element.id}" in view.prompt for element in view.elements)
    (taken,) = who.trace.fallbacks
    assert taken.step == "act"
    assert taken.reason == "the page is too long for the window"


async def test_records_keep_ids_that_the_model_lost_and_lose_those_it_made_up() -> None:
    page = snapshot_of(shop_page(700))
    memory = await remember(page, session(lambda ask: "Lamps [999] and [1, 5000] a field id=2"))
    first = memory.records[0]
    assert json.loads(first.shown()) == {"index": 0, "content": first.content}
    assert first.content.startswith("Lamps and [1] a field id=2 [0, 3-")
    assert first.lost == len(memory.snippets[0].elements) - 2
    assert memory.lost == sum(record.lost for record in memory.records) > 0
    assert memory.elements() == page.elements


async def test_opened_snippets_stand_in_the_place_of_their_gists() -> None:
    page = snapshot_of(shop_page(1500))
    memory = await remember(page, session(shopper))
    lines = memory.render({1}).splitlines()
    assert lines[0].startswith('{"index": 0')
    assert lines[1] == "<part 1>"
    assert lines[lines.index("</part>") + 1].startswith('{"index": 2')
    assert memory.words({1}) == memory.words() - memory.records[1].words + memory.snippets[1].words
    assert 0.5 < 1 - memory.words() / memory.full_words < 1


async def test_a_page_of_one_snippet_is_shown_as_it_is() -> None:
    who = session(["Element: 40"])
    step = await next_step(snapshot_of(SHOP), Goal("Buy the lamp"), who)
    assert step.action == Action("40", "click")
    assert step.opened == (0,)
    assert step.memory is None
    assert step.compression == 0


async def test_with_auto_a_page_that_fits_is_not_gisted() -> None:
    page, who = snapshot_of(shop_page(900)), session(shopper, Plan(page_words=300, look_up="auto", max_pages=6))
    step = await next_step(page, GOAL, who)
    assert who.trace.steps() == {"act": 1}
    assert len(step.opened) == len(step.snippets) > 1


async def test_typing_asks_what_to_do_and_what_to_type() -> None:
    who = session(["**Element**: 2", "Action: type", 'Value: "brass lamp"'])
    step = await next_step(snapshot_of(SHOP), Goal("Find a brass lamp"), who)
    assert step.action == Action("2", "type", "brass lamp")
    assert [ask.choice.values if ask.choice else None for ask in asks(who)[1:]] == [("type", "click"), None]


async def test_a_field_may_be_clicked_instead() -> None:
    who = session(["2", "click"])
    assert (await next_step(snapshot_of(SHOP), Goal("Open the search"), who)).action == Action("2", "click")


async def test_selecting_offers_the_options_and_nothing_else() -> None:
    who = session(["Element: 4", "Option: 2"])
    step = await next_step(snapshot_of(SHOP), Goal("Show the best first"), who)
    assert step.action == Action("4", "select", "Best")
    assert "0. Newest\n1. Cheapest first\n2. Best" in asks(who)[-1].prompt


async def test_only_elements_that_are_shown_can_be_named() -> None:
    who = session(["Element: 777", "Element: 778"])
    step = await next_step(snapshot_of(SHOP), Goal("Add the lamp to the basket"), who)
    assert step.action == Action("40", "click")  # whose name shares most with the instruction
    assert [one.step for one in who.trace.fallbacks] == ["act"]
    choice = asks(who)[0].choice
    assert choice is not None
    assert set(choice.values) == {element.id for element in snapshot_of(SHOP).elements}


async def test_stopping_is_offered_only_where_it_is_allowed() -> None:
    assert (await next_step(snapshot_of(SHOP), GOAL, session(["DONE"]), may_stop=True)).action is None
    who = session(["DONE", "DONE"])
    assert (await next_step(snapshot_of(SHOP), GOAL, who)).action is not None
    assert "DONE" not in asks(who)[0].prompt
    unreadable = session(["?", "?"])
    assert (await next_step(snapshot_of(SHOP), GOAL, unreadable, may_stop=True)).action is None
    assert unreadable.trace.fallbacks[0].taken == "DONE"


async def test_a_page_with_nothing_to_act_on_ends_or_is_an_error() -> None:
    page = snapshot_of("<p>Nothing here.</p>")
    assert (await next_step(page, GOAL, session([]), may_stop=True)).action is None
    with pytest.raises(NoAnswerError, match="nothing to act on"):
        await next_step(page, GOAL, session([]))


async def test_useless_replies_are_replaced_and_recorded() -> None:
    who = session(lambda ask: "" if ask.step != "act" or ask.choice else "I cannot help with that.")
    page = snapshot_of(shop_page(900) + "<input name=code placeholder='Your postcode'>")
    step = await next_step(page, Goal("Give your postcode"), who)
    assert step.action is not None
    assert step.action.operation == "type"
    assert step.action.value == ""
    counts = who.trace.fallback_counts()
    assert counts["gist"] == len(step.snippets) - sum(r.origin == "verbatim" for r in step.memory.records)  # type: ignore[union-attr]
    assert counts["look_up"] == 1
    assert counts["act"] == 3  # the element, the operation, the text


async def test_more_options_than_fit_are_cut_and_recorded() -> None:
    options = "".join(f"<option>Choice number {i} of a very long list of options</option>" for i in range(2000))
    page = snapshot_of(f"<select name=long>{options}</select>")
    step = await next_step(page, Goal("Choose"), session(lambda ask: "7", window=4000))
    assert step.action is not None
    assert step.action.operation == "select"
    assert any("options" in one.reason for one in step.trace.fallbacks)


async def test_gists_too_long_for_the_window_are_cut_and_recorded() -> None:
    who = session(lambda ask: "word " * 30 if ask.step == "gist" else "none", window=2000)
    memory = await remember(snapshot_of(shop_page(20_000)), who)
    assert estimate_tokens(memory.prompt()) < 1500
    assert any("too long for the window" in one.reason for one in who.trace.fallbacks)


async def test_gists_can_be_made_for_the_task() -> None:
    who = session(shopper, Plan(page_words=300, task="buy a kettle"))
    await remember(snapshot_of(shop_page(900)), who)
    assert '"buy a kettle"' in asks(who)[0].prompt


async def test_what_cannot_work_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="too small"):
        await next_step(snapshot_of(SHOP), GOAL, session([], window=1000))
    with pytest.raises(UsageError, match="empty"):
        Goal("  ")
    with pytest.raises(UsageError, match="too long"):
        await next_step(snapshot_of(SHOP), Goal("word " * 900), session([], window=2000))


async def test_only_the_latest_actions_are_told_where_there_is_no_room_for_all() -> None:
    goal = Goal("Go on", tuple(f"click [{i}] on the page that has a long name" for i in range(200)))
    told = goal.shown(session([], window=4000))
    assert "click [199]" in told
    assert "click [0]" not in told
    assert "\n...\n" in told


@pytest.mark.parametrize(
    ("ids", "told"),
    [([], []), (["1", "2", "3", "7"], ["1-3", "7"]), (["a1", "a2"], ["a1", "a2"]), (["9", "10"], ["9-10"])],
)
def test_ids_that_follow_one_another_are_told_as_runs(ids: list[str], told: list[str]) -> None:
    assert runs(ids) == told


def test_ids_are_found_in_any_usual_form() -> None:
    ids = ["3", "4", "5", "e9"]
    assert checked("a [3] b [4, 5] c id=e9", ids)[1] == ("3", "4", "5", "e9")
    assert checked("[3-5]", ids) == ("[3-5]", ("3", "4", "5"))
    assert checked("costs 3 coins [see note]", ids) == ("costs 3 coins [see note]", ())
