"""Files written by real programs: the text is complete and in order, with headings, places, title and author."""

from __future__ import annotations

import json
from functools import cache

import pytest

from fixtures.recovered import HERE, expected_for, recovery, words_of
from readagent.core.document import Document
from readagent.loaders import load

REFUSED = {"locked.pdf", "scanned.pdf"}
FILES = sorted(
    path.name
    for path in HERE.iterdir()
    if path.is_file() and path.suffix not in {".py", ".gz"} and path.name not in {"README.md", *REFUSED}
)
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


@pytest.mark.parametrize("name", FILES)
def test_text_headings_paragraphs_and_title_are_recovered(name: str) -> None:
    document, expected = loaded(name), expected_for(name)
    found, pdf = recovery(document, expected), name.endswith(".pdf")
    required = 0.97 if pdf else 0.99
    assert found.words >= required
    assert found.foreign <= 1 - required
    assert found.headings >= (0.9 if pdf else 1.0)
    assert found.invented == 0
    assert found.paragraphs >= (0.9 if pdf else 0.95 if name in RECORDINGS else 0.98)
    assert [0, *(p.end for p in document.paragraphs)] == [*(p.start for p in document.paragraphs), len(document.text)]
    assert document.source == str((HERE / name).resolve())
    if not name.startswith("chat") and name not in UNTITLED:
        assert document.title.casefold() == expected["title"].casefold()
    for key in METADATA.get(name, ()):
        assert document.metadata[key] == expected[key]
    if name in WITH_LINES:
        lines = "\n".join(document.text[p.start : p.end] for p in document.paragraphs if p.lines)
        assert "        if said ==" in lines.replace("\u00a0", " ")
        assert "it hung its coat behind the door,\n" in lines
        rows = [words_of(line) for line in lines.splitlines()]
        assert ("middle", "60", "22", "given", "over", "to", "beans") in rows


def test_places_of_a_pdf_are_its_pages() -> None:
    name = "garden.libreoffice.pdf"
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


def test_notes_come_last_under_a_heading() -> None:
    for name in ("md", "pandoc.epub", "libreoffice.docx", "pandoc.html", "libreoffice.pdf"):
        document = loaded(f"garden.{name}")
        texts = [" ".join(document.text[p.start : p.end].split()) for p in document.paragraphs]
        notes = texts.index("Notes")
        assert document.paragraphs[notes].heading == 1, name
        assert any("plumb-line" in text for text in texts[notes:]), name
        assert not any("plumb-line" in text for text in texts[:notes]), name
        assert any("the pencil back" in text for text in texts[:notes]), name
