"""Chapters of plain text: headings are found, and nothing else is taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.document import Document
from readagent.loaders.text.chapters import mark
from readagent.loaders.text.headings import number_of

PROSE = (
    "The ferry was late again, and nobody on the pier seemed to mind it much, since the wind was warm that evening and "
    "the lamps along the quay had just been lit by the old keeper, who hummed to himself as he went."
)


def shown(*parts: str, gap: str = "\n\n") -> list[tuple[int, str]]:
    document = mark(Document.from_text(gap.join(parts)))
    assert "".join(document.text[p.start : p.end] for p in document.paragraphs) == document.text
    return [(p.heading, " ".join(document.text[p.start : p.end].split())) for p in document.paragraphs if p.heading]


def after(*headings: str) -> list[str]:
    return [part for heading in headings for part in (heading, PROSE)]


@pytest.mark.parametrize(
    "headings",
    [
        ("CHAPTER I", "CHAPTER II", "CHAPTER III"),
        ("_CHAPTER 1._", "_CHAPTER 2._"),
        ("I. The Period", "II. The Mail"),
        ("1. Where we were", "2. Where we are"),
        ("1. Kapitel", "2. Kapitel"),
        ("Première partie", "Deuxième partie", "Troisième partie"),
        ("Capítulo I", "Capítulo II", "Capítulo III"),
        ("# The Lamp", "# The River", "# The End"),
    ],
)
def test_headings_of_one_level(headings: tuple[str, ...]) -> None:
    assert shown(*after(*headings)) == [(1, heading) for heading in headings]


def test_books_are_above_chapters() -> None:
    text = ["PART I", "BOOK ONE: 1805", *after("CHAPTER I", "CHAPTER II"), "BOOK TWO: 1806", *after("CHAPTER I")]
    text += ["PART II", "BOOK THREE", *after("CHAPTER I", "CHAPTER II"), *after("EPILOGUE")]
    assert [level for level, _ in shown(*text)] == [1, 2, 3, 3, 2, 3, 1, 2, 3, 3, 1]


def test_sections_of_a_paper() -> None:
    text = after("Abstract", "1 Introduction", "2 Methods", "2.1 Boats", "2.2 Winds", "3 Results", "References")
    assert [level for level, _ in shown(*text)] == [1, 1, 1, 2, 2, 1, 1]


@pytest.mark.parametrize("between", ["\n\n", "\n"])
def test_a_title_on_the_next_line_belongs_to_its_heading(between: str) -> None:
    numbers = ("I", "II", "III")
    text = [part for number in numbers for part in (f"CHAPTER {number}.{between}The Widow and her Child.", PROSE)]
    assert shown(*text) == [(1, f"CHAPTER {number}. The Widow and her Child.") for number in numbers]
    capitals = ["CHAPTER I", "WHICH TREATS OF THE CHARACTER OF A FAMOUS GENTLEMAN", PROSE, *after("CHAPTER II")]
    assert shown(*capitals)[0] == (1, "CHAPTER I WHICH TREATS OF THE CHARACTER OF A FAMOUS GENTLEMAN")


def test_a_table_of_contents_is_not_a_chapter() -> None:
    chapters = [f"CHAPTER {number}. The Road" for number in ("I", "II", "III", "IV")]
    contents = "\n".join(["PREFACE", "BOOK ONE", *chapters, "BOOK TWO", *chapters, "EPILOGUE"])
    book = [*after("PREFACE"), "BOOK ONE", *after(*chapters), "BOOK TWO", *after(*chapters), *after("EPILOGUE")]
    found = shown("CONTENTS", contents, *book)
    assert found == [(1, "CONTENTS"), *shown(*book)]
    assert len(found) == 13


@pytest.mark.parametrize(
    "parts",
    [
        ['"Part one," he said.', PROSE, "Part one of the plan was easy.", PROSE, "Part two of it was not.", PROSE],
        [PROSE[:-9] + "which", "1", PROSE.lower()[:-7], "2", PROSE.lower()[:-7], "3", PROSE.lower()[:-7], "4", PROSE],
        ["Chapter 1. We introduce the notation.", "Chapter 2. We prove it.", "Chapter 3. We conclude.", PROSE],
        ["", " ", "\n"],
    ],
)
def test_prose_lists_and_pages_have_no_headings(parts: list[str]) -> None:
    assert shown(*parts) == []


def test_underlined_headings() -> None:
    assert shown("The Lamp\n========", PROSE, "At sea\n------", PROSE) == [
        (1, "The Lamp ========"),
        (2, "At sea ------"),
    ]


@pytest.mark.parametrize(
    ("words", "number"),
    [("12", 12), ("twenty-one", 21), ("一百二十", 120), ("99999", 0)],
)  # fmt: skip
def test_numerals(words: str, number: int) -> None:
    assert number_of(words) == number


@given(st.lists(st.sampled_from(["CHAPTER I", "CHAPTER II", "I", "II", "1.1 A", "PREFACE", "# x", "A\n===", PROSE, "", " x"])),
       st.sampled_from(["\n", "\n\n", "\r\n\r\n", "\n \n"]))  # fmt: skip
def test_paragraphs_cover_the_text(parts: list[str], gap: str) -> None:
    shown(*parts, gap=gap)
