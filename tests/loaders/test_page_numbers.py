"""Printed page numbers of PDFs: read from headers and footers where they are consistent, and compared with labels."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaders.pdf_writer import Page, pdf_bytes
from readagent.core.find_place import find_place
from readagent.loaders.formats import Options
from readagent.loaders.pdf.layout.page_numbers import printed_numbers
from readagent.loaders.pdf.layout.sheet import Piece, Sheet
from readagent.loaders.pdf.metadata import places_of
from readagent.loaders.pdf.parser import parse

PROSE = ["Anna crossed the river at night, and nobody at all saw her", "go. In the morning the ferry was gone, and with it the only",
         "rope that they had."]  # fmt: skip
ROMAN = ["i", "ii", "iii", "iv", "v", "vi"]


def sheet(number: int, head: str = "", foot: str = "") -> Sheet:
    rows = [(head, 40, 9.0), *((line, 90 + 12 * at, 10.0) for at, line in enumerate(PROSE)), (foot, 770, 9.0)]
    pieces = (
        Piece(text, 50, 50 + 5 * len(text), base, size, order=at) for at, (text, base, size) in enumerate(rows) if text
    )
    return Sheet(number, 600, 800, tuple(pieces))


def places(heads: Sequence[str], feet: Sequence[str] = (), labels: Sequence[str] = ()) -> list[str]:
    """Return the places of sheets with these headers, footers and labels."""
    ends = zip(heads, feet or [""] * len(heads), strict=True)
    made = [sheet(number, head, foot) for number, (head, foot) in enumerate(ends)]
    return places_of(labels or [""] * len(heads), printed_numbers(made, len(made)))


def in_pdf(feet: Sequence[str], catalog: str = "") -> list[str]:
    """Return the places in a PDF with these footers."""
    made = [Page().lines(50, 90, PROSE).put(190, 570, foot, 9) for foot in feet]
    document = parse(pdf_bytes(made, catalog=catalog), "book.pdf", Options())
    return list(dict.fromkeys(one.place for one in document.paragraphs))


def test_each_part_of_a_paragraph_across_pages_has_its_printed_page() -> None:
    first = ["Anna crossed the river at night, and nobody saw her go, for",
             "the ferry was not yet there, and the rope hung in the wat-"]  # fmt: skip
    second = ["er, where a boy with a lantern found it in the morning, and", "took it home with him. That was all."]
    made = [Page().lines(50, 90, lines).put(190, 570, str(number), 9)
            for number, lines in enumerate([PROSE, first, second, PROSE, PROSE], 301)]  # fmt: skip
    document = parse(pdf_bytes(made), "book.pdf", Options())
    crossing = next(one for one in document.paragraphs if "lantern" in document.text[one.start : one.end])
    assert document.text[crossing.start :].startswith("Anna crossed")
    for words, place in [("nobody saw her", "p. 302"), ("the rope hung", "p. 302"), ("a boy with a lantern", "p. 303")]:
        assert document.place_at(document.text.index(words)) == place
    start, end = find_place(document, "p. 303")
    assert document.text[start:end].strip().endswith("That was all.")
    assert "the rope hung" not in document.text[start:end]


def pages(*numbers: object) -> list[str]:
    return [f"page {number}" for number in numbers]


def sheets(*numbers: object) -> list[str]:
    return [f"sheet {number}" for number in numbers]


def test_a_paper_has_the_pages_of_its_journal() -> None:
    even, odd = "{} I. Møller", "The Garden {}"
    heads = [(odd if number % 2 else even).format(number) for number in range(301, 309)]
    assert places(heads) == pages(*range(301, 309))
    assert places(["", *heads[1:]]) == pages(*range(301, 309))  # no number on the first page
    assert in_pdf([str(number) for number in range(301, 306)]) == pages(*range(301, 306))


def test_front_matter_has_roman_numbers_and_the_body_starts_with_1() -> None:
    feet = ["", *ROMAN, "", "2", "3", "", "5", "6"]  # a cover, and chapters that open without a number
    assert places([""] * len(feet), feet) == [*sheets(1), *pages(*ROMAN, *range(1, 7))]
    assert places([""] * 12, ["", "", "iii", "iv", *map(str, range(1, 9))]) == pages(*ROMAN[:4], *range(1, 9))
    capital = ["", *(number.upper() for number in ROMAN), *map(str, range(1, 8))]
    assert places([""] * 14, capital) == [*sheets(1), *pages(*capital[1:])]


@pytest.mark.parametrize(
    "feet",
    [
        ["1998"] * 6,
        [f"{number} {number + 1}" for number in range(300, 316, 2)],
        [f"{number} barge keeper {number * 100} copper" for number in range(40, 48)],
    ],
)
def test_numbers_that_are_not_consistent_leave_the_sheet(feet: list[str]) -> None:
    assert places([""] * len(feet), feet) == pages(*range(1, len(feet) + 1))


# Labels of the file


def test_labels_that_the_print_contradicts_are_not_used() -> None:
    numbers, trivial = [str(number) for number in range(301, 307)], list("123456")
    assert places(numbers, labels=trivial) == pages(*numbers)
    assert places(["", *"12345"], labels=trivial) == [*sheets(1), *pages(*range(1, 6))]
    assert places([""] * 6, labels=trivial) == pages(*trivial)
    catalog = "/PageLabels << /Nums [0 << /S /D >>] >>"
    assert in_pdf(numbers, catalog) == pages(*numbers)


# Any book


@st.composite
def books(draw: st.DrawFn) -> tuple[list[Sheet], list[str]]:
    """Draw the sheets of a book with some numbers missing and others added, and the number of each."""
    first, count = draw(st.integers(1, 900)), draw(st.integers(8, 40))
    numbers = [str(number) for number in range(first, first + count)]
    missing = draw(st.sets(st.integers(1, count - 2), max_size=count // 3))
    odd = draw(st.dictionaries(st.integers(0, count - 1), st.integers(1, 2030), max_size=count))
    made = []
    for index, number in enumerate(numbers):
        pieces = [Piece("A line of the text of this book", 50, 250, 400, 10, order=0)]
        if index not in missing:
            pieces.append(Piece(number, 300, 315, 770, 9, order=1))
        if index in odd:
            pieces.append(Piece(f"The year {odd[index]} in the garden", 200, 350, 40, 9, order=2))
        made.append(Sheet(index, 600, 800, tuple(pieces)))
    return made, numbers


@given(books())
def test_every_sheet_of_a_numbered_book_has_its_number(book: tuple[list[Sheet], list[str]]) -> None:
    made, numbers = book
    assert printed_numbers(made, len(made)) == dict(enumerate(numbers))


@pytest.mark.parametrize("form", ["- {} -", "Version 2.7 of 2024, {}", "Vol. 12, No. 3, 1998: {}"])
def test_other_numbers_in_the_row_do_not_win(form: str) -> None:
    assert places([form.format(number) for number in range(22, 28)]) == pages(*range(22, 28))
