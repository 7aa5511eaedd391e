"""Reading positions: how far somebody has read, and the memory of the text up to there."""

from __future__ import annotations

import re
from dataclasses import replace

from readagent.core.document import Document
from readagent.core.gists.shorten import gist_page
from readagent.core.memory import GistMemory, Page
from readagent.core.quotes.quotable import Quotable
from readagent.core.quotes.weight import LEAST_WORDS
from readagent.core.session import Session
from readagent.core.words import WordIndex, count_words
from readagent.errors import UsageError

_PER_CENT = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*%")
_PAGE = re.compile(r"(?:page\s+)?(\d+)", re.I)
_HINT = "give a page number, a chapter heading, a percentage such as 40%, or the last sentence that you read"


def position(memory: GistMemory, given: int | str) -> int:
    """Return the offset of a position: the end of a page, chapter or quoted sentence, or a share of the words."""
    text = str(given).strip()
    document = memory.document
    if share := _PER_CENT.fullmatch(text):
        if not 0 < float(share[1]) <= 100:
            raise UsageError(f"{text} is not a position", hint="give more than 0% and at most 100%")
        index = WordIndex(document.text)
        return index.after(0, max(1, round(len(index) * float(share[1]) / 100)))
    if page := _PAGE.fullmatch(text):
        number = int(page[1])
        if number >= len(memory.pages):
            raise UsageError(
                f"there is no page {number}", hint=f"the pages are numbered from 0 to {len(memory.pages) - 1}"
            )
        return memory.pages[number].end
    chapter = _chapter_end(document, text)
    if chapter is not None:
        return chapter
    found = Quotable(document.text).locate(text.strip('"“”')) if count_words(text) >= LEAST_WORDS else None
    if found is None:
        raise UsageError(f"{text!r} is not a page, chapter or sentence of the text", hint=_HINT)
    return found.end


def _chapter_end(document: Document, wanted: str) -> int | None:
    """Return where the chapter with this heading ends, or None. A unique beginning of the heading is enough."""
    asked = _plain(wanted)
    headings = [paragraph for paragraph in document.paragraphs if paragraph.heading]
    titles = [(_plain(document.text[one.start : one.end]), one) for one in headings]
    same = [one for title, one in titles if title == asked] or [
        one for title, one in titles if asked and re.match(rf"{re.escape(asked)}\b", title)
    ]
    if len(same) > 1:
        raise UsageError(f"several chapters begin with {wanted!r}", hint="give the whole heading, or a page number")
    if not same:
        return None
    later = (one.start for one in headings if one.start > same[0].start and one.heading <= same[0].heading)
    return next(later, len(document.text))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


async def memory_up_to(memory: GistMemory, up_to: int, session: Session) -> GistMemory:
    """Return the memory of the text before the position. A page across it is cut there and gets a new gist."""
    document = cut(memory.document, up_to)
    kept = [page for page in memory.pages if page.end <= up_to]
    gists = list(memory.gists[: len(kept)])
    if len(kept) < len(memory.pages) and memory.pages[len(kept)].start < up_to:
        crossing = memory.pages[len(kept)]
        text = document.text[crossing.start :]
        page = Page(crossing.number, crossing.start, up_to, count_words(text))
        kept.append(page)
        gists.append(await gist_page(session, page, text))
    return replace(memory, document=document, pages=tuple(kept), gists=tuple(gists), finer=None)


def cut(document: Document, up_to: int) -> Document:
    """Return the document up to the position."""
    paragraphs = tuple(replace(one, end=min(one.end, up_to)) for one in document.paragraphs if one.start < up_to)
    return replace(document, text=document.text[:up_to], paragraphs=paragraphs)
