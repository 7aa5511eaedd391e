"""Page, Gist and GistMemory: the result of reading a document, with access to its raw pages; and gists by the user."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from readagent.core.document import Document, page_name
from readagent.core.escaping import brief, counted, escape_tags, excerpt, short_repr
from readagent.core.notebook import framed, shown, shown_start, table
from readagent.core.plan import Plan
from readagent.core.trace import Trace
from readagent.core.words import count_words
from readagent.errors import UsageError

_PAGES = 200  # shown in a notebook

Origin = Literal["model", "verbatim", "lead", "user", "part"]


@dataclass(frozen=True, slots=True)
class Page:
    """A page is ``document.text[start:end]``. Pages follow one another without gap or overlap."""

    number: int
    start: int
    end: int
    words: int


@dataclass(frozen=True, slots=True)
class Gist:
    """The short form of a page.

    ``origin`` says who wrote it: the ``model`` or the ``user``; ``verbatim`` is a page so short that it is its own
    gist; ``lead`` is the page's opening sentences, taken because the model returned nothing usable; ``part`` says what
    is in a part of several pages.
    """

    text: str
    words: int
    origin: Origin = "model"

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class Part:
    """A document in a joined memory: its title, and the offset where it begins in the joined text."""

    title: str
    start: int

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class GistMemory:
    """The pages of a document and their gists, in order.

    ``window`` is the window in tokens that pages were merged for, 0 if only a limit on words required it, and None if
    nothing was merged. ``finer`` is the more detailed memory that this one was made from, if any: the level below of a
    memory tree. ``parts`` are the documents of a joined memory. ``warnings`` say why it is of little use, and what to
    change.
    """

    document: Document
    pages: tuple[Page, ...]
    gists: tuple[Gist, ...]
    plan: Plan
    model: str = ""
    prompts: str = ""
    window: int | None = None
    trace: Trace = field(default_factory=Trace, compare=False, repr=False)
    finer: GistMemory | None = field(default=None, compare=False, repr=False)
    parts: tuple[Part, ...] = ()
    warnings: tuple[str, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        return brief(
            self,
            self.document.title,
            counted(len(self.pages), "page"),
            f"{self.full_words:,} words in {self.words():,}",
            f"read by {excerpt(self.model)}" if self.model else "",
        )

    def _repr_html_(self) -> str:
        """Return a table of the pages: the place of each, its words, and its gist."""
        names = [page_name(number, place) for number, place in enumerate(self.places()[:_PAGES])]
        pages = zip(names, self.pages, self.gists, strict=False)
        rows = [(shown(name), f"{page.words:,}", shown_start(gist.text)) for name, page, gist in pages]
        left = len(self.pages) - len(rows)
        facts = [
            counted(len(self.pages), "page"),
            f"{self.full_words:,} words in {self.words():,}",
            f"read by {self.model}" if self.model else "",
        ]
        return framed(
            f"<b>{shown(self.document.title or self.document.source or self.document.id)}</b>",
            shown(" · ".join(filter(None, facts))),
            table(("place", "words", "gist"), rows),
            shown(f"and {counted(left, 'more page')}") if left else "",
            *(shown(f"warning: {warning}") for warning in self.warnings),
        )

    @property
    def key(self) -> str:
        """The key that two memories of a document share if they were made in the same way."""
        return reading_key(self.plan, self.prompts, self.model, self.window)

    @property
    def whole(self) -> GistMemory:
        """The most detailed memory that this one was made from, with all pages; itself if nothing was merged."""
        memory = self
        while memory.finer is not None:
            memory = memory.finer
        return memory

    def page_text(self, number: int) -> str:
        """Return the raw text of a page."""
        page = self.pages[number]
        return self.document.text[page.start : page.end]

    def page_at(self, offset: int) -> int:
        """Return the number of the page that contains an offset."""
        return max(0, bisect_right(self.pages, offset, key=lambda page: page.start) - 1)

    def places(self) -> list[str]:
        """Return the place in the source where each page begins; empty if unknown."""
        return self.document.places([page.start for page in self.pages])

    def render(self, opened: Collection[int] = ()) -> str:
        """Return the memory as a model sees it: every page under its tag, the opened ones in full."""
        return "\n\n".join(
            f"{self._titles(page)}<{'Part' if gist.origin == 'part' else 'Page'} {page.number}>\n"
            + escape_tags(self.page_text(page.number).strip() if page.number in opened else gist.text)
            for page, gist in zip(self.pages, self.gists, strict=True)
        )

    def is_whole(self, opened: Collection[int] = ()) -> bool:
        """Return whether the text is shown in full with these pages open."""
        pairs = zip(self.pages, self.gists, strict=True)
        return all(page.number in opened or gist.origin == "verbatim" for page, gist in pairs)

    def _titles(self, page: Page) -> str:
        """Return the titles of the documents that begin on this page of a joined memory, one per line."""
        begun = (part for part in self.parts if page.start <= part.start < page.end)
        return "".join(f'<Document "{escape_tags(part.title)}">\n' for part in begun)

    @property
    def leads(self) -> tuple[int, ...]:
        """The numbers of the pages whose gist is only their opening sentences."""
        return tuple(page.number for page, gist in zip(self.pages, self.gists, strict=True) if gist.origin == "lead")

    def lead_reasons(self) -> dict[int, str]:
        """Return why pages have no better gist than their opening sentences, by page number, where that is known."""
        reasons = {fallback.page: fallback.reason for fallback in self.trace.fallbacks if fallback.step == "gist"}
        return {number: reasons.get(number, "") for number in self.leads}

    def words(self, opened: Collection[int] = ()) -> int:
        """Return the words of the memory, with these pages in full."""
        return sum(
            page.words if page.number in opened else gist.words
            for page, gist in zip(self.pages, self.gists, strict=True)
        )

    @property
    def full_words(self) -> int:
        """The words of all pages."""
        return sum(page.words for page in self.pages)

    def compression_with(self, opened: Collection[int]) -> float:
        """Return the share of the text's words that the memory saves with these pages in full."""
        return 1 - self.words(opened) / max(1, self.full_words)

    @property
    def compression(self) -> float:
        """The share of the text's words that the gists save, from 0 to 1."""
        return self.compression_with(())


def spans_of(memory: GistMemory, numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return where pages start and end in the text."""
    return tuple((memory.pages[number].start, memory.pages[number].end) for number in numbers)


def with_calls(memory: GistMemory, trace: Trace) -> GistMemory:
    """Return the memory with all calls of a run in its trace; one from the library has none."""
    if memory.trace is trace:
        return memory
    fallbacks = [*memory.trace.fallbacks, *(one for one in trace.fallbacks if one not in memory.trace.fallbacks)]
    return replace(memory, trace=Trace(trace.keep_text, trace.calls, fallbacks))


_KEY_NAMES = {"page_words": "max_words", "min_page_words": "min_words"}  # as in version 0.1, so that its keys stay


@lru_cache(maxsize=64)  # documents of one command are read with the same plan
def reading_key(plan: Plan, prompts: str, model: str, window: int | None = None, level: int | None = None) -> str:
    """Return the key under which a reading is stored: a hash of what determines the memory besides the document.

    The levels of a memory tree for a ``window`` that are neither its pages nor its top have a ``level``, from 1.
    """
    reading = {_KEY_NAMES.get(name, name): value for name, value in plan.reading().items()}
    tree = [] if window is None else ["tree", level]  # before there were trees, merged memories had other keys
    made = json.dumps([reading, prompts, model, window, *tree], sort_keys=True)
    return hashlib.sha256(made.encode("utf-8", "replace")).hexdigest()[:16]


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
