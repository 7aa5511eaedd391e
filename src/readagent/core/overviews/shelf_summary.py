"""Summarise a shelf, with one summary of each document and one of all of them; and compare documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from readagent.core.escaping import brief, counted
from readagent.core.memory import GistMemory
from readagent.core.overviews.entries import Entry, for_each
from readagent.core.overviews.points import Point, Summary
from readagent.core.overviews.write import summarize
from readagent.core.session import Session
from readagent.core.shelf.ask import JoinedMemory, Member, join, titled
from readagent.core.shelf.shelf_answer import Card, PageOf
from readagent.core.trace import Trace, Working, without
from readagent.errors import UsageError


@dataclass(frozen=True, slots=True)
class ShelfSummary:
    """A summary of each document on a shelf, and one of all of them, whose pages are those of the joined documents.

    ``sources`` returns the documents and pages that a statement of ``whole`` is from.
    """

    whole: Summary
    documents: tuple[tuple[Card, Summary], ...]
    joined: JoinedMemory = field(compare=False, repr=False)

    def __repr__(self) -> str:
        return brief(self, self.text, counted(len(self.documents), "document"))

    @property
    def text(self) -> str:
        """The summary of all documents as prose, without its pages."""
        return self.whole.text

    @property
    def dropped(self) -> tuple[Point, ...]:
        """The statements of all summaries that the texts do not support."""
        own = (point for _, summary in self.documents for point in summary.dropped)
        return self.whole.dropped if len(self.documents) == 1 else (*self.whole.dropped, *own)

    @property
    def trace(self) -> Trace:
        """All calls that were made."""
        return self.whole.trace

    def sources(self, point: Point) -> tuple[PageOf, ...]:
        """Return the pages of a statement of ``whole`` with their documents, numbered as there."""
        return self.joined.pages(point.pages)


async def summarize_shelf(
    members: Sequence[Member],
    session: Session,
    *,
    words: int = 300,
    about: str = "",
    audience: str = "",
    check: bool | None = None,
) -> ShelfSummary:
    """Return a summary in about so many words of each document, made as it would be alone, and one of all."""
    members = titled([replace(member, memory=member.whole) for member in members])
    joined = join(members, session.plan)
    quiet = replace(session, emit=without(session.emit, Working)) if len(members) > 1 else session

    async def one(member: Member) -> Summary:
        plan = member.whole.plan if check is None else replace(member.whole.plan, check=check)
        own = replace(quiet, plan=plan)
        return await summarize(member.whole, own, words=words, about=about, audience=audience)

    own = await for_each(members, one, session, "summarising documents")
    documents = tuple((member.card, summary) for member, summary in zip(members, own, strict=True))
    if len(members) == 1:
        return ShelfSummary(own[0], documents, joined)
    entries = list(_entries(members, own))
    whole = await summarize(joined.memory.whole, session, words=words, about=about, audience=audience, entries=entries)
    return ShelfSummary(whole, documents, joined)


def _entries(members: Sequence[Member], summaries: Sequence[Summary]) -> Iterator[Entry]:
    """Yield the statements of all documents, with the pages of the joined ones; the first has the document's title."""
    firsts = accumulate((len(member.whole.pages) for member in members[:-1]), initial=0)
    for member, summary, first in zip(members, summaries, firsts, strict=True):
        for at, point in enumerate(summary.points):
            pages = tuple(first + page for page in point.pages)
            yield Entry(pages, point.text, member.card.title if at == 0 else "")


_ASKED = "What do the documents have in common, where do they differ, and where do they contradict each other?"


async def compare(memories: Sequence[GistMemory], session: Session, *, words: int = 300, about: str = "") -> Summary:
    """Return a comparison of documents, whose statements name pages of all of them, joined; with ``about`` on that."""
    if len(memories) < 2:
        raise UsageError("there must be two documents or more to compare")
    members = titled([Member(_card(memory), memory.whole) for memory in memories])
    joined = join(members, session.plan).memory.whole
    asked = f"{_ASKED} Compare them on this: {about}" if about else _ASKED
    return await summarize(joined, session, words=words, about=asked, notes_on=about)


def _card(memory: GistMemory) -> Card:
    document = memory.document
    return Card(document.id, document.title or document.source or "Document", "", "", document.words)
