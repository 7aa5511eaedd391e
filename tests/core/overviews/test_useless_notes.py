"""A reply that is no notes is not taken for them: it is recorded, and the beginnings of the gists are used."""

from __future__ import annotations

from pathlib import Path

import pytest

from planted import perfect, story
from readagent import AsyncReadAgent, Library
from readagent.core.model import Ask
from readagent.core.overviews.entries import Entry, words_of
from readagent.core.overviews.write import take_notes
from readagent.core.plan import Plan
from readagent.testing import ScriptedModel
from sessions import make_session, run

PLAN = Plan(page_words=200, min_page_words=80)
REFUSAL = "I'm sorry, but I can't help with that."
USELESS = {
    REFUSAL: "it names no pages",
    "": "it was empty",
    "Please provide the text that you want me to take notes on.": "it names no pages",
}
SAID = [f"Anna visits the island number {at} and tells her brother Tom about it at length." for at in range(6)]


def noted(reply: str, about: str = "") -> tuple[list[str], list[str]]:
    """Return what remains of some entries if this is the reply to the request for notes, and why fallbacks were used."""
    session = make_session(lambda ask: reply)
    entries = [Entry((at,), text) for at, text in enumerate(SAID)]
    most = words_of(entries) // 2
    found = run(take_notes(entries, session, lambda some: words_of(some) <= most, about))
    return [one.text for one in found], [one.reason for one in session.trace.fallbacks]


@pytest.mark.parametrize("reply", USELESS)
def test_useless_notes_are_replaced_by_the_beginnings_of_the_gists(reply: str) -> None:
    texts, reasons = noted(reply)
    assert reasons
    assert set(reasons) == {USELESS[reply]}
    assert len(texts) == len(SAID)
    assert all(said.startswith(text.rstrip("… ")) for text, said in zip(texts, SAID, strict=True))


def test_a_refusal_is_never_told_and_asked_again_on_request(tmp_path: Path) -> None:
    document, _, _ = story(12_000, 60)
    willing = False

    def answer(ask: Ask) -> str:
        return REFUSAL if ask.step in ("note", "write") and not willing else perfect(ask)

    async def told() -> None:
        nonlocal willing
        agent = AsyncReadAgent(ScriptedModel(answer), window=1536, plan=PLAN, library=Library(tmp_path))
        memory = await agent.read(document)
        first = await agent.summary(memory)
        assert first.points
        assert all(point.text.rstrip("…. ") in document.text for point in first.points)
        assert "it names no pages" in [one.reason for one in first.trace.fallbacks if one.step == "note"]
        willing = True
        better = await agent.summary(memory, retry=True)
        assert "note" not in better.trace.fallback_counts()

    run(told())
