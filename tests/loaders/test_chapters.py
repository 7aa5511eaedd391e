"""Chapters of plain text and Project Gutenberg's files: headings are found, and the license is removed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.document import Document, heading_text
from readagent.loaders.blocks import Block
from readagent.loaders.formats import Options
from readagent.loaders.text.chapters import mark
from readagent.loaders.text.headings import number_of
from readagent.loaders.text.plain import book_of, parse, without_license

PROSE = (
    "The ferry was late again, and nobody on the pier seemed to mind it much, since the wind was warm that evening and "
    "the lamps along the quay had just been lit by the old keeper, who hummed to himself as he went."
)


def shown(*parts: str, gap: str = "\n\n") -> list[tuple[int, str]]:
    document = mark(Document.from_text(gap.join(parts)))
    assert "".join(document.text[p.start : p.end] for p in document.paragraphs) == document.text
    return [(p.heading, heading_text(document, p)) for p in document.paragraphs if p.heading]


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
    assert shown("The Lamp\n========", PROSE, "At sea\n------", PROSE) == [(1, "The Lamp"), (2, "At sea")]


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


BOOK = "THE LAMP\n\nby Ada Finch\n\nTranscriber's note: two slips of the press were mended.\n\nAnna crossed the river.\n\nTHE END"
HEADER = """The Project Gutenberg eBook of The Lamp

This ebook is for the use of anyone anywhere. You may copy it, give it away
or re-use it under the terms of the licence included with this ebook.

Title: The Lamp
       Or, the Second Ferry

Author: Ada Finch

Release date: July 6, 2005 [eBook #99999]
                Most recently updated: December 1, 2020

Language: English

Original publication: London: Harbour Press, 1881

*** START OF THE PROJECT GUTENBERG EBOOK THE LAMP; OR,
THE SECOND FERRY ***

Produced by Some Volunteers and the Online Distributed
Proofreading Team at https://www.pgdp.net



"""
FOOTER = """


End of the Project Gutenberg eBook of The Lamp, by Ada Finch

*** END OF THE PROJECT GUTENBERG EBOOK THE LAMP ***

Updated editions will replace the previous one.
"""


def test_the_license_is_removed() -> None:
    document = parse((HEADER + BOOK + FOOTER).encode(), "lamp.txt", Options())
    assert document.text.split() == BOOK.split()
    assert document.title == "The Lamp Or, the Second Ferry"
    assert document.metadata == {"author": "Ada Finch", "language": "en", "date": "1881"}


def test_credits_are_removed() -> None:
    credit = "E-text prepared by A. Volunteer"
    text = f"*** START OF THIS PROJECT GUTENBERG EBOOK X ***\n\n{credit}\n\n\nNote: Project Gutenberg has this in HTML.\n\n{BOOK}"
    assert book_of(text).text.strip() == BOOK


@pytest.mark.parametrize("text", ["", "*** START OF THE PROJECT GUTENBERG EBOOK X ***"])
def test_other_texts_are_unchanged(text: str) -> None:
    assert book_of(text).text == text


def test_blocks_of_a_page_or_an_ebook() -> None:
    header = [Block(part) for part in HEADER.split("\n\n") if part.strip()]
    book = [Block("The Lamp", heading=1), *(Block(part) for part in BOOK.split("\n\n"))]
    footer = [Block(part) for part in FOOTER.split("\n\n") if part.strip()]
    assert without_license([*header, *book, *footer]) == book
    assert without_license(book) == book
    assert without_license([]) == []
    one = Block("*** START OF THIS PROJECT GUTENBERG EBOOK X ***\nThe Lamp", lines=True)
    assert without_license([one, *book]) == [Block("\nThe Lamp", lines=True), *book]
