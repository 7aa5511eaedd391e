"""Several memories bound into one, so that a question is asked of all of them at once, and what it cites led back.

The texts stand one after the other in a common text and the pages are numbered through. A place in the common text is
led back by its offset to the document it stands in, to that document's own page and to its own offsets.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from readagent.core.document import Document, Paragraph
from readagent.core.memory import GistMemory, Page, Part
from readagent.core.plan import Plan
from readagent.core.question import Quote
from readagent.core.shelf.records import Card, Citation, PageOf

_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class Member:
    """A document that is asked together with others: its card and its memory."""

    card: Card
    memory: GistMemory

    @property
    def whole(self) -> GistMemory:
        """The memory before any pages were merged: what is cited are its pages."""
        return self.memory.finer or self.memory


@dataclass(frozen=True, slots=True)
class Bound:
    """The common memory, the members, and where each of them begins in the common text."""

    memory: GistMemory
    members: tuple[Member, ...]
    starts: tuple[int, ...]

    def pages(self, numbers: Iterable[int]) -> tuple[PageOf, ...]:
        """What pages of the common memory are in their own documents."""
        found = []
        for number in numbers:
            page = self.memory.pages[number]
            member, offset = self._at(page.start)
            own = _page_at(member.whole, page.start - offset)
            found.append(PageOf(member.card.document, member.card.title, own))
        return tuple(found)

    def cited(self, quote: Quote) -> Citation | None:
        """What a quote from the common text is in its own document; None where it runs from one into the next."""
        member, offset = self._at(quote.start)
        start, end = quote.start - offset, quote.end - offset
        document = member.whole.document
        if end > len(document.text):
            return None
        paragraph = document.paragraph_at(start)
        own = replace(
            quote,
            page=_page_at(member.whole, start),
            paragraph=0 if paragraph is None else paragraph.index,
            start=start,
            end=end,
            place=document.place_at(start),
        )
        return Citation(member.card.document, member.card.title, own)

    def _at(self, offset: int) -> tuple[Member, int]:
        """The member in which a character of the common text stands, and where that member begins."""
        number = bisect_right(self.starts, offset) - 1
        return self.members[number], self.starts[number]


def bind(members: Sequence[Member], plan: Plan) -> Bound:
    """The memories as one. A single one is left as it is."""
    if len(members) == 1:
        return Bound(members[0].whole, tuple(members), (0,))
    texts: list[str] = []
    starts: list[int] = []
    paragraphs: list[Paragraph] = []
    pages: list[Page] = []
    at = 0
    for member in members:
        document = member.whole.document
        text = document.text + _BETWEEN
        starts.append(at)
        texts.append(text)
        for own in document.paragraphs:
            paragraphs.append(replace(own, index=len(paragraphs), start=own.start + at, end=own.end + at))
        for page in member.whole.pages:
            pages.append(replace(page, number=len(pages), start=page.start + at, end=page.end + at))
        at += len(text)
        pages[-1] = replace(pages[-1], end=at)
        if document.paragraphs:
            paragraphs[-1] = replace(paragraphs[-1], end=at)
    gists = tuple(gist for member in members for gist in member.whole.gists)
    parts = tuple(Part(member.card.title, start) for member, start in zip(members, starts, strict=True))
    document = Document("".join(texts), tuple(paragraphs))
    memory = GistMemory(document, tuple(pages), gists, plan, parts=parts)
    return Bound(memory, tuple(members), tuple(starts))


def _page_at(memory: GistMemory, offset: int) -> int:
    """The number of the page on which a character stands."""
    return max(0, bisect_right(memory.pages, offset, key=lambda page: page.start) - 1)
