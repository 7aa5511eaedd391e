"""Project Gutenberg files: the license is removed, the metadata of the header kept, the book complete."""

from __future__ import annotations

import pytest

from readagent.loaders.blocks import Block
from readagent.loaders.formats import Options
from readagent.loaders.text.plain import book_of, parse, without_license

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


@pytest.mark.parametrize(
    "text",
    ["", "*** START OF THE PROJECT GUTENBERG EBOOK X ***"],
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
