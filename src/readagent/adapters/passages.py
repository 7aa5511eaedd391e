"""The passages of documents that matter to a question, with metadata of one form for every retriever."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from readagent.core.asking.prepare import pages_as_passages
from readagent.core.document import Document, page_name
from readagent.core.memory import GistMemory
from readagent.core.question import Quote
from readagent.core.words import count_words
from readagent.errors import UsageError
from readagent.sync import ReadAgent, Shelf

Kind = Literal["pages", "quotes"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage, an id that is always the same for it, and its metadata, which is valid JSON."""

    text: str
    id: str
    metadata: dict[str, str | int]


@dataclass(frozen=True, slots=True)
class Passages:
    """Finds the passages of a memory or a shelf that matter to a question.

    ``pages`` are the pages that the model opens: no answer is asked for. ``quotes`` are those of an answer, so that the
    question is asked in full, and the answer kept in the library. ``max_pages`` is as for ``ask``.
    """

    agent: ReadAgent
    source: GistMemory | Shelf
    kind: Kind = "pages"
    max_pages: int | None = None

    def __post_init__(self) -> None:
        require_agent(self.agent)
        if not isinstance(self.source, GistMemory | Shelf):
            raise UsageError(
                f"source must be a GistMemory or a Shelf, not {type(self.source).__name__}",
                hint='for example agent.read("novel.txt")',
            )
        if self.kind not in get_args(Kind):
            raise UsageError(
                f"kind must be pages or quotes, not {self.kind!r}",
                hint='"pages" are those that the model opens, "quotes" those of an answer',
            )

    def find(self, question: str) -> list[Passage]:
        """Return the passages, the most important first."""
        if isinstance(self.source, GistMemory):
            return list(self._of_memory(self.source, question))
        return list(self._of_shelf(self.source, question))

    def _of_memory(self, memory: GistMemory, question: str) -> Iterator[Passage]:
        if self.kind == "pages":
            found = self.agent.look_up(memory, question, max_pages=self.max_pages)
        else:
            quotes = self.agent.ask(memory, question, max_pages=self.max_pages, quotes=True).quotes
            found = tuple(replace(one, page=memory.whole.page_at(one.start)) for one in quotes)
        return (as_passage(memory.document, one) for one in found)

    def _of_shelf(self, shelf: Shelf, question: str) -> Iterator[Passage]:
        if self.kind == "pages":
            found = shelf.look_up(question, max_pages=self.max_pages)
        else:
            found = shelf.ask(question, max_pages=self.max_pages, quotes=True).quotes
        return (as_passage(self.agent.library.document(one.document), one.quote) for one in found)


def require_agent(agent: object) -> None:
    """Raise UsageError for anything but a ReadAgent."""
    if not isinstance(agent, ReadAgent):
        raise UsageError(
            f"agent must be a ReadAgent, not {type(agent).__name__}",
            hint="the async methods of an adapter run it on threads",
        )


def as_passage(document: Document, quote: Quote) -> Passage:
    """Return a quote, or a page, with its metadata: ``place`` is for people, ``page`` the number of our page."""
    metadata: dict[str, str | int] = {
        "source": document.source,
        "title": document.title,
        "document": document.id,
        "page": quote.page,
        "place": page_name(quote.page, quote.place),
        "start": quote.start,
        "end": quote.end,
    }
    return Passage(quote.text, f"{document.id}:{quote.start}-{quote.end}", metadata)


def page_passages(memory: GistMemory) -> Iterator[Passage]:
    """Yield all pages of a memory, each with its gist in the metadata."""
    whole = memory.whole
    found = pages_as_passages(whole, range(len(whole.pages)))
    for page, gist in zip(found, whole.gists, strict=True):
        one = as_passage(whole.document, page)
        one.metadata["gist"] = gist.text
        yield one


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
