"""Project Gutenberg files: the license is removed, the metadata of the header kept, the book complete."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.loaders.blocks import Block
from readagent.loaders.formats import Options
from readagent.loaders.text.gutenberg import book_of, without_license
from readagent.loaders.text.plain import parse

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
OLD_HEADER = """******The Project Gutenberg Etext of The Lamp, by Ada Finch******

Please take a look at the important information in this header.

The Lamp, by Ada Finch

August, 1994  [Etext #99999]

***START**THE SMALL PRINT!**FOR PUBLIC DOMAIN ETEXTS**START***
Why is this "Small Print!" statement here?  You know: lawyers.
*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*



"""


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_license_is_removed(end: str) -> None:
    document = parse((HEADER + BOOK + FOOTER).replace("\n", end).encode(), "lamp.txt", Options())
    assert document.text.split() == BOOK.split()
    assert document.title == "The Lamp Or, the Second Ferry"
    assert document.metadata == {"author": "Ada Finch", "language": "en", "released": "2005-07-06", "date": "1881"}


def test_old_files() -> None:
    book = book_of(OLD_HEADER + BOOK + "\n\nEnd of The Project Gutenberg Etext of The Lamp, by Ada Finch\n")
    assert book.text.strip() == BOOK
    assert (book.title, book.metadata) == ("The Lamp", {"author": "Ada Finch", "released": "1994-08"})


@pytest.mark.parametrize(
    "credit",
    [
        "E-text prepared by A. Volunteer",
        "Transcribed from the 1881 edition by A. Volunteer",
        "This etext was produced by A.",
    ],
)
def test_credits_are_removed(credit: str) -> None:
    text = f"*** START OF THIS PROJECT GUTENBERG EBOOK X ***\n\n{credit}\n\n\nNote: Project Gutenberg has this in HTML.\n\n{BOOK}"
    assert book_of(text).text.strip() == BOOK


def test_the_first_line_keeps_its_indent() -> None:
    assert book_of("*** START OF THIS PROJECT GUTENBERG EBOOK X ***\n\n\n     The Lamp\n").text == "     The Lamp\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Anna crossed the river.",
        "He read at Project Gutenberg.\n\nTitle: none",
        "*** START OF THE PROJECT GUTENBERG EBOOK X ***",
    ],
)
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


@given(
    st.lists(
        st.sampled_from(
            [HEADER, FOOTER, OLD_HEADER, BOOK, "*** START OF THE PROJECT GUTENBERG ", "\n", "End of Project Gutenberg"]
        )
    )
)
def test_any_combination_is_handled(parts: list[str]) -> None:
    text = "".join(parts)
    assert book_of(text).text.strip() in text
    without_license([Block(part) for part in parts])
