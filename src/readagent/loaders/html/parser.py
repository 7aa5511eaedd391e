"""Web pages: in any encoding, their main text alone or all that is to be seen, and what they say of themselves."""

from __future__ import annotations

import re

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose
from readagent.loaders.formats import MAX_CHARACTERS, Options
from readagent.loaders.html.content import Marked, notes_in, read, with_notes
from readagent.loaders.html.main_text import main_text
from readagent.loaders.html.metadata import about
from readagent.loaders.html.tree import Element, tree_of, words_in
from readagent.loaders.text.decode import decode
from readagent.loaders.text.gutenberg import without_licence

_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_OPENING = 4096  # bytes in which a page says its encoding
_SAID = re.compile(rb"""<(?:meta|\?xml)\b[^>]*?\b(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})""", re.I)
_MEANT = {  # what browsers take these for
    **dict.fromkeys(("iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii", "iso_8859-1"), "cp1252"),
    "iso-8859-9": "cp1254",
    **dict.fromkeys(("gb2312", "gbk", "gb_2312-80", "x-gbk"), "gb18030"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis"), "cp932"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987"), "cp949"),
    "tis-620": "cp874",
}
_SOME_ZEROS = 50  # one byte in as many may be zero; where there are more, it is another encoding
_SEVEN_BITS = ("iso-2022", "hz-gb")  # these look like ASCII, and so like UTF-8


def parse(data: bytes, name: str, options: Options) -> Document:
    """The document in a web page."""
    root = tree_of(decoded(data, name))
    marked, heading = _read(root, options)
    if not any(block.text.strip() for block in (*marked.blocks, *marked.notes)):
        hint = "open it in a browser and save or print what is shown there; pages built by a script hold no text"
        raise LoadError(f"{name} has no text in it", hint=hint)
    page = about(root, marked.blocks)
    blocks = without_licence([*heading, *marked.blocks])
    return compose(with_notes(blocks, marked.notes), title=page.title, metadata=page.metadata)


def decoded(data: bytes, name: str) -> str:
    """The text of a page's bytes: by their mark, as UTF-8 where they are that, by what the page says, or by a guess."""
    if len(data) > 4 * MAX_CHARACTERS:
        raise LoadError(f"{name} is too long for a web page", hint="save it as plain text, in parts, and read those")
    if 0 < _SOME_ZEROS * data.count(0) < len(data) and not data.startswith(_MARKS):
        data = data.replace(b"\x00", b"")  # browsers leave them out, too
    said = _SAID.search(data[:_OPENING])
    encoding = said[1].decode("ascii").lower() if said and not data.startswith(_MARKS) else ""
    if encoding.startswith(_SEVEN_BITS) or (encoding not in ("", "utf-8", "utf8") and not _is_utf8(data)):
        try:
            return data.decode(_MEANT.get(encoding, encoding), "replace")
        except (LookupError, UnicodeError):
            pass
    return decode(data, name)[0]


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _read(root: Element, options: Options) -> tuple[Marked, list[Block]]:
    """What stands in the page, and its heading where that stands elsewhere."""
    notes = notes_in(root)
    if options.whole:
        return read(root, notes), []
    main = main_text(root, notes)
    heading = [Block(words_in(main.title), heading=1)] if main.title is not None else []
    return read(main.element, notes, skip=main.skip), heading
