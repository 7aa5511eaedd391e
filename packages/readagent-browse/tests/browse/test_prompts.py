"""The prompts of web navigation: their rendered text is pinned."""

from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

from readagent.core.model import Ask
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.session import Session
from readagent.testing.scripted import ScriptedModel
from readagent_browse.snapshot import snapshot_of
from readagent_browse.step import Goal, next_step
from sessions import run
from web_pages import SHOP


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
