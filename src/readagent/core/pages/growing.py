"""Growing texts, such as conversations, logs and diaries: only new text is read, and what was read stays.

Every page but the last is closed: neither it nor its gist changes. The last page is open, because it ended where the
text ended: reading continues from its beginning.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping
from dataclasses import replace

from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Page, Span
from readagent.core.pages.paginate import read_pages
from readagent.core.session import Session
from readagent.core.trace import GistDone, Started, Trace
from readagent.core.words import WordIndex
from readagent.errors import UsageError


def lengthen(document: Document, more: str | Document) -> Document:
    """Return the document with more at its end: a text, another document, or a longer version of the same one."""
    if isinstance(more, Document) and more.text.startswith(document.text):
        known = {**more.facts, **document.facts}
        return replace(more, title=document.title or more.title, source=document.source).with_facts(known)
    return document.appended(more)


def rebase(before: Document, after: Document, other: Document) -> Document:
    """Return ``other``, which also grew from ``before``, with what ``after`` has more than ``before`` at its end."""
    start = len(before.text)
    start += len(after.text[start:]) - len(after.text[start:].lstrip())
    paragraphs = [one for one in after.paragraphs if one.end > start]
    added = (
        replace(one, index=index, start=max(one.start - start, 0), end=one.end - start)
        for index, one in enumerate(paragraphs)
    )
    return other.appended(Document(after.text[start:], tuple(added)))


def closed_pages(memory: GistMemory, pinned: Collection[Span] = ()) -> tuple[Page, ...]:
    """Return the pages that never change: all but the last, and the last too if its gist is pinned or by the user."""
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
    """Return the memory of a longer version of the document; closed and ``pinned`` pages stay as they are.

    A merged memory grows in its finest form. With ``live``, text that does not fill a page becomes a last page that is
    its own gist, and the model is not asked about it.
    """
    whole = _finest(memory, document)
    before = closed_pages(whole, pinned or ())
    session.emit(Started(document.words))
    for page, gist in zip(before, whole.gists, strict=False):
        session.emit(GistDone(page.number, page.start, page.end, gist.text))
    if live or session.plan.mode == "auto":  # pages are closed one at a time, so one pass would gain nothing
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


def extend(memory: GistMemory, document: Document, pinned: Collection[Span] = ()) -> GistMemory:
    """Return the memory with its open page extended to the end of the document, without asking the model."""
    whole = _finest(memory, document)
    before = closed_pages(whole, pinned)
    closed = replace(whole, document=document, pages=before, gists=whole.gists[: len(before)], trace=Trace())
    return _with_open_page(closed)


def is_full(memory: GistMemory) -> bool:
    """Return whether the open page must be divided: it is too long, or a section begins inside it."""
    last, paragraphs = memory.pages[-1], memory.document.paragraphs
    inside = paragraphs[bisect_right(paragraphs, last.start, key=lambda one: one.start) :]
    return last.words > memory.plan.page_words or any(one.heading for one in inside)


def _finest(memory: GistMemory, document: Document) -> GistMemory:
    whole = memory.whole
    if not document.text.startswith(whole.document.text):
        raise UsageError(
            "the new text does not begin with the text that was read",
            hint="a memory can only grow at its end; read a text again if it changed elsewhere",
        )
    return replace(whole, window=None)


def _with_open_page(memory: GistMemory) -> GistMemory:
    """Return the memory with the text after its pages as one more page, which is its own gist."""
    start = memory.pages[-1].end if memory.pages else 0
    text = memory.document.text[start:]
    if not text.strip():
        return memory
    page = Page(len(memory.pages), start, len(memory.document.text), _words_from(memory.document.text, start))
    gist = Gist(text.strip(), page.words, "verbatim")
    return replace(memory, pages=(*memory.pages, page), gists=(*memory.gists, gist))


def _words_from(text: str, start: int) -> int:
    """Return how many words begin at or after ``start``, as in the whole text, without indexing all of it."""
    before = start
    while before and not text[before - 1].isspace():
        before -= 1
    return WordIndex(text[before:]).count(start - before, len(text) - before)
