"""Growing texts: a conversation, a log, a diary. What was read stays as it is, and only what is new is read.

Every page but the last is closed: it never changes, nor does its gist. The last one is open, for it ended where the
text did: reading goes on from its beginning.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping
from dataclasses import replace

from readagent.core.document import Document
from readagent.core.events import Gisted, Started
from readagent.core.gists.pinning import Span
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.pages.paginate import read_pages
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.core.words import WordIndex
from readagent.errors import UsageError


def longer(document: Document, more: str | Document) -> Document:
    """The document with more behind it: a text, another document, or the same one as it is now, grown at its end."""
    if isinstance(more, Document) and more.text.startswith(document.text):
        known = {**more.facts, **document.facts}
        return replace(more, title=document.title or more.title, source=document.source).with_facts(known)
    return document.appended(more)


def closed(memory: GistMemory, pinned: Collection[Span] = ()) -> tuple[Page, ...]:
    """The pages that never change: all but the last, and that too where its gist is pinned, or written by the user."""
    pages = memory.pages
    if pages and ((pages[-1].start, pages[-1].end) in pinned or memory.gists[-1].origin == "user"):
        return pages
    return pages[:-1]


async def grow(
    memory: GistMemory,
    document: Document,
    session: Session,
    *,
    pinned: Mapping[Span, Gist] | None = None,
    live: bool = False,
) -> GistMemory:
    """The memory of a document that begins with the one of this memory; the closed pages stay as they are.

    A memory that was merged grows in its finest form. Pages that are ``pinned`` stay as they are. With
    ``live``, what does not fill a page waits: as a last page that is its own gist, for which the model is not asked.
    """
    whole = _finest(memory, document)
    before = closed(whole, pinned or ())
    session.tell(Started(document.words))
    for page in before:
        session.tell(Gisted(page.number))
    if live:  # one page at a time is closed: nothing to gain from one pass
        session = replace(session, plan=replace(session.plan, mode="paper"))
    pages, gists = await read_pages(document, session, after=before, pinned=pinned, growing=True, leave_last=live)
    grown = replace(
        whole,
        document=document,
        pages=(*before, *pages),
        gists=(*whole.gists[: len(before)], *gists),
        trace=session.trace,
    )
    return _with_open_page(grown) if live else grown


def extended(memory: GistMemory, document: Document, pinned: Collection[Span] = ()) -> GistMemory:
    """The memory with its last page open and as long as the text; nothing is asked."""
    whole = _finest(memory, document)
    before = closed(whole, pinned)
    kept = replace(whole, document=document, pages=before, gists=whole.gists[: len(before)], trace=Trace())
    return _with_open_page(kept)


def is_full(memory: GistMemory) -> bool:
    """Whether the open page is more than one page: too long, or with a section beginning inside it."""
    last, paragraphs = memory.pages[-1], memory.document.paragraphs
    inside = paragraphs[bisect_right(paragraphs, last.start, key=lambda one: one.start) :]
    return last.words > memory.plan.page_words or any(one.heading for one in inside)


def _finest(memory: GistMemory, document: Document) -> GistMemory:
    whole = memory.finer or memory
    if not document.text.startswith(whole.document.text):
        raise UsageError(
            "the text does not begin with the one that was read",
            hint="a memory grows at its end; read a text that has changed elsewhere anew",
        )
    return replace(whole, window=None)


def _with_open_page(memory: GistMemory) -> GistMemory:
    """The memory with all that lies behind its pages as one more, which is its own gist."""
    start = memory.pages[-1].end if memory.pages else 0
    text = memory.document.text[start:]
    if not text.strip():
        return memory
    page = Page(len(memory.pages), start, len(memory.document.text), _words_from(memory.document.text, start))
    gist = Gist(text.strip(), page.words, "verbatim")
    return replace(memory, pages=(*memory.pages, page), gists=(*memory.gists, gist))


def _words_from(text: str, start: int) -> int:
    """How many words begin from there on, counted as in the whole text, without going through all of it."""
    before = start
    while before and not text[before - 1].isspace():
        before -= 1
    return WordIndex(text[before:]).count(start - before, len(text) - before)
