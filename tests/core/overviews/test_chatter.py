"""What a model says to the user is no item of a list, unless the text says it."""

from __future__ import annotations

import pytest

from readagent.core.overviews.chatter import is_chatter
from readagent.core.overviews.lists import hits
from sessions import make_session, run
from shelf_members import member

TEXT = 'In May Anna visits the island. "I am sorry, I cannot help you," says the guard. In June she visits it again.'
REFUSAL = "I'm sorry, but I can't help with that request."


def listed(reply: str) -> tuple[list[str], list[str]]:
    """Return the items of a list if this is the model's reply about the only page, and why fallbacks were used."""
    session = make_session(lambda ask: reply if ask.step == "collect" else "1: yes\n2: yes\n3: yes")
    points = run(hits(member("Visits", TEXT).memory, session, "every visit to the island"))
    return [point.text for point in points], [one.reason for one in session.trace.fallbacks if one.step == "collect"]


@pytest.mark.parametrize("mark", ["", " [Page 0]", " (page 0)"])
def test_a_refusal_is_no_item_and_is_recorded(mark: str) -> None:
    assert listed(REFUSAL + mark) == ([], ["the model refused"])


def test_what_the_text_says_is_an_item_whatever_it_sounds_like() -> None:
    said = '"I am sorry, I cannot help you."'
    assert listed(f"{said} [Page 0]") == ([said], [])


@pytest.mark.parametrize(
    "line",
    ["The guard is sorry that he cannot help her.", "The report does not mention the cost."],
)  # fmt: skip
def test_items_that_sound_like_chatter(line: str) -> None:
    assert not is_chatter(line)
