"""Gists in their places: a person's own gist of a page, and a memory with gists that are fixed on its pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.words import count_words
from readagent.errors import UsageError

Span = tuple[int, int]


def page_of(memory: GistMemory, number: int) -> Page:
    """The page of that number."""
    if not 0 <= number < len(memory.pages):
        raise UsageError(f"there is no page {number}", hint=f"the pages are numbered from 0 to {len(memory.pages) - 1}")
    return memory.pages[number]


def written(memory: GistMemory, number: int, text: str) -> Gist:
    """A person's own gist of a page."""
    page, text = page_of(memory, number), text.strip()
    words = count_words(text)
    if not text:
        raise UsageError(f"the gist of page {number} cannot be empty")
    if words > page.words:
        raise UsageError(
            f"a gist of {words} words is longer than page {number}, which has {page.words}",
            hint="a gist has no more words than its page",
        )
    return Gist(text, words, "user")


def by_span(memory: GistMemory, gists: Mapping[int, Gist]) -> dict[Span, Gist]:
    """Gists of pages by where these begin and end, instead of by their numbers."""
    pages = {number: page_of(memory, number) for number in gists}
    return {(page.start, page.end): gists[number] for number, page in pages.items()}


def with_gists(memory: GistMemory, gists: Mapping[Span, Gist]) -> GistMemory:
    """The memory with these gists on the pages that have exactly these spans."""
    if not gists:
        return memory
    pairs = zip(memory.pages, memory.gists, strict=True)
    shown = tuple(gists.get((page.start, page.end), gist) for page, gist in pairs)
    return replace(memory, gists=shown, finer=memory.finer and with_gists(memory.finer, gists))
