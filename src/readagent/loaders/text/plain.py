"""Plain text: its title, its paragraphs and chapters; without what Project Gutenberg puts around a book."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from locale import locale_alias

from readagent.core.document import Document
from readagent.loaders.blocks import Block
from readagent.loaders.formats import Options
from readagent.loaders.text import chapters
from readagent.loaders.text.decode import decode, with_line_feeds
from readagent.loaders.text.titles import title_of


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return a plain text as a document, with its headings marked."""
    text, encoding = decode(data, name)
    book = book_of(text)
    text = book.text
    document = chapters.mark(Document.from_text(with_line_feeds(text)))
    metadata = dict(book.metadata) if encoding == "utf-8" else {**book.metadata, "encoding": encoding}
    return replace(document, text=text, title=book.title or title_of(text), metadata=metadata)


_MAX_HEADER = 60_000  # characters
_MAX_FOOTER = 60_000
_MAX_HEADER_BLOCKS = 120
_MAX_FOOTER_BLOCKS = 300
_START = re.compile(
    r"\*{3}[ \t]*START OF (?:THE|THIS) PROJECT GUTENBERG(?:[^\n*]*(?:\n[^\n*]+){0,2}\*{3})?[^\n]*"
    r"|\*END ?\*?[ \t]*THE SMALL PRINT[^\n]*",
    re.IGNORECASE,
)
_END = re.compile(
    r"^[^\S\n]*(?:\*{3}[ \t]*END OF (?:THE|THIS) PROJECT GUTENBERG"
    r"|\**[ \t]*(?:This is the )?End of (?:the |this )?Project Gutenberg"
    r"|\*{3}[ \t]*START: FULL LICEN[CS]E)",
    re.IGNORECASE | re.MULTILINE,
)
_CREDITS = re.compile(
    r"[(\[*_ ]*(?:Produced by|E-?(?:text|book) (?:prepared|produced)|This e-?(?:text|book) was|Transcribed (?:from|by)"
    r"|Prepared by|Scanned|HTML version|Proofread|Credits:|Images? generously|Note: (?:Project Gutenberg|Images of)"
    r"|Updated editions|Updated: |Most recently updated|Online Distributed Proofreading)"
    r"|(?=.*(?:pgdp\.net|gutenberg\.(?:org|net)|Distributed Proofread))",
    re.IGNORECASE | re.DOTALL,
)
_BLOCK = re.compile(r"\s*+((?:[^\S\n]*+\S[^\n]*+\n?)++)")
_FIELD = re.compile(r"^(Title|Author|Language|Original Publication): *(.*(?:\n[ \t]+\S.*)*)", re.M | re.I)
_NAMED = re.compile(
    r"Project Gutenberg(?:'s|’s)? (?:e-?(?:book|text) )?(?:of )?(?P<title>.+?),? by (?P<author>[^\n*]+)", re.I
)


@dataclass(frozen=True, slots=True)
class Book:
    """A text without its license, and the metadata of its header: title, author, language, date."""

    text: str
    title: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)


def book_of(text: str) -> Book:
    """Return the book in a Project Gutenberg file; any other text is returned unchanged."""
    if "*" not in text and "gutenberg" not in text.lower():  # every marker has one of them
        return Book(text)
    lines = with_line_feeds(text)
    start = _start_of(lines)
    end = _end_of(lines, start or 0)
    if start is None and end is None:
        return Book(text)
    header = lines[: start or 0]
    first = _after_credits(lines, start) if start is not None else 0
    last = len(lines[: end if end is not None else len(lines)].rstrip())
    if not lines[first:last].strip():
        return Book(text)
    title, metadata = _metadata(header)
    return Book(text[first:last] + "\n", title, metadata)


def without_license(blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks of a Project Gutenberg book without header, credits and license; other blocks unchanged."""
    kept = list(blocks)
    first = next((i for i, block in enumerate(kept) if i < _MAX_HEADER_BLOCKS and _START.search(block.text)), None)
    if first is not None:
        opening = kept[first]
        marker = _START.search(opening.text)
        rest = replace(opening, text=opening.text[marker.end() :] if marker else "")
        kept = [rest, *kept[first + 1 :]] if rest.text.strip() else kept[first + 1 :]
        while kept and _CREDITS.match(kept[0].text[:2000].strip()):
            kept = kept[1:]
    for index, block in enumerate(kept):
        if index < len(kept) - _MAX_FOOTER_BLOCKS:
            continue
        found = _END.search(block.text)
        if found and (first is not None or "*" in found.group()):
            rest = replace(block, text=block.text[: found.start()])
            return [*kept[:index], rest] if rest.text.strip() else kept[:index]
    return kept


def _start_of(text: str) -> int | None:
    """Return the end of the header: after its last marker."""
    marks = list(_START.finditer(text, 0, _MAX_HEADER))
    return marks[-1].end() if marks else None


def _end_of(text: str, start: int) -> int | None:
    """Return the start of the footer; a line "End of ..." before the marker belongs to it."""
    mark = _END.search(text, max(start, len(text) - _MAX_FOOTER))
    return mark.start() if mark else None


def _after_credits(text: str, start: int) -> int:
    """Return the start of the book itself: its first line that is not a credit."""
    while True:
        block = _BLOCK.match(text, start)
        if block is None or not _CREDITS.match(block.group(1)[:2000].strip()):
            break
        start = block.end()
    first = next((i for i in range(start, len(text)) if not text[i].isspace()), len(text))
    return max(start, text.rfind("\n", start, first) + 1)


def _metadata(header: str) -> tuple[str, dict[str, str]]:
    """Return the title and the other metadata in a header."""
    fields = {name.lower(): " ".join(value.split()) for name, value in _FIELD.findall(header)}
    named = _NAMED.search(header)
    title = fields.get("title") or (named["title"].strip(" *") if named else "")
    author = fields.get("author") or (named["author"].strip(" *") if named else "")
    language = fields.get("language", "").lower()
    year = re.search(r"\b1[0-9]{3}\b|\b20[0-9]{2}\b", fields.get("original publication", ""))
    code = locale_alias.get(language, "")[:2]  # such as de_DE.ISO8859-1 for German
    found = {"author": author, "language": code or language, "date": year.group() if year else ""}
    return title, {name: value for name, value in found.items() if value}
