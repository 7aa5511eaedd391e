"""A gist is checked against its page: failure texts and other texts are found, and good gists pass."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.gists.passages import BY_LANGUAGE, ENGLISH, ERRORS, FAILURES, NOTHING, REFUSALS, REQUESTS, SAMPLES, Sample
from readagent.core.failure_text import failure_in
from readagent.core.gists.check import Check
from readagent.core.gists.repeats import repeats
from readagent.core.gists.shorten import gist_page, judge_gist
from readagent.core.memory import Gist, Page
from readagent.core.model import Reply
from readagent.core.plan import Plan
from readagent.core.words import count_words
from sessions import make_session, run


def problem(text: str, page: str, wishes: str = "") -> str:
    check = Check(wishes)
    return judge_gist(Reply(text), count_words(page), None, lambda gist: check.problem(gist, page))[1]


@pytest.mark.parametrize("language", BY_LANGUAGE)
def test_no_failure_text_is_a_gist_of_any_page(language: str) -> None:
    assert len(FAILURES) > 60
    assert [text for text in FAILURES if not problem(text, BY_LANGUAGE[language].page)] == []


def test_a_gist_of_another_page_is_found() -> None:
    for one in SAMPLES[:10]:
        for other in SAMPLES[:10]:
            if one is not other:
                assert [text for text in other.gists if not problem(text, one.page)] == []


@pytest.mark.parametrize("sample", SAMPLES)
def test_good_gists_pass(sample: Sample) -> None:
    assert {text: problem(text, sample.page) for text in sample.gists if problem(text, sample.page)} == {}


@pytest.mark.parametrize("sample", [sample for sample in SAMPLES if sample.translated])
def test_another_language_passes_only_if_it_is_asked_for(sample: Sample) -> None:
    for wish, text in sample.translated:
        assert problem(text, sample.page, wish) == ""
        assert problem(text, sample.page) == "it was not in the language of the passage"
        assert problem(REFUSALS[0], sample.page, wish)


def test_the_wish_for_a_language_comes_from_the_plan() -> None:
    wish, text = ENGLISH.translated[0]
    page = Page(0, 0, len(ENGLISH.page), count_words(ENGLISH.page))
    for plan in (Plan(instructions=wish), Plan(task=wish)):
        assert run(gist_page(make_session([text], plan), page, ENGLISH.page)).text == text
    assert run(gist_page(make_session([text, text], Plan()), page, ENGLISH.page)).origin == "lead"


def test_a_page_that_tells_of_a_refusal_may_have_a_gist_that_does() -> None:
    page = (
        "I am sorry, wrote the keeper of the archive, I cannot help you with the shipping lists of 1911, for the"
        " river took them. He enclosed a map of the cellar, with the height of the water marked in red, and asked me to"
        " return it before Easter, since the bishop wished to see how close the flood had come to the baptismal books."
    )
    text = "I am sorry, wrote the keeper, I cannot help with the lists of 1911: the river took them. He sent a map."
    assert problem(text, page) == ""


def test_two_pages_cannot_share_a_gist_unless_they_are_alike() -> None:
    gist, page = Gist(ENGLISH.gists[0], 20), ENGLISH.page
    half = f"{' '.join(page.split()[:90])} {SAMPLES[12].page}"
    assert repeats([page, page.replace("tomato", "potato"), half], [gist] * 3) == [2]
    assert repeats([half, page, half], [gist] * 3) == [1]
    assert repeats([page, half], [gist, replace(gist, origin="lead")]) == []
    assert Check(unlike=gist.text).problem(gist.text, page) == "it was the gist of another page"
    assert Check(unlike=gist.text).problem(ENGLISH.gists[1], page) == ""


def test_pages_of_figures_and_of_code_are_not_compared_word_by_word() -> None:
    assert problem("A dump of the first bytes of the file, all hexadecimal.", "0a f3 9c 00 77 1e b2 4d " * 20) == ""
    assert problem(REFUSALS[0], "0a f3 9c 00 77 1e b2 4d " * 20) == "the model refused"


@pytest.mark.parametrize("text", [*REFUSALS, *ERRORS, *REQUESTS, *NOTHING])
def test_failure_texts_are_no_answers(text: str) -> None:
    assert failure_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "Yes", "1894", "No.", "None.", "The text does not say.", "A", "(B)", "42 %", "是", "はい", "Да.", "500 kilograms of salt",
        "Unfortunately, the expedition could not continue, and they turned back.", "An error in the scale: 200 g.",
        "I cannot tell, says Ann, but the narrator explains it later.", "He cannot help her: the bridge is closed.",
        "Leider kann Anna nicht kommen.", "Es tut ihm leid.", "Lamento que murió.", "Je ne sais pas, dit-elle.",
        "Она не могла уйти.", "他无法回家。", "彼は行けませんでした。", "Please, she says, give me the document back.",
        "The page was missing from the ledger.", "Too many requests for loans had come in.", "Error bars show the spread.",
        "As an AI, Klara observes people through the shop window.", "Nan is the grandmother.", "404 sailors",
    ],
)  # fmt: skip
def test_short_and_sad_answers_are_answers(text: str) -> None:
    assert failure_in(text) == ""
