"""Build the memory of a page: a gist of each snippet, with the ids of its elements.

Where the gists do not fit the window, they are grouped into sections. A page with too many snippets gets extracts.
Without ids a model could not name an element from the gists. Ids that the model left out are appended to the gist and
counted; ids that it invented are removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from readagent.core.concurrency import together
from readagent.core.events import GistDone
from readagent.core.gists.shorten import judge_gist
from readagent.core.model import Ask, Material
from readagent.core.session import Session
from readagent.core.trace import Fallback
from readagent.core.words import count_words, lead
from readagent_browse.dom import Snapshot
from readagent_browse.extract import PageWords, extract, plain_text
from readagent_browse.fitting import cut_and_record
from readagent_browse.ids import check_ids, id_ranges
from readagent_browse.material import harmless
from readagent_browse.memory import PageMemory, Record
from readagent_browse.sections import with_sections
from readagent_browse.sizes import MIN_GIST_WORDS, MOST_GISTS, cut_to_window, gist_words, memory_room
from readagent_browse.snippets import Snippet
from readagent_browse.templates import page_head, templates

_GIST_SHARE = 0.2  # most words of a gist, as a share of its snippet
_EXTRACT_TOKENS = 64


async def remember(snapshot: Snapshot, session: Session, snippets: Sequence[Snippet] = ()) -> PageMemory:
    """Return a memory that fits the window.

    The snippets are gisted concurrently; if these are more than ``MOST_GISTS``, extracts are made without a call.
    """
    snippets = tuple(snippets) or cut_to_window(snapshot, session)
    limit = gist_words(page_head(snapshot.title, snapshot.url), snippets, session)
    words = PageWords(snippets)
    if len(snippets) > MOST_GISTS:
        records = [_extract(snippet, words, session) for snippet in snippets]
    else:
        records = await together(_gist(snapshot.title, snippet, limit, session) for snippet in snippets)
    memory = PageMemory(snapshot.title, snippets, tuple(records), snapshot.url)
    room = memory_room(memory.head, snippets, session)
    if room is None or session.window.count(memory.render()) <= room:
        return memory
    return with_sections(memory, words, session)


def _extract(snippet: Snippet, words: PageWords, session: Session) -> Record:
    content, ids = extract((snippet,), words, _EXTRACT_TOKENS, session.window.count, all_ids=True)
    session.emit(GistDone(snippet.index))
    return Record(snippet.index, content, count_words(content), ids, origin="extract")


async def _gist(title: str, snippet: Snippet, limit: int, session: Session) -> Record:
    ids = tuple(element.id for element in snippet.elements)
    limit = min(limit, max(2 * MIN_GIST_WORDS, int(_GIST_SHARE * snippet.words)))
    if snippet.words <= limit:  # at most 16 words, because longer snippets get a limit below their length
        record = Record(snippet.index, snippet.html, snippet.words, ids, origin="verbatim")
    else:
        content, problem = await _summary(title, snippet, limit, session)
        if problem:
            content = lead(plain_text(snippet.html) or snippet.html, limit)
            session.fell_back(Fallback("gist", problem, "the snippet's opening words", snippet.index))
        content, named = check_ids(harmless(content), ids)
        origin: Literal["lead", "model"] = "lead" if problem else "model"
        record = _with_all_ids(Record(snippet.index, content, count_words(content), named, 0, origin), ids)
    session.emit(GistDone(snippet.index))
    return record


async def _summary(title: str, snippet: Snippet, limit: int, session: Session) -> tuple[str, str]:
    """Return the model's summary, and the problem with it after two attempts; empty if there is none."""

    def fill(text: str) -> str:
        task = templates().fill("task", task=session.plan.task) if session.plan.task else ""
        return templates().fill("gist", head=page_head(title), snippet=text, words=limit, task=task)

    html = cut_and_record(snippet.html, lambda text: session.window.fits(fill(text)), "gist", "a snippet", session)
    ask = Ask("gist", fill(html), material=Material(passages=(html,), words=limit))
    most = max(snippet.words, limit)
    text, problem = await session.judged(ask, lambda reply: judge_gist(reply, most, limit + 10))
    return " ".join(text.split()), problem


def _with_all_ids(record: Record, ids: Sequence[str]) -> Record:
    """Return the record with the ids that its gist left out appended."""
    missing = [known for known in ids if known not in record.ids]
    if not missing:
        return record
    content = f"{record.content} [{', '.join(id_ranges(missing))}]".strip()
    return replace(record, content=content, words=count_words(content), ids=tuple(ids), lost_ids=len(missing))
