"""The pages of a part of the text; a page across its bounds is cut there and gets a new gist."""

from __future__ import annotations

from dataclasses import replace

from readagent.core.asking.position import named_place, position
from readagent.core.concurrency import together
from readagent.core.gists.shorten import gist_page
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.session import Session
from readagent.core.words import count_words
from readagent.errors import UsageError

Span = tuple[int, int]


def span_of(memory: GistMemory, chapter: str | None = None, start: str | None = None, end: str | None = None) -> Span:
    """Return the offsets of a chapter, or those from one place to another, both included; by default of the text."""
    given = {"chapter": chapter, "start": start, "end": end}
    for name, place in given.items():
        if place is not None and not str(place).strip():
            raise UsageError(f"`{name}` is empty", hint="give a chapter or another place of the text")
    chapter, start, end = ("" if place is None else str(place).strip() for place in given.values())
    if chapter and (start or end):
        raise UsageError("give either a chapter or where to start and end, not both")
    if chapter:
        found = named_place(memory, chapter) or named_place(memory, f"Chapter {chapter}")
        if found is None:
            raise UsageError(f"there is no chapter {chapter!r} in the text", hint="the outline of the text lists them")
        return found
    first = _start(memory, start) if start else 0
    last = position(memory, end) if end else len(memory.document.text)
    if first >= last:
        raise UsageError(f"the text from {start!r} to {end!r} is empty", hint="the end must come after the start")
    return first, last


def _start(memory: GistMemory, given: str) -> int:
    """Return the offset at which a place begins; a share of the words is where it ends."""
    if given.isdigit():
        return memory.pages[memory.page_at(position(memory, given) - 1)].start
    named = named_place(memory, given)
    return named[0] if named else position(memory, given)


async def within(memory: GistMemory, span: Span, session: Session) -> tuple[GistMemory, list[int]]:
    """Return the memory with the pages at both ends of the span cut, and the numbers of the pages in the span."""
    text = memory.document.text

    async def cut(page: Page, gist: Gist) -> tuple[Page, Gist]:
        first, last = max(page.start, span[0]), min(page.end, span[1])
        if (first, last) == (page.start, page.end) or first >= last or not text[first:last].strip():
            return page, gist
        part = Page(page.number, first, last, count_words(text[first:last]))
        return part, await gist_page(session, part, text[first:last])

    pairs = await together(cut(*one) for one in zip(memory.pages, memory.gists, strict=True))
    numbers = [page.number for page in memory.pages
               if text[max(page.start, span[0]) : min(page.end, span[1])].strip()]  # fmt: skip
    if all(old is new for old, (new, _) in zip(memory.pages, pairs, strict=True)):
        return memory, numbers
    return replace(memory, pages=tuple(page for page, _ in pairs), gists=tuple(gist for _, gist in pairs)), numbers
