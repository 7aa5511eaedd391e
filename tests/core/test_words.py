"""Counting words and tokens, and finding sentences."""

from __future__ import annotations

import pytest

from readagent.core.words import WordIndex, count_words, sentences
from sessions import EXAMPLES


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("one two  three\n", 3),
        ("well-known — yes", 3),
        ("我喜欢读书。", 5),
        ("「我」有iPhone手机", 5),
        ("ภาษาไทยไม่มีช่องว่าง", 5),
        ("한국어는 띄어 씁니다", 3),
        ("x" * 200, 1),
        ("x" * 1000, 5),
    ],
)
def test_words_are_counted_in_many_scripts(text: str, words: int) -> None:
    assert count_words(text) == words
    assert len(WordIndex(text)) == words


def test_ordinary_text_is_counted_by_its_spaces() -> None:
    story = (EXAMPLES / "story.txt").read_text("utf-8")
    assert count_words(story) == len(story.split()) == len(WordIndex(story))


def test_sentences_and_abbreviations_are_told_apart() -> None:
    text = 'Mr. Bell met Dr. J. Roy at 5 p.m. on Monday. "Is it far?" he asked. It was… not! See fig. 3, e.g. there.'
    assert sentences(text) == [
        "Mr. Bell met Dr. J. Roy at 5 p.m. on Monday.",
        '"Is it far?" he asked.',
        "It was… not!",
        "See fig. 3, e.g. there.",
    ]
    assert sentences("他来了。她走了！真的？是的") == ["他来了。", "她走了！", "真的？", "是的"]


@pytest.mark.parametrize(
    "sentence",
    [
        "The war began on 24 Feb. 2022.",
        "They met on Sept. 3 in Paris.",
        "Am 9. November 1989 fiel die Mauer.",
        "Im 19. Jahrhundert wuchs die Stadt.",
        "En el siglo V a. C. Pericles gobernó Atenas.",
        "In A.D. 79 Vesuvius erupted.",
        "See No. 5 and p. 57 there.",
        "3. Mix the flour with z. B. Hafer.",
        "2.1. Terms are defined here.",
    ],
)
def test_a_full_stop_within_a_date_or_after_a_number_ends_no_sentence(sentence: str) -> None:
    assert sentences(f"It rained. {sentence} Then it was dry.") == ["It rained.", sentence, "Then it was dry."]
    assert sentences(f"{sentence}\n{sentence}") == [sentence, sentence]


@pytest.mark.parametrize(
    "text", ["He was 9. Then he left.", "He said no. She left.", "See S. 12. Next came this.", "It took\n12. Then on."]
)
def test_a_number_or_a_word_that_looks_like_an_abbreviation_ends_a_sentence(text: str) -> None:
    assert len(sentences(text)) == 2
