"""HTML of any kind, in any encoding, as blocks with notes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from readagent.errors import LoadError
from readagent.loaders.blocks import Block, with_notes
from readagent.loaders.formats import MAX_CHARACTERS
from readagent.loaders.html.notes import NO_NOTES, Notes, find_notes, survey
from readagent.loaders.html.tree import Element, HeadingLevel, Skip, tree_of, walk
from readagent.loaders.html.walker import Walker
from readagent.loaders.text.decode import decode, is_utf8


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a tree: its blocks, its notes, and the index of the block at each anchor."""

    blocks: list[Block]
    notes: list[Block]
    anchors: Mapping[str, int]


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
_UTF8 = ("utf-8", "utf8")
_SEVEN_BIT = ("iso-2022", "hz-gb")  # these are ASCII bytes, so they would pass as UTF-8


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
