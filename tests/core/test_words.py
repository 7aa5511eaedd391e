"""Counting words and tokens, and finding sentences."""

from __future__ import annotations

import pytest

from readagent.core.words import WordIndex, count_words, lead, sentence_ends, sentences, truncate
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


def test_sentence_ends_are_where_the_next_sentence_begins() -> None:
    text = "One. Two."
    assert list(sentence_ends(text, 0, len(text))) == [5]


def test_lead_keeps_whole_sentences_within_the_words() -> None:
    text = "One two three. Four five six. Seven eight nine."
    assert lead(text, 7) == "One two three. Four five six."
    assert lead(text, 2) == "One two"
    assert truncate(text, 4) == "One two three. Four"
