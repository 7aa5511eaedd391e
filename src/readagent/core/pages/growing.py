"""Growing texts: a conversation, a log, a diary. What was read stays as it is, and only what is new is read.

Every page but the last is closed: it never changes, nor does its gist. The last one is open, for it ended where the
text did: reading goes on from its beginning.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Collection, Mapping
from dataclasses import replace

from readagent.core.concurrency import one_error
from readagent.core.document import Document
from readagent.core.events import Gisted, Started
from readagent.core.gists.pinning import Span
from readagent.core.gists.shorten import gist_page
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.pages.paginate import find_pages
from readagent.core.pages.pausing import Pausing
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.core.words import WordIndex
from readagent.errors import UsageError


def longer(document: Document, more: str | Document) -> Document:
    """The document with more behind it: a text, another document, or the same one as it is now, grown at its end."""
    if isinstance(more, Document) and more.text.startswith(document.text):
        known = {**more.metadata, **document.metadata}
        return replace(more, title=document.title or more.title, source=document.source, metadata=known)
    return document.appended(more)


def closed(memory: GistMemory, fixed: Collection[Span] = ()) -> tuple[Page, ...]:
    """The pages that never change: all but the last, and that too where its gist is fixed, or a person's own."""
    pages = memory.pages
    if pages and ((pages[-1].start, pages[-1].end) in fixed or memory.gists[-1].origin == "user"):
        return pages
    return pages[:-1]


async def grow(
    memory: GistMemory,
    document: Document,
    session: Session,
    *,
    fixed: Mapping[Span, Gist] | None = None,
    live: bool = False,
) -> GistMemory:
    """The memory of a document that begins with the one of this memory; the closed pages stay as they are.

    A memory that was merged grows in its finest form. What is ``fixed`` is closed, or stays a page as it is. With
    ``live``, what does not fill a page waits: as a last page that is its own gist, for which the model is not asked.
    """
    whole, fixed = _finest(memory, document), fixed or {}
    before = closed(whole, fixed)
    made: list[tuple[Page, asyncio.Task[Gist]]] = []
    session.tell(Started(document.words))
    for page in before:
        session.tell(Gisted(page.number))
    with one_error():
        async with asyncio.TaskGroup() as tasks:

            def found(page: Page, gist: Gist | None) -> None:
                if not live or page.end < len(document.text):
                    text, known = document.text[page.start : page.end], fixed.get((page.start, page.end), gist)
                    made.append((page, tasks.create_task(gist_page(session, page, text, fixed=known))))

            pausing = replace(session, plan=replace(session.plan, mode="paper")) if live else session
            await find_pages(Pausing(document, session.plan, fixed, growing=True), pausing, found, before)
    made.sort(key=lambda one: one[0].start)
    pages = (*before, *(replace(page, number=number) for number, (page, _) in enumerate(made, len(before))))
    gists = (*whole.gists[: len(before)], *(task.result() for _, task in made))
    grown = replace(whole, document=document, pages=pages, gists=gists, trace=session.trace)
    return _with_open_page(grown) if live else grown


def extended(memory: GistMemory, document: Document, fixed: Collection[Span] = ()) -> GistMemory:
    """The memory with its last page open and as long as the text; nothing is asked."""
    whole = _finest(memory, document)
    before = closed(whole, fixed)
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
