"""Files written by real programs: the text is complete and in order, with headings, places, title and author."""

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
    if path.is_file() and path.suffix not in {".py", ".gz"} and path.name not in {"README.md", *REFUSED}
)
PDFS = [name for name in FILES if name.endswith(".pdf")]
RECORDINGS = ["meeting.srt", "meeting.vtt"]
WITH_LINES = [  # a PDF has no tables; LibreOffice's EPUBs have lost spaces and table headers
    name
    for name in FILES
    if name.startswith("garden.") and not name.endswith(".pdf") and name != "garden.libreoffice.epub"
]
UNTITLED = {"meeting.srt", "meeting.qmsum.json"}
METADATA = {  # of the garden files
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


def required(name: str) -> float:
    """Return the share of words that must be recovered, as set by the project."""
    return 0.97 if name.endswith(".pdf") else 0.99


@pytest.mark.parametrize("name", FILES)
def test_words_are_recovered_in_order(name: str) -> None:
    assert measured(name).words >= required(name)


@pytest.mark.parametrize("name", FILES)
def test_hardly_any_other_words(name: str) -> None:
    assert measured(name).foreign <= 1 - required(name)


@pytest.mark.parametrize("name", FILES)
def test_headings_and_their_nesting(name: str) -> None:
    assert measured(name).headings >= (0.9 if name.endswith(".pdf") else 1.0)
    assert measured(name).invented == 0


@pytest.mark.parametrize("name", FILES)
def test_paragraph_boundaries(name: str) -> None:
    assert measured(name).paragraphs >= (0.9 if name.endswith(".pdf") else 0.95 if name in RECORDINGS else 0.98)


@pytest.mark.parametrize("name", FILES)
def test_paragraphs_cover_the_text(name: str) -> None:
    document = loaded(name)
    assert [0, *(p.end for p in document.paragraphs)] == [*(p.start for p in document.paragraphs), len(document.text)]
    assert document.source == str((HERE / name).resolve())


@pytest.mark.parametrize("name", PDFS)
def test_places_of_a_pdf_are_its_pages(name: str) -> None:
    pages = json.loads((HERE / "expected" / "pages.json").read_text("utf-8"))[name]
    document = loaded(name)
    starts = {"".join(words_of(document.text[p.start : p.end]))[:24]: p.place for p in document.paragraphs}
    found = {opening: starts[opening] for opening in pages if opening in starts}
    assert len(found) >= 0.9 * len(pages)
    assert found == {opening: f"page {pages[opening]}" for opening in found}


@pytest.mark.parametrize("name", RECORDINGS)
def test_places_of_a_recording_are_times(name: str) -> None:
    document = loaded(name)
    places = {words_of(document.text[p.start : p.end])[:6]: p.place for p in document.paragraphs}
    turns = {words_of(turn["text"])[:6]: clock(turn["start"]) for turn in expected_for(name)["blocks"]}
    assert {turn: places[turn] for turn in turns} == turns
    assert any(place.startswith("1:00:") for place in places.values())


def clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith("chat") and name not in UNTITLED])
def test_titles(name: str) -> None:
    assert loaded(name).title.casefold() == expected_for(name)["title"].casefold()


@pytest.mark.parametrize("name", METADATA)
def test_author_date_and_language(name: str) -> None:
    metadata, expected = loaded(name).metadata, expected_for(name)
    for key in METADATA[name]:
        assert metadata[key] == expected[key]


def test_notes_come_last_under_a_heading() -> None:
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


@pytest.mark.parametrize("name", WITH_LINES)
def test_code_tables_and_verse_keep_their_lines(name: str) -> None:
    document = loaded(name)
    lines = "\n".join(document.text[p.start : p.end] for p in document.paragraphs if p.lines)
    assert "        if said ==" in lines.replace("\u00a0", " ")
    assert "it hung its coat behind the door,\n" in lines
    rows = [words_of(line) for line in lines.splitlines()]
    assert ("middle", "60", "22", "given", "over", "to", "beans") in rows


def test_the_measures() -> None:
    assert alignment("abcd", "xbydcz") in ([(1, 1), (2, 4)], [(1, 1), (3, 3)])
    assert alignment("", "a") == alignment("a", "") == []
    assert words_of("1. The well-\u00adspaced “wall’s”[2] ﬁg²") == ("the", "well", "spaced", "walls", "fig")
    expected = {"title": "T", "author": "", "date": "", "notes": [], "blocks": [
        {"kind": "heading", "level": 1, "text": "One"}, {"kind": "paragraph", "text": "a b c"},
        {"kind": "heading", "level": 2, "text": "Two"}, {"kind": "paragraph", "text": "d e"}]}  # fmt: skip
    assert recovery(Document.from_text("T\n\nOne\n\na b c\n\nTwo\n\nd e"), expected) == Recovery(1, 0, 0, 1, 0)
    assert recovery(Document.from_text("One\n\na b x\n\nTwo d e"), expected) == Recovery(6 / 7, 1 - 6 / 7, 0, 0, 0)
