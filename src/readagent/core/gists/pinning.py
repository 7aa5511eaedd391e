"""Gists by the user, and memories with pinned gists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.words import count_words
from readagent.errors import UsageError

Span = tuple[int, int]


def page_of(memory: GistMemory, number: int) -> Page:
    """Return the page of that number; raise UsageError if there is none."""
    if not 0 <= number < len(memory.pages):
        raise UsageError(f"there is no page {number}", hint=f"the pages are numbered from 0 to {len(memory.pages) - 1}")
    return memory.pages[number]


def user_gist(memory: GistMemory, number: int, text: str) -> Gist:
    """Return a gist of a page that the user wrote; raise UsageError if it is empty or longer than the page."""
    page, text = page_of(memory, number), text.strip()
    words = count_words(text)
    if not text:
        raise UsageError("the gist cannot be empty")
    if words > page.words:
        raise UsageError(
            f"a gist of {words} words is longer than its page, which has {page.words}",
            hint="a gist must not have more words than its page",
        )
    return Gist(text, words, "user")


def by_span(memory: GistMemory, gists: Mapping[int, Gist]) -> dict[Span, Gist]:
    """Return gists by the start and end of their pages instead of by page number."""
    pages = {number: page_of(memory, number) for number in gists}
    return {(page.start, page.end): gists[number] for number, page in pages.items()}


def with_gists(memory: GistMemory, gists: Mapping[Span, Gist]) -> GistMemory:
    """Return the memory with these gists on the pages that have exactly these spans."""
    if not gists:
        return memory
    pairs = zip(memory.pages, memory.gists, strict=True)
    shown = tuple(gists.get((page.start, page.end), gist) for page, gist in pairs)
    return replace(memory, gists=shown, finer=memory.finer and with_gists(memory.finer, gists))
