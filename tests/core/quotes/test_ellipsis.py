"""An ellipsis stands for a part of a sentence, or for whole sentences of a paragraph, but never for a negation."""

from __future__ import annotations

import pytest

from readagent.core.quotes.quotable import Quotable

SENTENCE = "The captain of the old ship sold all his salt and pepper to the merchants of Leeds."


@pytest.mark.parametrize("mark", ["...", "[...]"])
def test_the_passage_shown_is_the_whole_of_it(mark: str) -> None:
    text = f"It was May. {SENTENCE} Nobody cared."
    found = Quotable(text).find(f"The captain of the old ship {mark} to the merchants of Leeds.")
    assert found is not None
    assert not found.exact
    assert text[found.start : found.end] == SENTENCE.rstrip(".")


@pytest.mark.parametrize(
    "quote",
    [
        "The captain ... to the merchants of Leeds",  # a piece of two words
        "The captain of the ... sold ... to the merchants of Leeds",
        "to the merchants of Leeds ... The captain of the old ship",
        "The captain of the old ship ... to the merchants of York",
    ],
)
def test_pieces_have_four_words_and_are_in_order(quote: str) -> None:
    assert Quotable(SENTENCE).find(quote) is None


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("Ann sailed to the island. It rained. Ben mended the red boat.", True),
        ("Ann sailed to the island. It never rained. Ben mended the red boat.", False),
        ("Ann sailed to the island.\n\nIt rained. Ben mended the red boat.", False),
        (f"Ann sailed to the island. {'It rained and rained. ' * 60}Ben mended the red boat.", False),
    ],
)
def test_whole_sentences_of_one_paragraph_may_be_left_out(text: str, accepted: bool) -> None:
    found = Quotable(text).find("Ann sailed to the island. ... Ben mended the red boat.")
    assert (found is not None) == accepted


def test_halves_of_two_sentences_are_not_joined() -> None:
    text = "Ann sailed to the island in May. Ben mended the red boat of the mayor."
    assert Quotable(text).find("Ann sailed to the island ... the red boat of the mayor") is None
    assert Quotable(text).find("Ann sailed to the island ... Ben mended the red boat") is None


@pytest.mark.parametrize(
    "left_out",
    ["never", "hardly", "unless asked"],
)
def test_no_word_is_left_out_that_turns_what_is_said(left_out: str) -> None:
    text = f"The captain of the ship {left_out} paid the sailors of Leeds."
    assert Quotable(text).find("The captain of the ship ... paid the sailors of Leeds") is None
    harmless = text.replace(left_out, "of the north")
    assert Quotable(harmless).find("The captain of the ship ... paid the sailors of Leeds") is not None


def test_an_ellipsis_of_the_text_is_quoted_like_any_mark() -> None:
    text = "He said: “I… I don’t know what happened to her.” She left."
    for quote in ("I... I don't know what happened", "I… I don’t know what happened"):
        found = Quotable(text).find(quote)
        assert found is not None
        assert text[found.start : found.end] == "I… I don’t know what happened"


def test_an_ellipsis_around_a_quote_does_not_matter() -> None:
    assert Quotable(SENTENCE).find("... sold all his salt and pepper …") is not None
    assert Quotable("I never promised money to the poor.").find("... promised money to the poor") is None
