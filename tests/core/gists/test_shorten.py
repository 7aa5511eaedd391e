"""Gists: cleaning a reply, asking once more, and the fallback after two useless replies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.gists.passages import BY_LANGUAGE, ENGLISH, FAILURES, SAMPLES, Sample
from readagent.core.gists.check import Check
from readagent.core.gists.rewrite import repeats
from readagent.core.gists.shorten import gist_page
from readagent.core.gists.sizes import aimed_words
from readagent.core.memory import Gist, Page
from readagent.core.model import Ask, Reply
from readagent.core.plan import Plan
from readagent.core.session import Session
from readagent.core.trace import Usage
from readagent.core.words import count_words
from readagent.errors import PageTooLongError
from readagent.testing.skim import gist as skim
from sessions import EXAMPLES, make_session, run, sensible

STORY = (EXAMPLES / "story.txt").read_text("utf-8")
TEXT = " ".join(STORY.split()[:400])
GIST = "Mira Kessel, a verifier, weighs what others weigh with; bakers' balances were condemned by her."


def gist(session: Session, text: str = TEXT, limit: int | None = None) -> Gist:
    page = Page(3, 0, len(text), count_words(text))
    return run(gist_page(session, page, text, limit=limit))


@pytest.mark.parametrize(
    "reply",
    [
        f"Gist: {GIST}",
        f"```\n{GIST}\n```",
        f"<think>The user wants it short.</think>\n{GIST}",
        Reply(f"Certainly. Here is the condensed text:\n\n**Gist:** {GIST}"),
    ],
)
def test_a_gist_stands_after_its_label_or_is_the_whole_reply(reply: str | Reply) -> None:
    session = make_session([reply])
    assert gist(session) == Gist(GIST, 15, "model")
    assert not session.trace.fallbacks


USELESS = [
    ("", "empty"),
    ("I'm sorry, but I can't help with that.", "too short"),
    (Reply(f"Here is the shortened version:\n\n{GIST}"), "not in the form asked for"),
    (f"Gist: {' '.join(STORY.split()[-60:-20])}", "not about the passage"),
    (
        "Gist: Die Eichmeisterin prüft, was die anderen wiegen, und verurteilt die Waagen der Bäcker in der Stadt.",
        "language",
    ),
    (
        "Gist: in the same order and manner, keep who does what to whom, names, numbers, reasons and outcomes",
        "instruction",
    ),
    (Reply("", finish="length", usage=Usage(reply_tokens=4000)), "token limit"),
    (Reply("", finish="refused"), "the model refused"),
    (Reply("Half a gist", finish="filtered"), "a content filter stopped the reply"),
    (TEXT, "copy of the passage"),
    ("Error", "too short"),
]


@pytest.mark.parametrize(("reply", "reason"), USELESS)
def test_a_useless_gist_is_asked_for_once_more(reply: str | Reply, reason: str) -> None:
    session = make_session([reply, GIST])
    assert gist(session) == Gist(GIST, 15, "model")
    second: Ask = session.model.asks[1]  # type: ignore[attr-defined]
    assert reason in second.prompt
    assert not session.trace.fallbacks


CUT = Reply("Mira Kessel weighs", finish="length")
TOO_LONG = PageTooLongError("the server refuses this text as too long (400): too long")


@pytest.mark.parametrize("failure", [CUT, TOO_LONG])
def test_a_page_that_leaves_no_room_for_its_gist_is_halved(failure: Reply | Exception) -> None:
    session = make_session(lambda ask: failure if ask.material.passages[0] == TEXT else sensible(ask))
    made = gist(session)
    whole, *halves = (ask.material.passages[0] for ask in session.model.asks)  # type: ignore[attr-defined]
    assert len(halves) == 2
    assert " ".join(halves) == whole
    assert made.origin == "model"
    assert all(" ".join(half.split()[:10]) in made.text for half in halves)
    assert not session.trace.fallbacks


@pytest.mark.parametrize("window", [1024, 2048, 4096])
def test_a_prompt_leaves_room_for_a_gist_that_keeps_most_of_it(window: int) -> None:
    session = make_session(window=window)
    gist(session, STORY, limit=6000)
    for ask in session.model.asks:  # type: ignore[attr-defined]
        assert ask.min_reply > 0.5 * session.window.count(ask.material.passages[0])
        assert session.window.count(ask.prompt) + ask.min_reply < window


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


def check(page: str, *, wishes: bool = False) -> Check:
    return Check(wanted=aimed_words(600, count_words(page)), wishes=wishes)


@pytest.mark.parametrize("language", BY_LANGUAGE)
@pytest.mark.parametrize("labelled", [True, False])
def test_no_failure_text_is_a_gist_of_any_page(language: str, labelled: bool) -> None:
    page = BY_LANGUAGE[language].page
    assert [text for text in FAILURES if not check(page).problem(text, page, labelled=labelled)] == []


def test_a_reply_without_its_label_is_no_gist_of_a_page_that_is_too_short_to_compare() -> None:
    page = "She looked down from one end of the sill to the other, and then she lifted her eyes to the dial."
    assert not check(page).problem("She looked at the dial.", page)
    assert check(page).problem("I'm sorry, but I can't help with that.", page, labelled=False)


@pytest.mark.parametrize("sample", SAMPLES)
def test_good_gists_pass(sample: Sample) -> None:
    found = {text: Check().problem(text, sample.page) for text in sample.gists}
    assert {text: problem for text, problem in found.items() if problem} == {}


def test_a_gist_of_another_page_of_the_document_is_found() -> None:
    pages = [sample.page for sample in SAMPLES[6:]]  # of a story, and of a meeting
    document, start = "\n\n".join(pages), 0
    gists = [skim(page, 0.15) for page in pages]
    for page, own, other in zip(pages, gists, [gists[-1], *gists], strict=False):
        placed = Check(document, start, start + len(page))
        assert not placed.problem(own, page)
        assert placed.problem(other, page) in ("it was about another place of the text", "it was not about the passage")
        start += len(page) + 2


@pytest.mark.parametrize("sample", [sample for sample in SAMPLES if sample.translated])
def test_another_language_passes_only_if_the_user_wrote_about_gists(sample: Sample) -> None:
    for _, text in sample.translated:
        assert check(sample.page, wishes=True).problem(text, sample.page) == ""
        assert check(sample.page).problem(text, sample.page)


def test_a_gist_of_few_words_says_nothing_of_a_long_page() -> None:
    page = " ".join(ENGLISH.page.split() * 2)
    assert check(page).problem("Johanna reads the doctor's letter.", page) == "it was too short to say anything"
    assert not check(page).problem(ENGLISH.gists[1], page)


def test_two_pages_cannot_share_a_gist_unless_they_are_alike() -> None:
    gist, page = Gist(ENGLISH.gists[0], 20), ENGLISH.page
    half = f"{' '.join(page.split()[:90])} {SAMPLES[8].page}"
    assert repeats([page, page.replace("tomato", "potato"), half], [gist] * 3) == [2]
    assert repeats([half, page, half], [gist] * 3) == [1]
    assert repeats([page, half], [gist, replace(gist, origin="lead")]) == []
    assert Check(unlike=gist.text).problem(gist.text, page) == "it was the gist of another page"
    assert not Check(unlike=gist.text).problem(ENGLISH.gists[1], page)
