"""Web pages in any encoding: the main text, or all visible text, as blocks, with notes and metadata."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose, with_notes
from readagent.loaders.formats import LEFT_OUT, MAX_CHARACTERS, Options
from readagent.loaders.html.main_text import main_text
from readagent.loaders.html.metadata import page_metadata
from readagent.loaders.html.notes import NO_NOTES, Notes, find_notes, survey
from readagent.loaders.html.tree import Element, HeadingLevel, Skip, tree_of, walk
from readagent.loaders.html.walker import Walker
from readagent.loaders.text.decode import decode, is_utf8
from readagent.loaders.text.plain import without_license


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a tree: its blocks, its notes, and the index of the block at each anchor."""

    blocks: list[Block]
    notes: list[Block]
    anchors: Mapping[str, int]


NO_CONTENT = Content([], [], {})


def blocks_of(html: str | bytes, *, images: bool = False) -> list[Block]:
    """Return the blocks of a page or fragment, its notes at the end. ``images`` keeps the alternative texts."""
    root = tree_of(html)
    content = read(root, notes=notes_in(root), images=images)
    return with_notes(content.blocks, content.notes)


def notes_in(root: Element) -> Notes:
    """Find the notes of a single document."""
    return find_notes([survey(root)])


def read(
    *roots: Element,
    notes: Notes = NO_NOTES,
    skip: Skip | None = None,
    heading_style: HeadingLevel | None = None,
    images: bool = False,
    hidden: bool = False,
    drawn: bool = False,
) -> Content:
    """Return the content of the trees below the roots, in their order, without the elements that ``skip`` selects.

    ``heading_style`` gives a level to paragraphs that look like headings; ``images`` keeps the alternative texts,
    ``hidden`` the elements that are not displayed, ``drawn`` the text in drawings (SVG).
    """
    walker = Walker(notes, skip, heading_style, images, hidden, drawn)
    for root in roots:
        walk(root, walker.enter, walker.leave)
    return Content(walker.builder.finish(), walker.notes, walker.anchors)


_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_OPENING = 4096  # bytes in which the encoding is declared
_DECLARED = re.compile(
    rb"""<(?:meta|\?xml)\b[^>]*?\b(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})""", re.I
)
_BROWSER_ENCODINGS = {  # what browsers use for these names
    **dict.fromkeys(("iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii", "iso_8859-1"), "cp1252"),
    "iso-8859-9": "cp1254",
    **dict.fromkeys(("gb2312", "gbk", "gb_2312-80", "x-gbk"), "gb18030"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis"), "cp932"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987"), "cp949"),
    "tis-620": "cp874",
}
_BYTES_PER_ZERO = 50  # if more than one byte in 50 is zero, the page is in another encoding
_SAVE = "if a script builds the page, open it in a browser, save or print it there, and read that"
_WHOLE = f"text that is hidden or in a dialog is read with `whole=True`; {_SAVE}"
_FALLBACK = re.compile(r"</?(?:noscript|noframes|frameset|frame)\b[^<>]*>", re.I)  # around text for old browsers
_SHADOW = re.compile(r"<template(?=[^>]*\bshadowrootmode\b)", re.I)  # a template that is shown where it stands
_MIN_FALLBACK = 200  # characters; a shorter text only asks for another browser
_UTF8 = ("utf-8", "utf8")
_SEVEN_BIT = ("iso-2022", "hz-gb")  # these are ASCII bytes, so they would pass as UTF-8


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return the text of a web page as a document."""
    page = _SHADOW.sub("<span", decode_page(data, name))
    root = tree_of(page)
    content, left_out = _read(root, options)
    if not _length(content) and not left_out:
        root = tree_of(_FALLBACK.sub("", page))
        content, left_out = _read(root, options)
        if _length(content) < _MIN_FALLBACK:
            content = NO_CONTENT
    if not _length(content):
        raise LoadError(f"{name} contains no text", hint=_WHOLE if left_out else _SAVE)
    metadata = page_metadata(root, content.blocks)
    fields = {**metadata.fields, LEFT_OUT: str(left_out or "")}
    blocks = without_license(content.blocks)
    return compose(with_notes(blocks, content.notes), title=metadata.title, metadata=fields)


def _length(content: Content) -> int:
    return sum(len(block.text.strip()) for block in (*content.blocks, *content.notes))


def decode_page(data: bytes, name: str) -> str:
    """Decode a page: by byte order mark, as UTF-8 if it is valid, by the declared encoding, or by a guess."""
    if len(data) > 4 * MAX_CHARACTERS:
        raise LoadError(f"{name} is too long for a web page", hint="split it into several files and read those")
    if 0 < _BYTES_PER_ZERO * data.count(0) < len(data) and not data.startswith(_BYTE_ORDER_MARKS):
        data = data.replace(b"\x00", b"")  # as browsers do
    declared = _DECLARED.search(data[:_OPENING])
    encoding = declared[1].decode("ascii").lower() if declared and not data.startswith(_BYTE_ORDER_MARKS) else ""
    if encoding.startswith(_SEVEN_BIT) or (encoding not in ("", *_UTF8) and not is_utf8(data)):
        try:
            return data.decode(_BROWSER_ENCODINGS.get(encoding, encoding), "replace")
        except (LookupError, UnicodeError):
            pass
    return decode(data, name)[0]


def _read(root: Element, options: Options) -> tuple[Content, int]:
    """Return the content of the page, and the number of words left out."""
    notes = notes_in(root)
    if options.whole:
        return read(root, notes=notes, hidden=True), 0
    main = main_text(root, notes)
    return read(*main.nodes, notes=notes, skip=main.skip), main.words_left_out
