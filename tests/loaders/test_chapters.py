"""Chapters of plain text: headings are found, and nothing else is taken for one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.document import Document
from readagent.loaders.text.chapters import mark
from readagent.loaders.text.numerals import number_of

PROSE = (
    "The ferry was late again, and nobody on the pier seemed to mind it much, since the wind was warm that evening and "
    "the lamps along the quay had just been lit by the old keeper, who hummed to himself as he went."
)
DATASETS = os.environ.get("READAGENT_DATASETS", "")


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
        ("Chapter 12. The Storm", "Chapter 13. The Calm"),
        ("CHAPTER ONE", "CHAPTER TWO"),
        ("BOOK THE FIRST", "BOOK THE SECOND"),
        ("_CHAPTER 1._", "_CHAPTER 2._"),
        ("PART 3", "PART 4"),
        ("Letter 4 To Mrs. Saville, England", "Letter 5 To the Same"),
        ("I", "II", "III"),
        ("I. The Period", "II. The Mail"),
        ("I - THE FINDING", "II - THE PLAIN"),
        ("1", "2", "3"),
        ("1 Introduction", "2 Methods", "3 Results"),
        ("1. Where we were", "2. Where we are"),
        ("Kapitel 1", "Kapitel 2"),
        ("Erstes Kapitel", "Zweites Kapitel", "Drittes Kapitel"),
        ("Erstes Kapitel", "Zweites Kapitel"),
        ("Erstes Kapitel. Der Fluss", "Zweites Kapitel. Die Brücke"),
        ("1. Kapitel", "2. Kapitel"),
        ("CHAPITRE PREMIER", "CHAPITRE DEUXIÈME", "CHAPITRE TROISIÈME"),
        ("Chapitre premier", "Chapitre deuxième", "Chapitre troisième. Le pont"),
        ("Chapitre premier", "Chapitre II"),
        ("Première partie", "Deuxième partie"),
        ("Capítulo primero", "Capítulo segundo"),
        ("Глава первая", "Глава вторая"),
        ("الفصل الأول", "الفصل الثاني", "الفصل الحادي عشر"),
        ("Capítulo I", "Capítulo II"),
        ("ГЛАВА ПЕРВАЯ", "ГЛАВА ВТОРАЯ", "ГЛАВА ТРЕТЬЯ"),
        ("第一章 风雨", "第二章 山", "第三章 河"),
        ("PREFACE", "INTRODUCTION BY THE AUTHOR", "EPILOGUE", "APPENDIX B"),
        ("# The Lamp", "# The River", "# The End"),
    ],
)
def test_headings_of_one_level(headings: tuple[str, ...]) -> None:
    assert shown(*after(*headings)) == [(1, heading) for heading in headings]


def test_chapters_numbered_in_words_after_a_table_of_contents() -> None:
    chapters = ("Erstes Kapitel", "Zweites Kapitel", "Drittes Kapitel")
    assert shown(*chapters, *after(*chapters)) == [(1, heading) for heading in chapters]


def test_a_line_with_the_word_for_a_part_and_no_number_is_not_a_heading() -> None:
    text = [*after("Teil 1"), "Teil davon", *after("Teil 2"), "Kapitel davor", PROSE, "Kapitel danach", PROSE]
    assert shown(*text) == [(1, "Teil 1"), (1, "Teil 2")]


def test_books_are_above_chapters() -> None:
    text = ["PART I", "BOOK ONE: 1805", *after("CHAPTER I", "CHAPTER II"), "BOOK TWO: 1806", *after("CHAPTER I")]
    text += ["PART II", "BOOK THREE", *after("CHAPTER I", "CHAPTER II"), *after("EPILOGUE")]
    assert [level for level, _ in shown(*text)] == [1, 2, 3, 3, 2, 3, 1, 2, 3, 3, 1]


def test_acts_and_scenes() -> None:
    text = ["ACT I", *after("SCENE 1. A quay.", "SCENE 2. An inn."), "ACT II", *after("SCENE 1. The same.", "SCENE 2")]
    assert [level for level, _ in shown(*text)] == [1, 2, 2, 1, 2, 2]


def test_sections_of_a_paper() -> None:
    text = after("Abstract", "1 Introduction", "2 Methods", "2.1 Boats", "2.2 Winds", "3 Results", "References")
    assert [level for level, _ in shown(*text)] == [1, 1, 1, 2, 2, 1, 1]


def test_letters_before_chapters_have_the_same_level() -> None:
    text = after("Letter 1", "Letter 2", "Letter 3", *(f"Chapter {number}" for number in range(1, 9)))
    assert {level for level, _ in shown(*text)} == {1}


@pytest.mark.parametrize("between", ["\n\n", "\n"])
def test_a_title_on_the_next_line_belongs_to_its_heading(between: str) -> None:
    numbers = ("I", "II", "III")
    text = [part for number in numbers for part in (f"CHAPTER {number}.{between}The Widow and her Child.", PROSE)]
    assert shown(*text) == [(1, f"CHAPTER {number}. The Widow and her Child.") for number in numbers]
    capitals = ["CHAPTER I", "WHICH TREATS OF THE CHARACTER OF A FAMOUS GENTLEMAN", PROSE, *after("CHAPTER II")]
    assert shown(*capitals)[0] == (1, "CHAPTER I WHICH TREATS OF THE CHARACTER OF A FAMOUS GENTLEMAN")


def test_a_short_first_paragraph_is_not_a_title() -> None:
    text = [*after("CHAPTER I"), "CHAPTER II", "He was late.", PROSE, *after("CHAPTER III", "CHAPTER IV")]
    assert (1, "CHAPTER II") in shown(*text)


def test_a_heading_needs_no_blank_line_after_it() -> None:
    text = [f"Chapter {number}. The Storm\n{PROSE[:70]}\n{PROSE[70:]}" for number in (1, 2, 3)]
    assert shown(*text) == [(1, f"Chapter {number}. The Storm") for number in (1, 2, 3)]


def test_one_paragraph_per_line() -> None:
    text = [
        "A Tale",
        *after("BOOK ONE", "CHAPTER I"),
        "He left.",
        *after("CHAPTER II"),
        "He came.",
        "CHAPTER III",
        PROSE,
    ]
    assert [words for _, words in shown(*text, *[PROSE] * 9, gap="\n")] == [
        "BOOK ONE",
        "CHAPTER I",
        "CHAPTER II",
        "CHAPTER III",
    ]


@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_a_table_of_contents_is_not_a_chapter(between: str) -> None:
    chapters = [f"CHAPTER {number}. The Road" for number in ("I", "II", "III", "IV")]
    contents = between.join(["PREFACE", "BOOK ONE", *chapters, "BOOK TWO", *chapters, "EPILOGUE"])
    book = [*after("PREFACE"), "BOOK ONE", *after(*chapters), "BOOK TWO", *after(*chapters), *after("EPILOGUE")]
    found = shown("CONTENTS", contents, *book)
    assert found == [(1, "CONTENTS"), *shown(*book)]
    assert len(found) == 13


@pytest.mark.parametrize(
    "parts",
    [
        ['"Part one," he said.', PROSE, "Part one of the plan was easy.", PROSE, "Part two of it was not.", PROSE],
        ["I went home.", PROSE, "II was the number.", PROSE, "V for victory", PROSE, "I.", PROSE],
        ["What to do:", "1. Wash the rice", "2. Boil it", "3. Eat it", PROSE],
        ["1. Wash it well, and then " + PROSE, "2. Boil it as long as you like. " + PROSE],
        [PROSE[:-9] + "which", "1", PROSE.lower()[:-7], "2", PROSE.lower()[:-7], "3", PROSE.lower()[:-7], "4", PROSE],
        ["Tom laughed.", PROSE, "Tom cried.", PROSE, "Tom slept.", PROSE],
        [PROSE, "Act one.", PROSE, "Book II is better than book I.", PROSE, "Chapter and verse", PROSE],
        ["Chapter 1. We introduce the notation.", "Chapter 2. We prove it.", "Chapter 3. We conclude.", PROSE],
        ["Name   Age\n----------\nAnna   12\nBob    13"],
        ["# a comment\nls\n", "# another\ncd x", "# third\n# fourth"],
        ["Introduction, said the host, was needless.", "Notes.", PROSE],
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


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_other_line_endings(end: str) -> None:
    text = "\n\n".join(after("CHAPTER I", "CHAPTER II")).replace("\n", end)
    assert [p.heading for p in mark(Document.from_text(text)).paragraphs if p.heading] == [1, 1]


@pytest.mark.parametrize(
    ("words", "number"),
    [("12", 12), ("XIV", 14), ("iiii", 4), ("twenty-one", 21), ("the", 0), ("Thirtieth", 30), ("二十三", 23), ("一百二十", 120),
     ("MILD", 0), ("", 0), ("99999", 0)],
)  # fmt: skip
def test_numerals(words: str, number: int) -> None:
    assert number_of(words) == number


@given(st.lists(st.sampled_from(["CHAPTER I", "CHAPTER II", "I", "II", "1.1 A", "PREFACE", "# x", "A\n===", PROSE, "", " x"])),
       st.sampled_from(["\n", "\n\n", "\r\n\r\n", "\n \n"]))  # fmt: skip
def test_paragraphs_cover_the_text(parts: list[str], gap: str) -> None:
    shown(*parts, gap=gap)


@pytest.mark.skipif(not DATASETS, reason="READAGENT_DATASETS does not name a folder of datasets")
@pytest.mark.parametrize(("book", "outer", "chapters"), [("war-and-peace", 17, 365), ("don-quixote", 2, 126)])
def test_real_books(book: str, outer: int, chapters: int) -> None:
    path = Path(DATASETS) / "books" / f"{book}.md"
    if not path.is_file():
        pytest.skip(f"there is no {book} in READAGENT_DATASETS")
    text = "\n".join(
        line.lstrip("# ") if line.startswith("#") else line for line in path.read_text("utf-8").splitlines()
    )
    levels = [level for level, _ in shown(text)]
    assert (levels.count(1), levels.count(2), len(levels)) == (outer, chapters, outer + chapters)
