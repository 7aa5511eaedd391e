"""A gist is compared with its page, with the rest of the document and with the prompt; no wording is looked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.gists.passages import BY_LANGUAGE, ENGLISH, FAILURES, SAMPLES, Sample
from readagent.core.gists.check import Check
from readagent.core.gists.rewrite import repeats
from readagent.core.gists.sizes import aimed_words
from readagent.core.memory import Gist
from readagent.core.words import count_words
from readagent.testing.skim import gist as skim


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
