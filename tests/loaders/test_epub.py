"""EPUB books: reading order, headings from the table of contents, notes, asides, and unreadable books."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures.small_files import packed
from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.epub.parser import parse
from readagent.loaders.formats import Options

CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
SAID = "<dc:title>Salt</dc:title><dc:creator>Mira Kessel</dc:creator><dc:language>en</dc:language>"
Spine = Sequence[str | tuple[str, str]]


def xhtml(body: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"'
        f' xmlns:epub="http://www.idpf.org/2007/ops"><head><title/></head><body>{body}</body></html>'
    )


def book(
    parts: Mapping[str, str],
    *,
    spine: Spine = (),
    nav: str = "",
    said: str = SAID,
    guide: str = "",
    others: Mapping[str, str | bytes] | None = None,
) -> bytes:
    """Return an EPUB with these parts by path, in the order of the spine or in the given order."""
    files: dict[str, str | bytes] = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER}
    items = [f'<item id="{path}" href="{path}" media-type="application/xhtml+xml"/>' for path in parts]
    if nav:
        items.append('<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>')
        files["OEBPS/nav.xhtml"] = xhtml(f'<nav epub:type="toc"><h1>Contents</h1>{nav}</nav>')
    order = [(one, "yes") if isinstance(one, str) else one for one in spine or list(parts)]
    refs = "".join(f'<itemref idref="{name}" linear="{linear}"/>' for name, linear in order)
    files["OEBPS/book.opf"] = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">{said}</metadata><manifest>{"".join(items)}</manifest>'
        f'<spine>{refs}</spine><guide>{guide}</guide></package>'
    )  # fmt: skip
    files |= {f"OEBPS/{path}": xhtml(body) for path, body in reversed(parts.items())} | dict(others or {})
    return packed(files)


def opened(data: bytes, *, whole: bool = False) -> Document:
    return parse(data, "book.epub", Options(whole=whole))


def blocks(data: bytes) -> list[str]:
    document = opened(data)
    return [
        "#" * one.heading + " " * bool(one.heading) + document.text[one.start : one.end].strip()
        for one in document.paragraphs
    ]


def test_pages_whose_text_is_drawn() -> None:
    drawn = '<svg xmlns="http://www.w3.org/2000/svg"><title>t</title><text>Anna <tspan>rows</tspan></text><text>home.</text></svg>'
    document = parse(book({"a.xhtml": drawn, "b.xhtml": f"<p>Ida waits.</p>{drawn}"}), "salt.epub", Options())
    assert document.text == "Anna rows\n\nhome.\n\nIda waits.\n\n"


def test_the_parts_come_in_the_order_of_the_spine() -> None:
    parts = {
        "b.xhtml": "<p>second</p>", "a.xhtml": "<p>first</p>", "n.xhtml": "<p>beside</p>", "c.xhtml": "<p>third</p>",
    }  # fmt: skip
    spine = [("n.xhtml", "no"), "a.xhtml", "b.xhtml", "c.xhtml", "a.xhtml"]
    assert blocks(book(parts, spine=spine)) == ["first", "second", "third", "beside"]


def test_contents_entries_become_missing_headings() -> None:
    parts = {
        "a.xhtml": "<p>one</p><p id='x'>two</p>",
        "b.xhtml": "<p>CHAPTER  TWO</p><p>three</p>",
        "c.xhtml": "<p>II</p><p>The Weight</p><p>four</p>",
    }
    nav = (
        "<ol><li><a href='a.xhtml'>Chapter One</a><ol><li><a href='a.xhtml#x'>The Tin</a></li></ol></li>"
        "<li><a href='b.xhtml'>Chapter two</a></li><li><a href='c.xhtml'>II. The Weight</a></li></ol>"
    )  # fmt: skip
    assert blocks(book(parts, nav=nav)) == [
        "# Chapter One", "one", "## The Tin", "two", "# CHAPTER TWO", "three", "# II. The Weight", "four",
    ]  # fmt: skip


def test_heading_levels_follow_the_contents() -> None:
    parts = {
        "p1.xhtml": "<h1>Part One</h1>",
        "c1.xhtml": "<h1>The Tin</h1><p>text</p><h2>A section</h2><p>text</p>",
        "c2.xhtml": "<h1>The Key</h1><p>text</p>",
        "end.xhtml": "<h2>Afterword</h2><p>text</p>",
    }
    nav = (
        "<ol><li><a href='p1.xhtml'>Part One</a><ol><li><a href='c1.xhtml'>The Tin</a></li><li><a href='c2.xhtml'>2. The Key</a>"
        "</li></ol></li><li><a href='end.xhtml'>Afterword</a></li></ol>"
    )
    assert [one for one in blocks(book(parts, nav=nav)) if one.startswith("#")] == [
        "# Part One", "## The Tin", "### A section", "## The Key", "# Afterword",
    ]  # fmt: skip


def test_cover_contents_and_page_numbers_are_left_out() -> None:
    links = "".join(f"<p><a href='{name}.xhtml'>Chapter {name}</a></p>" for name in "abcde")
    parts = {
        "cover.xhtml": "<img src='c.jpg' alt='cover'/><p>Salt</p>",
        "toc.xhtml": f"<h2>Contents</h2>{links}",
        "guide.xhtml": "<p>List of pictures</p>",
        "a.xhtml": "<p>one <span epub:type='pagebreak' title='7'/>two<span epub:type='pagebreak'>8</span></p>",
        "l.xhtml": "<section epub:type='landmarks'><p>Start</p></section><nav epub:type='page-list'><ol><li>7</li></ol></nav>",
    }
    made = book(parts, guide="<reference type='toc' href='guide.xhtml'/>")
    assert blocks(made) == ["one two"]
    assert "Contents" in opened(made, whole=True).text


@pytest.mark.parametrize(
    ("said", "title", "metadata"),
    [(SAID, "Salt", {"author": "Mira Kessel", "language": "en"}), ("<dc:title>Unknown Title</dc:title>", "", {})],
)  # fmt: skip
def test_title_author_date_and_language(said: str, title: str, metadata: dict[str, str]) -> None:
    document = opened(book({"a.xhtml": "<p>one</p>"}, said=said))
    assert (document.title, dict(document.metadata)) == (title, metadata)


LOCK = (
    '<encryption><enc:EncryptedData xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptionMethod Algorithm="{}"/><enc:CipherData>'
    '<enc:CipherReference URI="OEBPS/{}"/></enc:CipherData></enc:EncryptedData></encryption>'
)  # fmt: skip


LOCKED = {"META-INF/encryption.xml": LOCK.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "a.xhtml")}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PK\x03\x04 broken", "damaged"),
        (book({"a.xhtml": "<p>one</p>"}, others=LOCKED), "is encrypted.*copy"),
        (book({"a.xhtml": "<img src='x'/>"}), "no text"),
        (book({"a.xhtml": "<p>one</p>"}, spine=["nowhere"]), "lists no text"),
    ],
)
def test_books_that_cannot_be_read(data: bytes, message: str) -> None:
    with pytest.raises(LoadError) as caught:
        opened(data)
    assert caught.value.hint
    assert re.match(f"book.epub .*{message}", f"{caught.value}; {caught.value.hint}")


PIECES = ["<h1>A</h1>", "<h3>B</h3>", "<p>C</p>", "<p id='x'>D</p>", "<h2 id='y'>E</h2>", "<p>F</p>", "<hr/>"]
entries = st.tuples(st.sampled_from("ABCDEFZ"), st.sampled_from(["", "#x", "#y", "#none"]), st.integers(1, 4))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=8), st.lists(entries, max_size=6))
def test_no_text_is_lost_whatever_the_contents_are(body: list[str], listed: list[tuple[str, str, int]]) -> None:
    nav = "".join(
        "<ol>" * depth + f"<li><a href='a.xhtml{name}'>{label}</a></li>" + "</ol>" * depth
        for label, name, depth in listed
    )
    made = book({"a.xhtml": "".join(body), "z.xhtml": "<p>The end.</p>"}, nav=f"<ol>{nav}</ol>")
    text = "\n".join(blocks(made))
    for piece in body:
        assert piece.rpartition("</")[0][-1:] in text
    assert "The end." in text
