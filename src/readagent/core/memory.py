"""Page, Gist, GistMemory: what is left of a text after reading it, and the text itself one step away."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

from readagent.core.document import Document
from readagent.core.plan import Plan
from readagent.core.trace import Trace

Origin = Literal["model", "verbatim", "lead", "user"]


@dataclass(frozen=True, slots=True)
class Page:
    """A page is exactly ``document.text[start:end]``; pages follow one another without gap or overlap."""

    number: int
    start: int
    end: int
    words: int


@dataclass(frozen=True, slots=True)
class Gist:
    """What is kept of a page.

    ``origin`` says who wrote it: the ``model`` or the ``user``; ``verbatim`` is a page so short that it is its own
    gist; ``lead`` is the page's opening sentences, taken because the model returned nothing usable.
    """

    text: str
    words: int
    origin: Origin = "model"


@dataclass(frozen=True, slots=True)
class Part:
    """A document among several that are remembered together: its title, and where it begins in their common text."""

    title: str
    start: int


@dataclass(frozen=True, slots=True)
class GistMemory:
    """The gists of a document in order, with the pages they stand for.

    ``window`` is the window for which pages were merged, 0 for a budget of words alone; None where none had to be.
    ``finer`` is the memory in more detail that this one was made from, where it was made from one that is at hand.
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

    @property
    def key(self) -> str:
        """The same for two memories of a document that were made in the same way."""
        return reading_key(self.plan, self.prompts, self.model, self.window)

    def page_text(self, number: int) -> str:
        """The raw page."""
        page = self.pages[number]
        return self.document.text[page.start : page.end]

    def places(self) -> list[str]:
        """Where each page begins in the source of the document, as far as that is known."""
        return self.document.places([page.start for page in self.pages])

    def render(self, expanded: Collection[int] = ()) -> str:
        """The memory as a model sees it: every page under its tag, the expanded ones in full, in their place."""
        return "\n\n".join(
            f"{self._titles(page)}<Page {page.number}>\n"
            f"{self.page_text(page.number).strip() if page.number in expanded else gist.text}"
            for page, gist in zip(self.pages, self.gists, strict=True)
        )

    def _titles(self, page: Page) -> str:
        """The titles of the documents that begin on a page, each on a line, where there are several documents."""
        begun = (part for part in self.parts if page.start <= part.start < page.end)
        return "".join(f'<Document "{part.title}">\n' for part in begun)

    def words(self, expanded: Collection[int] = ()) -> int:
        """Words of the gists, and of the raw pages among them that are expanded."""
        return sum(
            page.words if page.number in expanded else gist.words
            for page, gist in zip(self.pages, self.gists, strict=True)
        )

    @property
    def full_words(self) -> int:
        """Words of the whole text."""
        return sum(page.words for page in self.pages)

    def compression_with(self, expanded: Collection[int]) -> float:
        """The share of the text's words that need not be read once these pages are expanded."""
        return 1 - self.words(expanded) / max(1, self.full_words)

    @property
    def compression(self) -> float:
        """The share of the text's words that the gists save, from 0 to 1."""
        return self.compression_with(())


_KEY_NAMES = {"page_words": "max_words", "min_page_words": "min_words"}  # as in version 0.1, so that its keys stay


def reading_key(plan: Plan, prompts: str, model: str, window: int | None = None) -> str:
    """What a reading is filed under: all that determines the memory besides the document."""
    reading = {_KEY_NAMES.get(name, name): value for name, value in plan.reading().items()}
    made = json.dumps([reading, prompts, model, window], sort_keys=True)
    return hashlib.sha256(made.encode("utf-8", "replace")).hexdigest()[:16]
