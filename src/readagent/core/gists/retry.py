"""Ask again for the pages whose gist is only their opening sentences, and keep all other gists."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from readagent.core.concurrency import together
from readagent.core.events import Improving
from readagent.core.gists.merge import gist_lengths
from readagent.core.gists.pinning import Span
from readagent.core.gists.shorten import gist_page
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.session import Session
from readagent.core.trace import Trace


async def retry(memory: GistMemory, session: Session, pinned: Collection[Span] = ()) -> dict[int, Gist]:
    """Return a gist for each page that has none, by page number; it is a lead again if the model still fails."""
    pages = [memory.pages[number] for number in memory.leads if _span(memory, number) not in pinned]
    if not pages:
        return {}
    session.outage.usable = True  # all other pages were read
    session.emit(Improving(len(pages)))
    merged = memory.window is not None  # such a memory must fit
    share = sum(gist_lengths(memory)) / max(1, memory.full_words)

    def limit(page: Page) -> int | None:
        return max(1, round(share * page.words)) if merged else None

    made = await together(gist_page(session, page, memory.page_text(page.number), limit=limit(page)) for page in pages)
    return {page.number: gist for page, gist in zip(pages, made, strict=True)}


def with_retried(memory: GistMemory, made: Mapping[int, Gist], trace: Trace) -> GistMemory:
    """Return the memory with these gists, the calls of a trace, and the reasons for the pages that still have none."""
    gists = tuple(made.get(number, gist) for number, gist in enumerate(memory.gists))
    kept = [fallback for fallback in memory.trace.fallbacks if fallback.step != "gist" or fallback.page not in made]
    fallbacks = [*kept, *(replace(fallback, at=None) for fallback in trace.fallbacks)]
    return replace(memory, gists=gists, trace=Trace(trace.keep_text, trace.calls, fallbacks))


def _span(memory: GistMemory, number: int) -> Span:
    return memory.pages[number].start, memory.pages[number].end
