"""PageMemory: the snippets of a page and a gist record of each; those of a very long page are grouped into sections."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from readagent.core.concurrency import together
from readagent.core.form import Form, Text
from readagent.core.model import Ask, Material, Reply
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback, GistDone
from readagent.core.words import count_words, lead
from readagent_browse.dom import Element, Snapshot
from readagent_browse.extract import PageWords, extract, plain_text
from readagent_browse.ids import check_ids, harmless, id_ranges
from readagent_browse.page_view import (
    MIN_GIST_WORDS,
    MOST_GISTS,
    cut_and_record,
    cut_to_window,
    gist_words,
    memory_room,
    view_room,
)
from readagent_browse.snippets import Snippet
from readagent_browse.templates import page_head, templates


@dataclass(frozen=True, slots=True)
class Record:
    """The gist of a snippet, or the entry of a section, which has ``parts`` and the index of the first of them.

    ``ids`` are the elements that can be named from it; ``lost_ids`` is how many of them the model left out. An
    ``extract`` is made of the snippet's own words, without a model.
    """

    index: int
    content: str
    words: int
    ids: tuple[str, ...] = ()
    lost_ids: int = 0
    origin: Literal["model", "verbatim", "lead", "extract"] = "model"
    parts: tuple[Record, ...] = ()

    def render(self, section: int = 0) -> str:
        """Return the record as prompts contain it; ``section`` is the number of a section."""
        name, number = ("section", section) if self.parts else ("index", self.index)
        return json.dumps({name: number, "content": self.content}, ensure_ascii=False)

    @property
    def indexes(self) -> range:
        """The snippets that the record stands for."""
        return range(self.index, self.parts[-1].indexes.stop if self.parts else self.index + 1)

    def leaves(self) -> Iterator[Record]:
        """Yield the records of single snippets: the record itself, or those in the section."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves()


@dataclass(frozen=True, slots=True)
class PageMemory:
    """The memory of a page: its snippets, and a record of each, or of sections of them if not all fit."""

    title: str
    snippets: tuple[Snippet, ...]
    records: tuple[Record, ...]
    url: str = ""

    def render(self, opened: Collection[int] = ()) -> str:
        """Return the record of every snippet; opened snippets appear in full in place of their record."""
        lines, sections = list[str](), 0
        for record in self.records:
            if not record.parts and record.index in opened:
                lines.append(f"<part {record.index}>\n{self.snippets[record.index].html}\n</part>")
            else:
                lines.append(record.render(sections))
            sections += bool(record.parts)
        return "\n".join(lines)

    @property
    def sections(self) -> list[Record]:
        """The sections that are shown; prompts number them in this order."""
        return [record for record in self.records if record.parts]

    @property
    def shown(self) -> list[Record]:
        """The records of single snippets that are shown; these snippets can be opened."""
        return [record for record in self.records if not record.parts]

    def gists(self) -> dict[int, str]:
        """Return the gist of each snippet by its index, also of those in sections."""
        return {leaf.index: leaf.content for record in self.records for leaf in record.leaves()}

    @property
    def head(self) -> str:
        """The lines with the title and the address of the page."""
        return page_head(self.title, self.url)

    def prompt(self, opened: Collection[int] = ()) -> str:
        """Return the rendered memory as the beginning of a prompt."""
        template = "sections" if self.sections else "memory"
        return templates().fill(template, head=self.head, page=self.render(opened))

    def words(self, opened: Collection[int] = ()) -> int:
        """Count the words of the gists and of the opened snippets."""
        return sum(
            self.snippets[one.index].words if one.index in opened and not one.parts else one.words
            for one in self.records
        )

    @property
    def full_words(self) -> int:
        """The number of words of the whole page."""
        return sum(snippet.words for snippet in self.snippets)

    @property
    def lost_ids(self) -> int:
        """How many ids the model's gists left out."""
        return sum(record.lost_ids for record in self.records)

    def elements(self, opened: Collection[int] = ()) -> tuple[Element, ...]:
        """Return the elements that can be named from the rendered memory."""
        found: dict[str, Element] = {}
        for record in self.records:
            ids, is_open = frozenset(record.ids), not record.parts and record.index in opened
            for index in record.indexes:
                found |= {one.id: one for one in self.snippets[index].elements if is_open or one.id in ids}
        return tuple(found.values())


BRANCH = 0.35  # of the room that the records in one section take, so that two sections can be shown at once
_ENTRIES = 12  # sections in a larger one
_LEAST_ENTRY = 64  # tokens
_MOST_ENTRY = 320  # tokens
_LEAST_PARTS = 3  # in a section
_FEW = 6  # sections; if there are fewer, they become smaller
RECORD_TOKENS = 14  # what a record adds to its content


def with_sections(memory: PageMemory, words: PageWords, session: Session) -> PageMemory:
    """Return the memory with its records in sections, of which one prompt shows the largest."""
    room = view_room(memory.head, session)
    assert room is not None, "without a limit, everything fits"
    records = memory.records
    least = min(_LEAST_ENTRY, room // 8)
    while len(groups := _grouped(records, room, session)) * least > room and len(groups) < len(records):
        tokens = max(least, int(BRANCH * room) // _ENTRIES)
        records = tuple(_section(memory, group, words, tokens, session) for group in groups)
    tokens = min(_MOST_ENTRY, room // len(groups))
    return replace(memory, records=tuple(_section(memory, group, words, tokens, session) for group in groups))


def _grouped(records: Sequence[Record], room: int, session: Session) -> list[Sequence[Record]]:
    """Return neighbouring records in groups that fill a share of the room, or less of it if these are few."""
    sizes = [session.window.count(record.render()) for record in records]
    branch = BRANCH * room
    while len(groups := _filled(records, sizes, branch)) < min(_FEW, len(records) // _LEAST_PARTS):
        branch /= 2
    return groups


def _filled(records: Sequence[Record], sizes: Sequence[int], branch: float) -> list[Sequence[Record]]:
    groups, first, filled = list[Sequence[Record]](), 0, 0
    for place, size in enumerate(sizes):
        if filled + size > branch and place - first >= _LEAST_PARTS:
            groups.append(records[first:place])
            first, filled = place, 0
        filled += size
    return [*groups, records[first:]]


def _section(memory: PageMemory, records: Sequence[Record], words: PageWords, tokens: int, session: Session) -> Record:
    if len(records) == 1:
        return records[0]
    indexes = [index for record in records for index in record.indexes]
    snippets = [memory.snippets[index] for index in indexes]
    content, ids = extract(snippets, words, tokens - RECORD_TOKENS, session.window.count)
    content = f"parts {indexes[0]} to {indexes[-1]}: {content}"
    return Record(indexes[0], content, count_words(content), ids, origin="extract", parts=tuple(records))


_GIST_SHARE = 0.2  # most words of a gist, as a share of its snippet
_EXTRACT_TOKENS = 64
_GIST = Form((Text("Gist"),))
_TOO_LONG = 1.5  # times its limit


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
        return templates().fill("gist", head=page_head(title), snippet=text, words=limit, task=task, form=_GIST)

    html = cut_and_record(snippet.html, lambda text: session.window.fits(fill(text)), "gist", "a snippet", session)
    ask = Ask("gist", fill(html), form=_GIST, material=Material(passages=(html,), words=limit))
    return await session.judged(ask, lambda reply: _judged(reply, snippet, limit + 10))


def _judged(reply: Reply, snippet: Snippet, limit: int) -> tuple[str, str]:
    """Return the gist in a reply, and why it cannot be used; "" if it can."""
    if problem := useless(reply):
        return "", problem
    filled = _GIST.parse(reply.text)
    text = " ".join(filled.texts["Gist"].split()) if filled is not None else ""
    words = count_words(text)
    if not words:
        return "", "it had no gist after its label"
    if reply.finish == "length":
        return text, "it was cut off by the token limit"
    if words > max(snippet.words, limit - 10):
        return text, "it was longer than the passage"
    return text, f"it was longer than {limit} words" if words > _TOO_LONG * limit else ""


def _with_all_ids(record: Record, ids: Sequence[str]) -> Record:
    """Return the record with the ids that its gist left out appended."""
    missing = [known for known in ids if known not in record.ids]
    if not missing:
        return record
    content = f"{record.content} [{', '.join(id_ranges(missing))}]".strip()
    return replace(record, content=content, words=count_words(content), ids=tuple(ids), lost_ids=len(missing))
