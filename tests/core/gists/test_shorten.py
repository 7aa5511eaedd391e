"""Gists: what is cleaned, what is asked for again, and what stands in when nothing usable comes."""

from __future__ import annotations

import pytest

from readagent.core.gists.shorten import cleaned, gist_page
from readagent.core.memory import Gist, Page
from readagent.core.model import Ask, Reply
from readagent.core.plan import Plan
from readagent.core.session import Session
from readagent.core.words import count_words
from sessions import EXAMPLES, prose, run, session

STORY = (EXAMPLES / "story.txt").read_text("utf-8")
TEXT = " ".join(STORY.split()[:400])
GIST = "Mira comes to Brenza to weigh the salt, and nobody is glad of it."


def gist(who: Session, text: str = TEXT, limit: int | None = None) -> Gist:
    page = Page(3, 0, len(text), count_words(text))
    return run(gist_page(who, page, text, limit=limit))


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
def test_what_is_not_gist_is_cleaned_away(reply: str) -> None:
    who = session([reply])
    assert gist(who) == Gist(GIST, 14, "model")
    assert not who.trace.fallbacks


@pytest.mark.parametrize(
    "text", ["Here is Ada: she stayed.", "Sure of herself, Ada left: nobody followed.", "Page by page."]
)
def test_a_gist_that_only_looks_like_an_introduction_is_kept(text: str) -> None:
    assert cleaned(text) == text


USELESS = [
    ("", "empty"),
    ("   \n", "empty"),
    ("I'm sorry, but I can't help with that.", "refused"),
    ("As an AI language model, I cannot shorten this text.", "refused"),
    (Reply("", finish="length"), "token limit"),
    (Reply("Mira comes to Brenza to", finish="length"), "token limit"),
    (Reply("", finish="refused"), "refused"),
    (TEXT + " and more", "longer"),
    ("<think>Let me think about", "empty"),
    ("Error", "too short"),
]


@pytest.mark.parametrize(("reply", "reason"), USELESS)
def test_a_useless_gist_is_asked_for_once_more(reply: str | Reply, reason: str) -> None:
    who = session([reply, GIST])
    assert gist(who) == Gist(GIST, 14, "model")
    second: Ask = who.model.asks[1]  # type: ignore[attr-defined]
    assert reason in second.prompt
    assert not who.trace.fallbacks


@pytest.mark.parametrize(("reply", "reason"), USELESS)
def test_two_useless_gists_leave_a_marked_lead(reply: str | Reply, reason: str) -> None:
    who = session([reply, reply])
    made = gist(who)
    assert made.origin == "lead"
    assert TEXT.startswith(made.text.split(". ")[0])
    assert 0 < made.words <= 0.15 * 400
    (fallback,) = who.trace.fallbacks
    assert fallback.page == 3
    assert reason in fallback.reason


def test_a_very_short_page_is_its_own_gist_and_costs_nothing() -> None:
    who = session([])
    assert gist(who, "Only a few words.") == Gist("Only a few words.", 4, "verbatim")


def test_a_page_longer_than_the_window_is_gisted_in_parts() -> None:
    who = session(window=1024)
    made = gist(who, STORY)
    assert len(who.model.asks) > 5  # type: ignore[attr-defined]
    assert made.origin == "model"
    assert made.words < count_words(STORY) / 3


def test_a_limit_is_asked_for_and_kept() -> None:
    who = session(window=1024)
    assert gist(who, STORY, limit=40).words <= 60
    assert "at most" in who.model.asks[0].prompt  # type: ignore[attr-defined]


def test_task_and_instructions_reach_the_prompt_only_when_given() -> None:
    plain, told = session(), session(plan=Plan(task="Find the culprit.", instructions="Keep every date."))
    gist(plain)
    gist(told)
    assert "Find the culprit." in told.model.asks[0].prompt  # type: ignore[attr-defined]
    assert "Keep every date." in told.model.asks[0].prompt  # type: ignore[attr-defined]
    assert "task" not in plain.model.asks[0].prompt  # type: ignore[attr-defined]


def test_prose_helper_counts() -> None:
    assert prose(2).words == 30
