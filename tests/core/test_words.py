"""Words, sentences, paragraphs and languages of plain text, in many scripts and layouts."""

from __future__ import annotations

import pytest

from core.gists.passages import BY_LANGUAGE, CODE, TABLE
from readagent.core.document import Document
from readagent.core.languages import language, language_named
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


FIRST = "The ferry was late again, and nobody on the pier seemed to mind."
SECOND = "Ada counted the crates twice. There were nine, and there should have been ten."
THIRD = '"Somebody has been here," she said.'


def shown(text: str) -> list[str]:
    document = Document.from_text(text)
    assert "".join(text[p.start : p.end] for p in document.paragraphs) == text
    return [" ".join(text[p.start : p.end].split()) for p in document.paragraphs]


@pytest.mark.parametrize("gap", ["\n\n", "\r\n\r\n", "\n \t\n"])
def test_blank_lines_separate_paragraphs(gap: str) -> None:
    assert shown(gap.join([FIRST, SECOND, THIRD])) == [FIRST, SECOND, THIRD]


def test_indents_begin_paragraphs_without_blank_lines() -> None:
    text = "\n".join(
        [
            "    The ferry was late again, and nobody on the pier",
            "seemed to mind.",
            "    Ada counted the crates twice. There were nine, and",
            "there should have been ten.",
            '    "Somebody has been here," she said.',
        ]
    )
    assert shown(text) == [FIRST, SECOND, THIRD]


def test_each_turn_of_a_transcript_is_a_paragraph() -> None:
    turns = [f"Speaker {i % 3}: " + "we should talk about it " * (1 + i % 4) + "now." for i in range(30)]
    assert shown("\n".join(turns)) == [" ".join(turn.split()) for turn in turns]


def test_wrapped_text_without_blank_lines_breaks_after_short_lines() -> None:
    body = ["this line of the text runs on to the full width of the page, as lines do", "and so does this one,"
            " since nobody has decided to end the paragraph yet ok"]  # fmt: skip
    paragraph = [*body * 3, "until here."]
    text = "\n".join(paragraph * 3)
    assert len(shown(text)) == 3


def test_double_spaced_lines_are_not_paragraphs() -> None:
    lines = ["The ferry was late again, and", "nobody on the pier seemed to", "mind it much, since the wind",
             "was warm that evening."]  # fmt: skip
    text = "\n\n\n".join("\n\n".join(lines) for _ in range(4))
    assert shown(text) == [" ".join(lines)] * 4


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\r\n \t\r\n"])
def test_empty_text_has_no_paragraph_and_blank_text_one(text: str) -> None:
    assert len(Document.from_text(text).paragraphs) <= 1
    assert Document.from_text(text).words == 0


@pytest.mark.parametrize("mark", [",", ";", "\t", " | "])
def test_rows_with_the_same_separators_are_lines(mark: str) -> None:
    rows = "\n".join(mark.join((str(number), "Ann Lee", "Bonn")) for number in range(20))
    assert [one.lines for one in Document.from_text(rows).paragraphs] == [True]


def test_wrapped_prose_is_not_made_of_rows() -> None:
    text = "\n".join(["The ferry was late again, and nobody on", "the pier seemed to mind. Ada counted the"] * 6)
    assert not any(one.lines for one in Document.from_text(text).paragraphs)


CODES = {"English": "en", "German": "de", "Chinese": "zh"}


@pytest.mark.parametrize("name", BY_LANGUAGE)
def test_pages_and_gists_have_a_language(name: str) -> None:
    sample = BY_LANGUAGE[name]
    assert {language(text) for text in (sample.page, *sample.gists)} == {CODES[name]}


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("fr", "Le vieux marin raconte que la mer était calme et que les voiles ne bougeaient pas."),
        ("pt", "O velho marinheiro conta que o mar estava calmo e que as velas não se mexiam."),
        ("ru", "Старый моряк рассказывает, что море было спокойно и что паруса не двигались."),
        ("ja", "老いた船乗りは、海が穏やかだったと語る。"),
        ("ar", "يحكي البحار العجوز أن البحر كان هادئا وأن الأشرعة لم تتحرك."),
        ("ko", "늙은 선원은 바다가 잔잔했다고 말한다."),
    ],
)
def test_more_languages(code: str, text: str) -> None:
    assert language(text) == code


def test_tables_and_numbers_have_none() -> None:
    assert language(TABLE.page) == language("17 18 19 20") == language("") == ""
    assert language(CODE.page) in ("", "en")


@pytest.mark.parametrize(
    ("given", "name"),
    [("fr", "French"), ("français", "French"), ("中文", "Chinese"), ("Latin", "Latin"), ("Old English", "Old English")],
)
def test_a_language_has_one_name(given: str, name: str) -> None:
    assert language_named(given) == name
