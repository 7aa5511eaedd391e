"""The prompts of a shelf as they are sent."""

from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.session import Session
from readagent.core.shelf.ask import ask_several
from readagent.core.shelf.cards import card_of, choose
from readagent.core.shelf.compare import compare_all
from readagent.testing.scripted import ScriptedModel
from sessions import make_session, prose, read_and_fit, run, sensible
from shelf_members import FARM, MILL, WHO, card


def test_the_rendered_prompts_of_a_shelf(snapshot: SnapshotAssertion) -> None:
    """A snapshot: a change of a prompt shows everywhere the prompt is used."""
    model = ScriptedModel(lambda ask: "Documents: 1" if "<cards>" in ask.prompt else sensible(ask))
    session = Session(model, Prompts.load(), Plan(page_words=60, min_page_words=20))
    run(card_of(run(read_and_fit(prose(40), make_session())), session))
    run(choose([card(number, "About a mill.") for number in range(3)], WHO, session, most=2, nearest=[1]))
    run(ask_several([MILL, FARM], WHO, session))
    run(compare_all([MILL], WHO, session))
    assert "\n\n=====\n\n".join(f"[{ask.step}]\n{ask.prompt}" for ask in model.asks) == snapshot
