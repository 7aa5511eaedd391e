"""Pages, gists and quotes in the results of tools. Models count pages from 1, as people do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from readagent.core.memory import GistMemory
from readagent.core.question import Quote
from readagent.core.words import count_words
from readagent.errors import UsageError

_WORDS = 4000  # maximum words of the pages or gists in one result, except for a single page


def indices_of(memory: GistMemory, pages: list[int]) -> list[int]:
    """Return the indices of pages, which models and people count from 1, each once."""
    if not pages or any(not 1 <= number <= len(memory.pages) for number in pages):
        raise UsageError(f"pages are numbered from 1 to {len(memory.pages)}")
    return [number - 1 for number in dict.fromkeys(pages)]


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page in a result: its index, its place in the source if known, and its text or gist."""

    index: int
    place: str
    text: str


def shown_pages(
    memory: GistMemory, indices: Sequence[int], text: Callable[[int], str]
) -> tuple[list[ShownPage], int | None]:
    """Return as many pages as a result may hold, at least one, and the number of the next; None if there is none."""
    texts, words = list[str](), 0
    for index in indices:
        one = text(index)
        words += count_words(one)
        if texts and words > _WORDS:
            break
        texts.append(one)
    places = memory.document.places([memory.pages[index].start for index in indices[: len(texts)]])
    found = [ShownPage(*one) for one in zip(indices, places, texts, strict=False)]
    return found, indices[len(texts)] + 1 if len(texts) < len(indices) else None


def as_pages(memory: GistMemory, indices: Sequence[int], text: Callable[[int], str]) -> dict[str, object]:
    """Return the text of as many pages as a result may hold, at least one, and the number of the next."""
    found, following = shown_pages(memory, indices, text)
    shown = [{**as_page(one.index, one.place), "text": one.text} for one in found]
    more = {} if following is None else {"next_page": following}
    return {"title": memory.document.title, "last_page": len(memory.pages), "pages": shown, **more}


def as_quote(quote: Quote) -> dict[str, object]:
    return {**as_page(quote.page, quote.place), "text": quote.text}


def as_page(index: int, place: str) -> dict[str, object]:
    """Return the number of a page, and its place in the source if known."""
    return {"page": index + 1, **({"place": place} if place else {})}
