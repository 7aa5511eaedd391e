"""Reading positions: how far somebody has read, and the memory of the text up to there."""

from __future__ import annotations

import re
from dataclasses import replace

from readagent.core.concurrency import together
from readagent.core.document import Document
from readagent.core.find_place import Span, find_places, near_places, only_place
from readagent.core.gists.shorten import gist_page
from readagent.core.memory import Gist, GistMemory, Page, page_of
from readagent.core.pages.windows import most_words
from readagent.core.patterns import lazy_pattern
from readagent.core.quotes.quotable import LEAST_WORDS, Quotable
from readagent.core.session import Session
from readagent.core.words import WordIndex, count_words
from readagent.errors import UsageError

_PER_CENT = lazy_pattern(r"(\d{1,3}(?:\.\d+)?)\s*%")
_PAGE = lazy_pattern(r"(\d+)")
_NAMED_PAGE = lazy_pattern(r"page\s+(\d+)", re.I)
_HINT = (
    "give a page number, a place such as p. 57 or Chapter 4, a share such as 40%, or the last sentence that you read"
)


class Offset(int):
    """An offset in the text as a position, where any other int is the number of a page."""


def position(memory: GistMemory, given: int | str) -> int:
    """Return the offset of a position: the end of a page, place or quoted sentence, or a share of the words.

    An int is the number of a page in ``memory.pages``, unless it is an ``Offset``. In a text, pages are counted from 1,
    as for ``show``.
    """
    if isinstance(given, Offset):
        if not 0 < given <= len(memory.document.text):
            raise UsageError(f"{given} is not a position in the text", hint=f"give 1 to {len(memory.document.text)}")
        return int(given)
    text = str(given).strip()
    document = memory.document
    if share := _PER_CENT.fullmatch(text):
        if not 0 < float(share[1]) <= 100:
            raise UsageError(f"{text} is not a position", hint="give more than 0% and at most 100%")
        index = WordIndex(document.text)
        return index.after(0, max(1, round(len(index) * float(share[1]) / 100)))
    if isinstance(given, int):
        return page_of(memory, given).end
    if page := _PAGE.fullmatch(text):
        return _page(memory, int(page[1])).end
    if named := named_place(memory, text):
        return named[1]
    found = Quotable(document.text).locate(text.strip('"“”')) if count_words(text) >= LEAST_WORDS else None
    if found is None:
        near = near_places(document, text) if count_words(text) < LEAST_WORDS else []
        hint = f"near places: {'; '.join(near)}" if near else _HINT
        raise UsageError(f"{text!r} is not a page, chapter or sentence of the text", hint=hint)
    return found.end


def named_place(memory: GistMemory, given: str) -> Span | None:
    """Return the start and end of the text at a place in the source, or of one of our pages, such as ``page 4``.

    Raise UsageError if there is more than one such place; return None if there is none.
    """
    if places := find_places(memory.document, given):
        return only_place(memory.document, places, given)
    number = _NAMED_PAGE.fullmatch(given.strip())
    page = _page(memory, int(number[1])) if number else None
    return (page.start, page.end) if page is not None else None


def _page(memory: GistMemory, number: int) -> Page:
    """Return one of our pages by its number counted from 1."""
    if not 1 <= number <= len(memory.pages):
        raise UsageError(f"there is no page {number}", hint=f"the pages are numbered from 1 to {len(memory.pages)}")
    return memory.pages[number - 1]


async def memory_up_to(memory: GistMemory, up_to: int, session: Session) -> GistMemory:
    """Return the memory of the text before the position. No gist in it was made from text after the position.

    A page across the position is cut there and gets a new gist. So does a page that was read in one pass, perhaps
    together with text after the position.
    """
    document = cut(memory.document, up_to)
    kept = [page for page in memory.pages if page.start < up_to]
    shown = [page if page.end <= up_to else _cut_page(page, document.text) for page in kept]
    seen = _may_have_seen(memory, up_to)

    async def gist(old: Page, new: Page, known: Gist) -> Gist:
        if old == new and not (known.origin == "model" and new.end > seen):
            return known
        return await gist_page(session, new, document.text[new.start : new.end])

    gists = await together(gist(*one) for one in zip(kept, shown, memory.gists, strict=False))
    return replace(memory, document=document, pages=tuple(shown), gists=tuple(gists), finer=None)


def only_up_to(memory: GistMemory, up_to: int) -> tuple[GistMemory, frozenset[int]]:
    """Return the memory of the text before the position with the gists as they are, without asking the model.

    The numbers are those of pages whose gists may have been made from text after the position.
    """
    document = cut(memory.document, up_to)
    kept = [page for page in memory.pages if page.start < up_to]
    pages = tuple(page if page.end <= up_to else _cut_page(page, document.text) for page in kept)
    gists, seen = memory.gists[: len(kept)], _may_have_seen(memory, up_to)
    telling = frozenset(
        page.number
        for page, gist in zip(kept, gists, strict=True)
        if page.end > up_to or (gist.origin == "model" and page.end > seen)
    )
    return replace(memory, document=document, pages=pages, gists=gists, finer=None), telling


def _cut_page(page: Page, text: str) -> Page:
    return Page(page.number, page.start, len(text), count_words(text[page.start :]))


def _may_have_seen(memory: GistMemory, up_to: int) -> int:
    """Return the offset from which gists may have been made with text after the position in view."""
    if memory.plan.mode != "fast" or up_to >= len(memory.document.text):
        return up_to
    index = WordIndex(memory.document.text[:up_to])
    return index.after(0, max(0, len(index) - most_words(memory.plan.page_words)))


def cut(document: Document, up_to: int) -> Document:
    """Return the document up to the position."""
    paragraphs = tuple(replace(one, end=min(one.end, up_to)) for one in document.paragraphs if one.start < up_to)
    return replace(document, text=document.text[:up_to], paragraphs=paragraphs)
