"""PageMemory: the snippets of a page, and a gist record of each, or of those that matter if the page is very long."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from readagent.core.concurrency import together
from readagent.core.form import Form, Text
from readagent.core.model import Ask, Material, Reply
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback, GistDone
from readagent.core.words import count_words, lead
from readagent.retrieval.bm25 import Bm25
from readagent_browse.dom import Element, Snapshot, best_matches
from readagent_browse.goal import Goal
from readagent_browse.material import harmless, page_head, templates
from readagent_browse.page_view import (
    MIN_GIST_WORDS,
    MOST_GISTS,
    cut_and_record,
    cut_to_window,
    gist_words,
    memory_room,
)
from readagent_browse.snippets import Snippet


@dataclass(frozen=True, slots=True)
class Record:
    """The gist of a snippet.

    ``ids`` are the elements that can be named from it; ``lost_ids`` is how many of them the model left out. An
    ``extract`` is made of the snippet's own words, without a model.
    """

    index: int
    content: str
    words: int
    ids: tuple[str, ...] = ()
    lost_ids: int = 0
    origin: Literal["model", "verbatim", "lead", "extract"] = "model"

    def render(self) -> str:
        """Return the record as prompts contain it."""
        return json.dumps({"index": self.index, "content": self.content}, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class PageMemory:
    """The memory of a page: its snippets, and a record of each, or of the likeliest if not all fit."""

    title: str
    snippets: tuple[Snippet, ...]
    records: tuple[Record, ...]
    url: str = ""

    def render(self, opened: Collection[int] = ()) -> str:
        """Return the records; opened snippets appear in full in place of theirs."""
        return "\n".join(
            f"<part {one.index}>\n{self.snippets[one.index].html}\n</part>" if one.index in opened else one.render()
            for one in self.records
        )

    def gists(self) -> dict[int, str]:
        """Return the gists by the indexes of their snippets."""
        return {record.index: record.content for record in self.records}

    @property
    def head(self) -> str:
        """The lines with the title and the address of the page."""
        return page_head(self.title, self.url)

    def prompt(self, opened: Collection[int] = ()) -> str:
        """Return the rendered memory as the beginning of a prompt."""
        return templates().fill("memory", head=self.head, page=self.render(opened))

    def words(self, opened: Collection[int] = ()) -> int:
        """Count the words of the gists and of the opened snippets."""
        return sum(self.snippets[one.index].words if one.index in opened else one.words for one in self.records)

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
        return tuple(
            element
            for record in self.records
            for element in self.snippets[record.index].elements
            if record.index in opened or element.id in record.ids
        )


_GIST_SHARE = 0.2  # most words of a gist, as a share of its snippet
_EXTRACT_WORDS = 20
_MATCHES = 3  # elements that an extract names
_GIST = Form((Text("Gist"),))
_TOO_LONG = 1.5  # times its limit
_TAG = re.compile(r"<[^<>]*>")
_BRACKETS = str.maketrans("[]", "()")  # in the words of a page they would look like ids


async def remember(snapshot: Snapshot, session: Session, goal: Goal, snippets: Sequence[Snippet] = ()) -> PageMemory:
    """Return a memory that fits the window.

    The snippets are gisted concurrently; if these are more than ``MOST_GISTS``, extracts are made without a call. If
    not all fit, those are kept that share most with the goal, which is recorded.
    """
    snippets = tuple(snippets) or cut_to_window(snapshot, session)
    limit = gist_words(page_head(snapshot.title, snapshot.url), snippets, session)
    if len(snippets) > MOST_GISTS:
        records = [_extract(snippet, goal, session) for snippet in snippets]
    else:
        records = await together(_gist(snapshot.title, snippet, limit, session) for snippet in snippets)
    memory = PageMemory(snapshot.title, snippets, tuple(records), snapshot.url)
    room = memory_room(memory.head, snippets, session)
    if room is None or session.window.count(memory.render()) <= room:
        return memory
    kept = _likeliest(memory, goal, room, session)
    taken = f"the {len(kept)} of its {len(snippets)} parts that share most with the instruction"
    session.fell_back(Fallback("gist", "the page is too long for the window", taken))
    return replace(memory, records=kept)


def _likeliest(memory: PageMemory, goal: Goal, room: int, session: Session) -> tuple[Record, ...]:
    """Return the records that share most with the goal, as many as fit, in page order."""
    texts = (" ".join((_plain(one), *(element.label for element in one.elements))) for one in memory.snippets)
    scores = Bm25(texts).scores(goal.search_text())
    kept: list[Record] = []
    for record in sorted(memory.records, key=lambda one: (-scores[one.index], one.index)):
        room -= session.window.count(record.render()) + 1
        if room < 0:
            break
        kept.append(record)
    return tuple(sorted(kept, key=lambda one: one.index))


def _plain(snippet: Snippet) -> str:
    """Return the text of a snippet in one line, without tags."""
    return " ".join(_TAG.sub(" ", snippet.html).split())


def _extract(snippet: Snippet, goal: Goal, session: Session) -> Record:
    """Return the first words of a snippet, and the elements in it that share most with the goal."""
    named = [f"{element.label.translate(_BRACKETS)} [{element.id}]"
             for element in best_matches(snippet.elements, goal, _MATCHES)]  # fmt: skip
    content = ", ".join((lead(_plain(snippet), _EXTRACT_WORDS).translate(_BRACKETS), *named))
    ids = tuple(element.id for element in snippet.elements)
    content, shown = check_ids(content, ids)
    session.emit(GistDone(snippet.index))
    record = Record(snippet.index, content, count_words(content), shown, origin="extract")
    return replace(_with_all_ids(record, ids), lost_ids=0)


async def _gist(title: str, snippet: Snippet, limit: int, session: Session) -> Record:
    ids = tuple(element.id for element in snippet.elements)
    limit = min(limit, max(2 * MIN_GIST_WORDS, int(_GIST_SHARE * snippet.words)))
    if snippet.words <= limit:  # at most 16 words, because longer snippets get a limit below their length
        record = Record(snippet.index, snippet.html, snippet.words, ids, origin="verbatim")
    else:
        content, problem = await _summary(title, snippet, limit, session)
        if problem:
            content = lead(_plain(snippet) or snippet.html, limit)
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


_IN_BRACKETS = re.compile(r"(\s*)\[([^\[\]]*)\]")
_NAMED = re.compile(r"\bid\s*[=:]?\s*[\"']?([A-Za-z]{0,8}[-_]?\d+)\b", re.IGNORECASE)
_LIKE_AN_ID = re.compile(r"[A-Za-z]{0,8}[-_]?\d+(?:-\d+)?")


def check_ids(content: str, ids: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return a gist without the ids that its snippet does not have, and the ids of the snippet that it names."""
    positions = {known: position for position, known in enumerate(ids)}
    named: set[str] = {found for found in _NAMED.findall(content) if found in positions}

    def keep(match: re.Match[str]) -> str:
        found, has_unknown = _bracketed(match[2], positions, ids)
        named.update(found)
        return match[0] if not has_unknown else f"{match[1]}[{', '.join(found)}]" if found else ""

    return " ".join(_IN_BRACKETS.sub(keep, content).split()), tuple(known for known in ids if known in named)


def _bracketed(text: str, positions: Mapping[str, int], ids: Sequence[str]) -> tuple[list[str], bool]:
    """Return the known ids between two brackets, with ranges such as 12-15 expanded, and whether any is unknown."""
    found: list[str] = []
    has_unknown = False
    for part in re.split(r"[,;\s]+", text.strip()):
        name = part.removeprefix("id=")
        first, _, last = name.partition("-")
        if name in positions:
            found.append(name)
        elif first in positions and last in positions:
            found += ids[positions[first] : positions[last] + 1]
        else:
            has_unknown = has_unknown or bool(_LIKE_AN_ID.fullmatch(name))
    return list(dict.fromkeys(found)), has_unknown


def id_ranges(ids: Iterable[str]) -> list[str]:
    """Return the ids, with consecutive numbers written as a range such as 12-15."""
    ranges: list[list[str]] = []
    for current in ids:
        last = ranges[-1][-1] if ranges else ""
        if last.isdigit() and current.isdigit() and int(current) == int(last) + 1:
            ranges[-1].append(current)
        else:
            ranges.append([current])
    return [run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in ranges]
