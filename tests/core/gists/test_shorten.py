"""Gists: cleaning a reply, asking once more, and the fallback after two useless replies."""

from __future__ import annotations

import pytest

from readagent.core.gists.shorten import clean, gist_page
from readagent.core.memory import Gist, Page
from readagent.core.model import Ask, Reply
from readagent.core.plan import Plan
from readagent.core.session import Session
from readagent.core.words import count_words
from sessions import EXAMPLES, make_session, prose, run

STORY = (EXAMPLES / "story.txt").read_text("utf-8")
TEXT = " ".join(STORY.split()[:400])
GIST = "Mira Kessel, a verifier, weighs what others weigh with; bakers' balances were condemned by her."


def gist(session: Session, text: str = TEXT, limit: int | None = None) -> Gist:
    page = Page(3, 0, len(text), count_words(text))
    return run(gist_page(session, page, text, limit=limit))


@pytest.mark.parametrize(
    "reply",
    [
        GIST,
        f"Here is the shortened version:\n\n{GIST}",
        f"Sure! Here's a shortened version of the passage:\n{GIST}",
        f"**Shortened passage:** {GIST}",
        f"<Page 3>\n{GIST}",
        f"```\n{GIST}\n```",
        f'"{GIST}"',
        f"<think>The user wants it short.</think>\n{GIST}",
        f"{GIST}\n\nLet me know if you want it shorter.",
        f"Certainly. Here is the condensed text:\n\n{GIST}\n\n(Note: I kept all the names.)",
    ],
)
def test_introductions_tags_and_remarks_are_removed(reply: str) -> None:
    session = make_session([reply])
    assert gist(session) == Gist(GIST, 15, "model")
    assert not session.trace.fallbacks


@pytest.mark.parametrize(
    "text", ["Here is Ada: she stayed.", "Sure of herself, Ada left: nobody followed.", "Page by page."]
)
def test_a_gist_that_only_looks_like_an_introduction_is_kept(text: str) -> None:
    assert clean(text) == text


USELESS = [
    ("", "empty"),
    ("   \n", "empty"),
    ("I'm sorry, but I can't help with that.", "refused"),
    ("As an AI language model, I cannot shorten this text.", "refused"),
    (Reply("", finish="length"), "token limit"),
    (Reply("Mira Kessel weighs what", finish="length"), "token limit"),
    (Reply("", finish="refused"), "the model refused"),
    (Reply("Half a gist", finish="filtered"), "a content filter stopped the reply"),
    (TEXT + " and more", "longer"),
    ("<think>Let me think about", "empty"),
    ("Error", "too short"),
]


@pytest.mark.parametrize(("reply", "reason"), USELESS)
def test_a_useless_gist_is_asked_for_once_more(reply: str | Reply, reason: str) -> None:
    session = make_session([reply, GIST])
    assert gist(session) == Gist(GIST, 15, "model")
    second: Ask = session.model.asks[1]  # type: ignore[attr-defined]
    assert reason in second.prompt
    assert not session.trace.fallbacks


@pytest.mark.parametrize(("reply", "reason"), USELESS)
def test_two_useless_replies_leave_the_opening_sentences(reply: str | Reply, reason: str) -> None:
    session = make_session([reply, reply])
    made = gist(session)
    assert made.origin == "lead"
    assert TEXT.startswith(made.text.split(". ")[0])
    assert 0 < made.words <= 0.15 * 400
    (fallback,) = session.trace.fallbacks
    assert fallback.page == 3
    assert reason in fallback.reason


def test_a_very_short_page_is_its_own_gist_without_a_call() -> None:
    session = make_session([])
    assert gist(session, "Only a few words.") == Gist("Only a few words.", 4, "verbatim")


def test_a_page_longer_than_the_window_is_gisted_in_parts() -> None:
    session = make_session(window=1024)
    made = gist(session, STORY)
    assert len(session.model.asks) > 5  # type: ignore[attr-defined]
    assert made.origin == "model"
    assert made.words < count_words(STORY) / 3


def test_a_limit_is_in_the_prompt_and_enforced() -> None:
    session = make_session(window=1024)
    assert gist(session, STORY, limit=40).words <= 60
    assert "at most" in session.model.asks[0].prompt  # type: ignore[attr-defined]


def test_task_and_instructions_reach_the_prompt_only_when_given() -> None:
    plain, told = make_session(), make_session(plan=Plan(task="Find the culprit.", instructions="Keep every date."))
    gist(plain)
    gist(told)
    assert "Find the culprit." in told.model.asks[0].prompt  # type: ignore[attr-defined]
    assert "Keep every date." in told.model.asks[0].prompt  # type: ignore[attr-defined]
    assert "task" not in plain.model.asks[0].prompt  # type: ignore[attr-defined]


def test_the_prose_fixture_counts_words() -> None:
    assert prose(2).words == 30


def test_a_page_of_a_few_long_words_is_shortened() -> None:
    dump = "\n".join(64 * digit for digit in "0123456789abcdef")
    assert gist(make_session(["Sixteen rows, each of one digit from 0 to f."]), dump).origin == "model"
    assert gist(make_session([""]), dump[:200]).origin == "verbatim"


def test_the_opening_that_replaces_the_gist_of_long_words_is_short() -> None:
    dump = "\n".join(64 * digit for digit in "0123456789abcdefghijklmnopqrstuvwxyz")
    found = gist(make_session(["", ""]), dump)
    assert found.origin == "lead"
    assert len(found.text) < len(dump) / 3
