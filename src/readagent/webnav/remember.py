"""The memory of a page: a gist of each snippet, kept as an index/content record, with the ids of its elements.

Without ids nothing could be named from gists alone. Those that the model lost are added below the gist, in runs, and
counted; those that it made up are taken out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from readagent.core.concurrency import together
from readagent.core.events import GistDone
from readagent.core.gists.shorten import judge_gist
from readagent.core.model import Ask, Material
from readagent.core.session import Session
from readagent.core.trace import Fallback
from readagent.core.words import count_words, estimate_tokens, lead
from readagent.webnav.dom import Element, Snapshot
from readagent.webnav.ids import checked, runs
from readagent.webnav.snippets import Snippet, cut
from readagent.webnav.templates import templates
from readagent.webnav.view import ENOUGH, check_window, shortened, titled

VERBATIM_WORDS = 30  # a snippet this short is its own gist
GIST_WORDS = 60  # asked for at most
_SHARE = 0.2  # of the words of its snippet, likewise
_LEAST_WORDS = 8
_A_WORD = 2  # tokens, with what surrounds it in a record
_USEFUL = 64  # tokens of a gist of twenty words in its record, with a few ids
_FULL = 0.5  # of the words that a snippet may have: what it has on the average
_TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class Record:
    """The gist of a snippet. ``ids`` are the elements that can be named from it, ``lost`` how many of them it lost."""

    index: int
    content: str
    words: int
    ids: tuple[str, ...] = ()
    lost: int = 0
    origin: Literal["model", "verbatim", "lead"] = "model"

    def shown(self) -> str:
        """As it stands in a prompt."""
        return json.dumps({"index": self.index, "content": self.content}, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class PageMemory:
    """What is kept of a page: its snippets, and a record of each, or of the first of them where not all fit."""

    title: str
    snippets: tuple[Snippet, ...]
    records: tuple[Record, ...]

    def render(self, opened: Collection[int] = ()) -> str:
        """The page as a model sees it: every snippet's record, the opened ones in full, in their place."""
        return "\n".join(
            f"<part {record.index}>\n{self.snippets[record.index].html}\n</part>"
            if record.index in opened
            else record.shown()
            for record in self.records
        )

    def prompt(self, opened: Collection[int] = ()) -> str:
        """The same, as the first part of a prompt."""
        return templates().fill("memory", title=titled(self.title), page=self.render(opened))

    def words(self, opened: Collection[int] = ()) -> int:
        """Words of the gists, and of the snippets among them that are open."""
        return sum(self.snippets[r.index].words if r.index in opened else r.words for r in self.records)

    @property
    def full_words(self) -> int:
        """Words of the whole page."""
        return sum(snippet.words for snippet in self.snippets)

    @property
    def lost(self) -> int:
        """Ids that the model's gists had lost."""
        return sum(record.lost for record in self.records)

    def elements(self, opened: Collection[int] = ()) -> tuple[Element, ...]:
        """The elements that can be named from what is shown."""
        return tuple(
            element
            for record in self.records
            for element in self.snippets[record.index].elements
            if record.index in opened or element.id in record.ids
        )


async def remember(snapshot: Snapshot, session: Session, snippets: Sequence[Snippet] = ()) -> PageMemory:
    """Gist the snippets of a page, all at once, and make the memory fit the window."""
    snippets = tuple(snippets) or cut_for(snapshot, session)
    limit = _gist_words(snapshot.title, snippets, session)
    records = await together(_gist(snapshot.title, snippet, limit, session) for snippet in snippets)
    return _fit(PageMemory(snapshot.title, snippets, tuple(records)), session)


def cut_for(snapshot: Snapshot, session: Session) -> tuple[Snippet, ...]:
    """The snippets of a page, as long as the plan says; longer where so many gists would not fit the window."""
    words = session.plan.page_words
    snippets = cut(snapshot, words)
    room = _room(snapshot.title, session)
    if room is None:
        return snippets
    tokens = sum(estimate_tokens(snippet.html) for snippet in snippets)
    a_word = tokens / max(1, sum(snippet.words for snippet in snippets))
    longest = max(1, int(room / 2 / a_word))
    words = min(words, longest)
    while words < longest and tokens / (_FULL * words * a_word) * _USEFUL > room - words * a_word:
        words = min(longest, words * 5 // 4 + 1)
    return snippets if words == session.plan.page_words else cut(snapshot, words)


def _room(title: str, session: Session) -> int | None:
    """Tokens that a page may take in a prompt beside its templates and the goal."""
    if session.window.prompt is None:
        return None
    check_window(session)
    around = estimate_tokens(templates().fill("memory", title=titled(title), page=""))
    return session.window.prompt - session.window.question - around - ENOUGH


def _memory_room(title: str, snippets: Sequence[Snippet], session: Session) -> int | None:
    """Tokens that the records may take, so that the longest snippet still finds room among them."""
    if (room := _room(title, session)) is None:
        return None
    longest = max((estimate_tokens(snippet.html) for snippet in snippets), default=0)
    return room - min(longest, room // 2)


def _gist_words(title: str, snippets: Sequence[Snippet], session: Session) -> int:
    """How many words a gist may have, so that all of them fit."""
    room = _memory_room(title, snippets, session)
    if room is None:
        return GIST_WORDS
    words = int(room / max(1, len(snippets)) / _A_WORD) - _LEAST_WORDS
    return max(_LEAST_WORDS, min(GIST_WORDS, words))


async def _gist(title: str, snippet: Snippet, limit: int, session: Session) -> Record:
    ids = tuple(element.id for element in snippet.elements)
    limit = min(limit, max(2 * _LEAST_WORDS, int(_SHARE * snippet.words)))
    if snippet.words <= min(VERBATIM_WORDS, limit):
        record = Record(snippet.index, snippet.html, snippet.words, ids, origin="verbatim")
    else:
        content, problem = await _summary(title, snippet, limit, session)
        if problem:
            content = lead(" ".join(_TAG.sub(" ", snippet.html).split()) or snippet.html, limit)
            session.fell_back(Fallback("gist", problem, "the snippet's opening words", snippet.index))
        content, named = checked(content, ids)
        origin: Literal["lead", "model"] = "lead" if problem else "model"
        record = _with_lost(Record(snippet.index, content, count_words(content), named, 0, origin), ids)
    session.emit(GistDone(snippet.index))
    return record


async def _summary(title: str, snippet: Snippet, limit: int, session: Session) -> tuple[str, str]:
    """The model's summary, and what is wrong with it after two tries, if anything."""

    def fill(text: str) -> str:
        task = templates().fill("task", task=session.plan.task) if session.plan.task else ""
        return templates().fill("gist", title=titled(title), snippet=text, words=limit, task=task)

    html = shortened(snippet.html, lambda text: session.window.fits(fill(text)), "gist", "a snippet", session)
    ask = Ask("gist", fill(html), material=Material(passages=(html,), words=limit))
    most = max(snippet.words, limit)
    text, problem = await session.judged(ask, lambda reply: judge_gist(reply, most, limit + 10))
    return " ".join(text.split()), problem


def _with_lost(record: Record, ids: Sequence[str]) -> Record:
    """The record with the ids that its gist lost below it."""
    missing = [one for one in ids if one not in record.ids]
    if not missing:
        return record
    content = f"{record.content} [{', '.join(runs(missing))}]".strip()
    return replace(record, content=content, words=count_words(content), ids=tuple(ids), lost=len(missing))


def _fit(memory: PageMemory, session: Session) -> PageMemory:
    """The memory as it fits the window: without added ids, then with shorter gists, then without the last of them."""
    room = _memory_room(memory.title, memory.snippets, session)
    if room is None or estimate_tokens(memory.render()) <= room:
        return memory
    most = max(record.words for record in memory.records)
    while most > 1:
        most = most * 3 // 4
        memory = replace(memory, records=tuple(_shorter(memory, record, most) for record in memory.records))
        if estimate_tokens(memory.render()) <= room:
            session.fell_back(Fallback("gist", "the gists are too long for the window", f"their first {most} words"))
            return memory
    records = memory.records
    while records and estimate_tokens(replace(memory, records=records).render()) > room:
        records = records[: len(records) * 9 // 10]
    session.fell_back(
        Fallback(
            "gist",
            "the page is too long for the window",
            f"its first {len(records)} of {len(memory.snippets)} parts",
        )
    )
    return replace(memory, records=records)


def _shorter(memory: PageMemory, record: Record, words: int) -> Record:
    """A record cut to so many words; the ids that are then still in it can be named."""
    if record.words <= words:
        return record
    ids = [element.id for element in memory.snippets[record.index].elements]
    content, named = checked(lead(record.content, words), ids)
    return replace(record, content=content, words=count_words(content), ids=named)
