"""A gist is checked against its page: failure texts and other texts are found, and good gists pass."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.gists.passages import BY_LANGUAGE, ENGLISH, FAILURES, REFUSALS, SAMPLES, Sample
from readagent.core.gists.check import Check
from readagent.core.gists.rewrite import repeats
from readagent.core.gists.shorten import judge_gist
from readagent.core.memory import Gist
from readagent.core.model import Reply
from readagent.core.words import count_words


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


ERLKING = (
    "Wer reitet so spät durch Nacht und Wind? Es ist der Vater mit seinem Kind; er hat den Knaben wohl in dem Arm, er faßt"
    " ihn sicher, er hält ihn warm. Mein Sohn, was birgst du so bang dein Gesicht? Siehst, Vater, du den Erlkönig nicht?"
    " Den Erlenkönig mit Kron und Schweif? Mein Sohn, es ist ein Nebelstreif. Dem Vater grausets, er reitet geschwind, er"
    " hält in Armen das ächzende Kind, erreicht den Hof mit Mühe und Not; in seinen Armen das Kind war tot."
)
OZYMANDIAS = (
    "I met a traveller from an antique land, who said: Two vast and trunkless legs of stone stand in the desert. Near them,"
    " on the sand, half sunk a shattered visage lies, whose frown, and wrinkled lip, and sneer of cold command, tell that"
    " its sculptor well those passions read which yet survive, stamped on these lifeless things. And on the pedestal,"
    " these words appear: My name is Ozymandias, King of Kings; look on my works, ye Mighty, and despair! Nothing beside"
    " remains. Round the decay of that colossal wreck, boundless and bare, the lone and level sands stretch far away."
)


def test_a_gist_that_shares_hardly_a_word_is_accepted_if_the_model_says_the_same_again() -> None:
    first = "A wanderer describes the broken monument of a proud ruler, of whose power only rubble is left."
    again = "A wanderer tells of a proud ruler's broken monument: rubble is all that his power has left in the desert."
    other = (
        "The committee of the desert railway chose new brakes, a cheaper timetable and another caterer for its guests."
    )
    free = "it shares too few words with the passage"
    check = Check()
    assert check.problem(first, OZYMANDIAS) == free
    assert check.problem(first, OZYMANDIAS) == free, "the same words again show nothing"
    assert check.problem(again, OZYMANDIAS) == ""
    unlike = Check()
    assert [unlike.problem(one, OZYMANDIAS) for one in (first, other)] == [free, free]
    elsewhere = Check()
    assert [elsewhere.problem(first, OZYMANDIAS), elsewhere.problem(again, ERLKING)][1]
