"""Plain text: its title, and where its paragraphs and chapters begin.

The text is kept exactly as it is, line ends included; only Project Gutenberg's header and license are removed.
"""

from __future__ import annotations

import re
from dataclasses import replace

from readagent.core.document import Document
from readagent.core.words import count_words
from readagent.loaders.formats import Options
from readagent.loaders.text import chapters, gutenberg
from readagent.loaders.text.decode import decode
from readagent.loaders.text.headings import is_chapter
from readagent.loaders.text.lines import with_line_feeds

_MAX_TITLE_CHARACTERS = 90
_MAX_TITLE_WORDS = 14
_JOINERS = "\u200c\u200d"  # which some scripts and emoji are spelt with
_SECTION = re.compile(
    r"(?i)(?:chapter|part|book|section|act|scene|page)?\s*(?:\d+|[ivxlc]+)\b[.:)]?|(?:table of )?contents"
)


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return a plain text as a document, with its headings marked."""
    text, encoding = decode(data, name)
    book = gutenberg.book_of(text)
    text = book.text
    document = chapters.mark(Document.from_text(with_line_feeds(text)))
    metadata = dict(book.metadata) if encoding == "utf-8" else {**book.metadata, "encoding": encoding}
    return replace(document, text=text, title=book.title or title_of(text), metadata=metadata)


def title_of(text: str) -> str:
    """Return the first line if it is short, on its own, and reads like a title; otherwise an empty string.

    The heading of a chapter is not the title of the text.
    """
    lines = text.lstrip()[:2000].splitlines()
    first = lines[0].strip() if lines else ""
    title = "".join(c for c in re.sub(r"\s+", " ", first.strip("#*_= ")) if c.isprintable() or c in _JOINERS)
    alone = first.startswith("# ") or (len(lines) > 1 and not lines[1].strip("=-~* \t"))
    more = any(line.strip("=-~* \t") for line in lines[1:])
    short = len(title) <= _MAX_TITLE_CHARACTERS and count_words(title) <= _MAX_TITLE_WORDS
    has_letters = any(character.isalpha() for character in title)
    if not (alone and more and short and has_letters) or title[-1] in ".,;:-":
        return ""
    return "" if _SECTION.fullmatch(title) or is_chapter(title) else title
