"""Plain text: which encoding it is in, what it is called, where its paragraphs and chapters begin.

The text is kept as it stands, line ends and all; only Project Gutenberg's licence around a book is set aside.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import replace

from readagent.core.document import Document
from readagent.core.words import count_words
from readagent.errors import LoadError
from readagent.loaders.formats import MOST_CHARACTERS, Options
from readagent.loaders.sniff import binary, looks_binary
from readagent.loaders.text import chapters, gutenberg
from readagent.loaders.text.encoding import guess
from readagent.loaders.text.lines import lined

_MARKS = (  # the longer ones first: the mark of UTF-16 opens that of UTF-32
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LONGEST_TITLE = 90  # characters
_MOST_TITLE_WORDS = 14
_OPENING = 100_000  # characters that tell whether UTF-16 without a mark makes sense
_SECTION = re.compile(
    r"(?i)(?:chapter|part|book|section|act|scene|page)?\s*(?:\d+|[ivxlc]+)\b[.:)]?|(?:table of )?contents"
)


def parse(data: bytes, name: str, options: Options) -> Document:
    """The document in a plain text: its paragraphs, and those of them that are headings."""
    text, encoding = decode(data, name)
    book = gutenberg.book_of(text)
    text = book.text
    seen = lined(text)
    document = chapters.mark(Document.from_text(seen))
    known = dict(book.metadata) if encoding == "utf-8" else {**book.metadata, "encoding": encoding}
    return replace(document, text=text, title=book.title or title_of(text), metadata=known)


def decode(data: bytes, name: str) -> tuple[str, str]:
    """The text and its encoding. A mark at the start decides, then UTF-8, UTF-16, and what the bytes look like."""
    one_each = len(data) > MOST_CHARACTERS and data.isascii() and b"\x00" not in data
    if one_each or len(data) > 4 * MOST_CHARACTERS:
        raise _too_long(name)
    text, encoding = _decode(data, name)
    if len(text) > MOST_CHARACTERS:
        raise _too_long(name)
    return text, encoding


def _too_long(name: str) -> LoadError:
    return LoadError(
        f"{name} is longer than {MOST_CHARACTERS // 1_000_000} million characters",
        hint="split it into several files and read those",
    )


def _decode(data: bytes, name: str) -> tuple[str, str]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _marked(data[len(mark) :], encoding, name), encoding
    if b"\x00" in data:
        found = _wide(data)
        if found is None:
            raise binary(data, name)
        return found
    if looks_binary(data):
        raise binary(data, name)
    if b"\x1b$" in data and (encoding := guess(data)) == "iso2022_jp":
        return data.decode(encoding), encoding
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return _broken(data)


def _marked(data: bytes, encoding: str, name: str) -> str:
    """Text that says what it is in; what is broken in it is replaced, but if that is much, it lied."""
    text = data.decode(encoding, "replace")
    if "\x00" in text or text.count("\ufffd") > max(2, len(text) // 20):
        raise binary(data, name)
    return text


def _wide(data: bytes) -> tuple[str, str] | None:
    """UTF-16 without a mark: its zero bytes stand on one side of the pairs, and what it says is text."""
    even, odd = data[0::2].count(0), data[1::2].count(0)
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    if min(even, odd) * 20 > max(even, odd):
        return None
    try:
        text = data[: len(data) // 2 * 2].decode(encoding)
    except UnicodeDecodeError:
        return None
    opening = text[:_OPENING]
    strange = sum(1 for character in opening if not (character.isprintable() or character.isspace()))
    common = sum(1 for character in opening if character.isspace() or character.isascii())
    return (text, encoding) if strange * 100 <= len(opening) and common * 20 >= len(opening) else None


def _broken(data: bytes) -> tuple[str, str]:
    """UTF-8 with a few broken places where most of it is sound, else the encoding it looks like."""
    text = data.decode("utf-8", "replace")
    unread = text.count("\ufffd")
    sound = len(text) - len(text.encode("ascii", "ignore")) - unread
    if sound > 4 * unread:
        return text, _with_losses("utf-8", unread)
    encoding = guess(data)
    text = data.decode(encoding, "replace")
    return text, _with_losses(encoding, text.count("\ufffd"))


def _with_losses(encoding: str, unread: int) -> str:
    return f"{encoding}, {unread} unreadable {'place' if unread == 1 else 'places'}" if unread else encoding


def title_of(text: str) -> str:
    """The first line if it is short, stands alone, and reads like a title; else nothing."""
    lines = text.lstrip()[:2000].splitlines()
    first = lines[0].strip() if lines else ""
    title = "".join(c for c in re.sub(r"\s+", " ", first.strip("#*_= ")) if c.isprintable())
    alone = first.startswith("# ") or (len(lines) > 1 and not lines[1].strip("=-~* \t"))
    more = any(line.strip("=-~* \t") for line in lines[1:])
    short = len(title) <= _LONGEST_TITLE and count_words(title) <= _MOST_TITLE_WORDS
    lettered = any(character.isalpha() for character in title)
    if not (alone and more and short and lettered) or _SECTION.fullmatch(title) or title[-1] in ".,;:-":
        return ""
    return title
