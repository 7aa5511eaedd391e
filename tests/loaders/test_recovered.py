"""Files that real programs wrote: their text comes back, in order, with its headings, places, title and author."""

from __future__ import annotations

import json
from functools import cache

import pytest

from fixtures.recovered import HERE, Recovery, alignment, expected_for, recovery, words_of
from readagent.core.document import Document
from readagent.loaders import load

REFUSED = {"locked.pdf", "scanned.pdf"}
FILES = sorted(
    path.name
    for path in HERE.iterdir()
    if path.is_file() and path.suffix != ".py" and path.name not in {"README.md", *REFUSED}
)
PDFS = [name for name in FILES if name.endswith(".pdf")]
SPOKEN = ["meeting.srt", "meeting.vtt"]
LINED = [  # a PDF does not say what is a table; LibreOffice's EPUBs have lost spaces and the heads of tables
    name
    for name in FILES
    if name.startswith("garden.") and not name.endswith(".pdf") and name != "garden.libreoffice.epub"
]
UNTITLED = {"meeting.srt", "meeting.qmsum.json"}
SAID = {  # what else the files of the garden say of themselves
    **dict.fromkeys(["garden.md", "garden.pandoc.md"], ("author", "date", "language")),
    **dict.fromkeys(["garden.pandoc.epub", "garden.pandoc-2.epub"], ("author", "date", "language")),
    **dict.fromkeys(["garden.pandoc.html", "garden.site.html"], ("author", "date", "language")),
    **dict.fromkeys(["garden.libreoffice.epub", "garden.pandoc.docx", "garden.pandoc.odt"], ("author", "language")),
    **dict.fromkeys(["garden.libreoffice.docx", "garden.libreoffice.odt"], ("author", "language")),
    "garden.libreoffice.html": ("author", "date"),
    **dict.fromkeys(["garden.libreoffice.rtf", "garden.libreoffice.pdf"], ("author",)),
}


@cache
def loaded(name: str) -> Document:
    return load(HERE / name)


@cache
def measured(name: str) -> Recovery:
    return recovery(loaded(name), expected_for(name))


def least(name: str) -> float:
    """The share of words that should come back, as the project set it itself; the last digit is rounding's."""
    return 0.97 if name.endswith(".pdf") else 0.99


@pytest.mark.parametrize("name", FILES)
def test_the_words_come_back_in_order(name: str) -> None:
    assert measured(name).words >= least(name)


@pytest.mark.parametrize("name", FILES)
def test_nothing_that_is_not_the_text_comes_with_them(name: str) -> None:
    assert measured(name).foreign <= 1 - least(name)


@pytest.mark.parametrize("name", FILES)
def test_headings_are_headings_and_nested_as_they_were(name: str) -> None:
    assert measured(name).headings >= (0.9 if name.endswith(".pdf") else 1.0)
    assert measured(name).invented == 0


@pytest.mark.parametrize("name", FILES)
def test_paragraphs_begin_and_end_where_they_did(name: str) -> None:
    assert measured(name).paragraphs >= (0.9 if name.endswith(".pdf") else 0.95 if name in SPOKEN else 0.98)


@pytest.mark.parametrize("name", FILES)
def test_the_paragraphs_tile_the_text(name: str) -> None:
    document = loaded(name)
    assert [0, *(p.end for p in document.paragraphs)] == [*(p.start for p in document.paragraphs), len(document.text)]
    assert document.source == str((HERE / name).resolve())


@pytest.mark.parametrize("name", PDFS)
def test_a_paragraph_knows_the_page_it_begins_on(name: str) -> None:
    pages = json.loads((HERE / "expected" / "pages.json").read_text("utf-8"))[name]
    document = loaded(name)
    starts = {"".join(words_of(document.text[p.start : p.end]))[:24]: p.place for p in document.paragraphs}
    told = {opening: starts[opening] for opening in pages if opening in starts}
    assert len(told) >= 0.9 * len(pages)
    assert told == {opening: f"page {pages[opening]}" for opening in told}


@pytest.mark.parametrize("name", SPOKEN)
def test_a_turn_knows_when_it_was_said(name: str) -> None:
    document = loaded(name)
    places = {words_of(document.text[p.start : p.end])[:6]: p.place for p in document.paragraphs}
    turns = {words_of(turn["text"])[:6]: clock(turn["start"]) for turn in expected_for(name)["blocks"]}
    assert {turn: places[turn] for turn in turns} == turns
    assert any(place.startswith("1:00:") for place in places.values())


def clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith("chat") and name not in UNTITLED])
def test_the_title_is_the_one_its_author_gave(name: str) -> None:
    assert loaded(name).title.casefold() == expected_for(name)["title"].casefold()


@pytest.mark.parametrize("name", SAID)
def test_author_date_and_language_are_kept(name: str) -> None:
    metadata, expected = loaded(name).metadata, expected_for(name)
    for key in SAID[name]:
        assert metadata[key] == expected[key]


def test_notes_stand_after_the_text_under_a_heading_of_their_own() -> None:
    for name in (
        "garden.md",
        "garden.pandoc.epub",
        "garden.libreoffice.docx",
        "garden.pandoc.html",
        "garden.libreoffice.pdf",
    ):
        document = loaded(name)
        texts = [" ".join(document.text[p.start : p.end].split()) for p in document.paragraphs]
        notes = texts.index("Notes")
        assert document.paragraphs[notes].heading == 1, name
        assert any("plumb-line" in text for text in texts[notes:]), name
        assert not any("plumb-line" in text for text in texts[:notes]), name
        assert any("the pencil back" in text for text in texts[:notes]), name


@pytest.mark.parametrize("name", LINED)
def test_code_tables_and_verse_keep_their_lines(name: str) -> None:
    document = loaded(name)
    lines = "\n".join(document.text[p.start : p.end] for p in document.paragraphs if p.lines)
    assert "        if said ==" in lines.replace("\u00a0", " ")
    assert "it hung its coat behind the door,\n" in lines
    rows = [words_of(line) for line in lines.splitlines()]
    assert ("middle", "60", "22", "given", "over", "to", "beans") in rows


def test_the_measure_is_what_it_is_called() -> None:
    assert alignment("abcd", "xbydcz") in ([(1, 1), (2, 4)], [(1, 1), (3, 3)])
    assert alignment("", "a") == alignment("a", "") == []
    assert words_of("1. The well-\u00adspaced “wall’s”[2] ﬁg²") == ("the", "well", "spaced", "walls", "fig")
    expected = {"title": "T", "author": "", "date": "", "notes": [], "blocks": [
        {"kind": "heading", "level": 1, "text": "One"}, {"kind": "paragraph", "text": "a b c"},
        {"kind": "heading", "level": 2, "text": "Two"}, {"kind": "paragraph", "text": "d e"}]}  # fmt: skip
    assert recovery(Document.from_text("T\n\nOne\n\na b c\n\nTwo\n\nd e"), expected) == Recovery(1, 0, 0, 1, 0)
    assert recovery(Document.from_text("One\n\na b x\n\nTwo d e"), expected) == Recovery(6 / 7, 1 - 6 / 7, 0, 0, 0)
