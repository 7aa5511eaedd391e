"""Compare documents: what they have in common, where they differ, and where they contradict each other."""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.memory import GistMemory
from readagent.core.overviews.records import Summary
from readagent.core.overviews.write import summarize
from readagent.core.session import Session
from readagent.core.shelf.joined import Member, join, titled
from readagent.core.shelf.records import Card
from readagent.errors import UsageError

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
