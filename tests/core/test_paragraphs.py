"""Paragraphs of plain text in its common layouts."""

from __future__ import annotations

import pytest

from readagent.core.document import Document

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
