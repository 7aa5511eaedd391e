"""Project Gutenberg's header and footer around a book: recognised, used for title and author, and set aside.

Credits ("Produced by ...") go with the header. A transcriber's note is kept: where it ends, nothing says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from readagent.loaders.blocks import Block
from readagent.loaders.text.lines import with_line_feeds

_LONGEST_HEADER = 60_000  # characters
_LONGEST_FOOTER = 60_000
_MOST_HEADER_BLOCKS = 120
_MOST_FOOTER_BLOCKS = 300
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
_FIELD = re.compile(r"^(Title|Author|Language|Release Date|Original Publication): *(.*(?:\n[ \t]+\S.*)*)", re.M | re.I)
_NAMED = re.compile(
    r"Project Gutenberg(?:'s|’s)? (?:e-?(?:book|text) )?(?:of )?(?P<title>.+?),? by (?P<author>[^\n*]+)", re.I
)
_RELEASED = re.compile(r"^([A-Z][a-z]+ (?:\d{1,2}, |, )?\d{4}|[A-Z][a-z]+, \d{4})\s*\[e(?:text|book)", re.I | re.M)
_LANGUAGES = {
    "english": "en", "french": "fr", "german": "de", "spanish": "es", "italian": "it", "portuguese": "pt",
    "dutch": "nl", "finnish": "fi", "latin": "la", "greek": "el", "russian": "ru", "chinese": "zh", "japanese": "ja",
    "swedish": "sv", "danish": "da", "norwegian": "no", "polish": "pl", "hungarian": "hu", "czech": "cs",
    "esperanto": "eo", "catalan": "ca", "welsh": "cy", "tagalog": "tl",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Book:
    """A text without its licence, and what its header says of it: title, author, language, released, date."""

    text: str
    title: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)


def book_of(text: str) -> Book:
    """The book in a Project Gutenberg file; any other text as it stands."""
    seen = with_line_feeds(text)
    start = _start_of(seen)
    end = _end_of(seen, start or 0)
    if start is None and end is None:
        return Book(text)
    header = seen[: start or 0]
    first = _after_credits(seen, start) if start is not None else 0
    last = len(seen[: end if end is not None else len(seen)].rstrip())
    if not seen[first:last].strip():
        return Book(text)
    title, metadata = _described(header)
    return Book(text[first:last] + "\n", title, metadata)


def without_licence(blocks: Iterable[Block]) -> list[Block]:
    """The blocks of a book from Project Gutenberg without its header, credits and licence; all of any other text."""
    kept = list(blocks)
    first = next((i for i, block in enumerate(kept) if i < _MOST_HEADER_BLOCKS and _START.search(block.text)), None)
    if first is not None:
        opening = kept[first]
        marker = _START.search(opening.text)
        rest = replace(opening, text=opening.text[marker.end() :] if marker else "")
        kept = [rest, *kept[first + 1 :]] if rest.text.strip() else kept[first + 1 :]
        while kept and _CREDITS.match(kept[0].text[:2000].strip()):
            kept = kept[1:]
    for index, block in enumerate(kept):
        if index < len(kept) - _MOST_FOOTER_BLOCKS:
            continue
        found = _END.search(block.text)
        if found and (first is not None or "*" in found.group()):
            rest = replace(block, text=block.text[: found.start()])
            return [*kept[:index], rest] if rest.text.strip() else kept[:index]
    return kept


def _start_of(text: str) -> int | None:
    """Where the header ends: after the last of its marks."""
    marks = list(_START.finditer(text, 0, _LONGEST_HEADER))
    return marks[-1].end() if marks else None


def _end_of(text: str, start: int) -> int | None:
    """Where the footer begins; a line "End of ..." just before the mark belongs to it."""
    mark = _END.search(text, max(start, len(text) - _LONGEST_FOOTER))
    return mark.start() if mark else None


def _after_credits(text: str, start: int) -> int:
    """Where the book itself begins: the start of its first line that is no credit."""
    while True:
        block = _BLOCK.match(text, start)
        if block is None or not _CREDITS.match(block.group(1)[:2000].strip()):
            break
        start = block.end()
    begun = next((i for i in range(start, len(text)) if not text[i].isspace()), len(text))
    return max(start, text.rfind("\n", start, begun) + 1)


def _described(header: str) -> tuple[str, dict[str, str]]:
    """Title, and the rest, from a header."""
    fields = {name.lower(): " ".join(value.split()) for name, value in _FIELD.findall(header)}
    named = _NAMED.search(header)
    title = fields.get("title") or (named["title"].strip(" *") if named else "")
    author = fields.get("author") or (named["author"].strip(" *") if named else "")
    language = fields.get("language", "").lower()
    released = fields.get("release date", "") or next(iter(_RELEASED.findall(header)), "")
    year = re.search(r"\b1[0-9]{3}\b|\b20[0-9]{2}\b", fields.get("original publication", ""))
    found = {
        "author": author,
        "language": _LANGUAGES.get(language, language),
        "released": _iso(released.partition("[")[0].strip()),
        "date": year.group() if year else "",
    }
    return title, {name: value for name, value in found.items() if value}


def _iso(date: str) -> str:
    """``July 6, 2005`` as 2005-07-06, ``August, 1994`` as 1994-08; anything else as it stands."""
    words = date.replace(",", " ").split()
    for form, written in (
        ("%B %d %Y", "%Y-%m-%d"),
        ("%b %d %Y", "%Y-%m-%d"),
        ("%B %Y", "%Y-%m"),
        ("%Y-%m-%d", "%Y-%m-%d"),
    ):
        try:
            return datetime.strptime(" ".join(words), form).strftime(written)
        except ValueError:
            continue
    return date
