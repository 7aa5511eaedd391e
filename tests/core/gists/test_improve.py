"""Improving gists: the prompt, usable replies, and replies that leave the gist unchanged."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from readagent.core.gists.rewrite import improve
from readagent.core.memory import Gist, GistMemory, Page, by_span
from readagent.core.model import Reply
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.reading import read
from readagent.core.session import Session
from readagent.core.words import count_words
from readagent.errors import UsageError
from readagent.testing.scripted import ScriptedModel
from sessions import EXAMPLES, make_session, prose, run

DOCUMENT = prose(12)
BETTER = "Gist: W60 to w100 are told in order, and nothing happens."


def whole() -> GistMemory:
    return run(read(DOCUMENT, make_session()))


def test_the_rendered_prompt_to_improve_a_gist(snapshot: SnapshotAssertion) -> None:
    """A snapshot, as for the other prompts."""
    memory = whole()
    session = Session(ScriptedModel([BETTER]), Prompts.load(), Plan(task="Find w7."))
    run(improve(memory, [1], session, "keep the numbers"))
    assert session.model.asks[0].prompt == snapshot  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("I'm sorry, but I can't help with that.", "not about the passage"),
        (whole().gists[1].text, "same gist again"),
    ],
)
def test_a_useless_reply_leaves_the_gist_unchanged(reply: str | Reply, reason: str) -> None:
    session = make_session([reply, reply])
    assert run(improve(whole(), [1], session)) == {}
    (fallback,) = session.trace.fallbacks
    assert (fallback.step, fallback.taken, fallback.page) == ("gist", "the gist as it was", 1)
    assert reason in fallback.reason


def test_no_prompt_exceeds_a_small_window_for_long_gists_and_pages() -> None:
    text = (EXAMPLES / "story.txt").read_text("utf-8")
    document = prose(1).from_text(text)
    long = Gist(" ".join(text.split()[:900]), 900, "user")
    memory = GistMemory(document, (Page(0, 0, len(text), count_words(text)),), (long,), Plan())
    session = make_session(window=700)
    made = run(improve(memory, [0], session, "keep the names"))
    assert made[0].words < count_words(text)
    assert all(session.window.fits(ask.prompt) for ask in session.model.asks)  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="note is too long"):
        run(improve(memory, [0], make_session(window=700), "much " * 600))


@pytest.mark.parametrize("pauses", ["model", "uniform"])
def test_a_reading_keeps_pinned_pages_with_any_plan(pauses: str) -> None:
    memory = whole()
    own = {number: Gist(f"Mine {number}.", 2, "user") for number in (0, 2)}
    pinned = by_span(memory, own)
    plan = Plan(page_words=40, min_page_words=10, pauses=pauses)  # type: ignore[arg-type]
    again = run(read(DOCUMENT, make_session(plan=plan), pinned))
    shown = dict(zip(((page.start, page.end) for page in again.pages), again.gists, strict=True))
    assert {span: shown[span] for span in pinned} == pinned
    assert "".join(map(again.page_text, range(len(again.pages)))) == DOCUMENT.text
    assert all(page.words <= 44 for page, made in zip(again.pages, again.gists, strict=True) if made.origin != "user")
