"""The index of a long text: neighbouring pages form parts, and each part has an entry that says what is in it.

Where the gists of all pages are too long for one prompt, it shows these entries instead. Sizes are fixed, so that the
index of a text is the same for every model and window. Parts are closed from left to right: when the text grows, only
the last ones are new. Each level is a memory of its own, and ``finer`` is the level below.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf

from readagent.core.concurrency import together
from readagent.core.document import Document, heading_text
from readagent.core.escaping import escape_tags
from readagent.core.gists.shorten import GIST, check_of, judge_gist
from readagent.core.gists.sizes import Measure
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.model import Ask, Material, Reply
from readagent.core.patterns import lazy_pattern
from readagent.core.session import Session
from readagent.core.trace import Fallback, Merging
from readagent.core.window import Window, largest
from readagent.core.words import count_words, lead, truncate

SHOWN = 3000  # tokens of a memory in one prompt; pages that are opened come on top
INDEX = 0  # ``GistMemory.window`` of an index
_MOST_ENTRIES = 30  # at the top
_PART = 1200  # tokens of the gists of one part, and at most a share of what the plan allows for all gists
_SHARE = 0.45
_LEAST_PAGES = 3  # of a part
_SECTION_FROM = 0.6  # of a part that must be full before it may end where a section begins
_BRANCHES = (5, 12)  # parts below a part, at least and at most
_ENTRY_WORDS = 32
_ENTRY_TOKENS = 64  # with the headings
_HEADING_WORDS = 8
_TAG = 8  # tokens of a tag and its line breaks
_TAGS = lazy_pattern(r"^<[^<>\n]*>$", re.M)
_count = Window().count  # not corrected by what a server counts: parts must not depend on that


async def fit(memory: GistMemory, session: Session) -> GistMemory:
    """Return the index over this memory, or the same memory if one prompt shows all of its gists.

    An index, also one that was made for a window by an earlier version, is returned as it is.
    """
    if memory.window is not None and memory.finer is not None:
        return memory
    return await index_of(memory, session) if needs_parts(memory, session) else memory


def needs_parts(memory: GistMemory, session: Session) -> bool:
    """Return whether the gists are too long for one prompt."""
    room = room_for(memory, session)
    return len(memory.pages) > 1 and room.count(memory.render()) > room.tokens


@dataclass(frozen=True, slots=True)
class Room:
    """The tokens that a memory may have in a prompt, and how they are counted."""

    tokens: float
    count: Callable[[str], int]


def room_for(memory: GistMemory, session: Session) -> Room:
    """Return the room for a memory; more for one of several documents.

    Look-ups of the paper show all gists where the window holds them. Where the window does not limit it, tokens are
    counted in the same way whatever a server has counted since, so that the same question has the same prompt. Under a
    limit in words, a text counts for the share of it that its words take, without tags.
    """
    plan, window = session.plan, session.window
    direct = plan.look_up == "direct"
    tokens, count = SHOWN * max(1, len(memory.parts)) if direct else inf, _count
    if window.index and (most := window.index - window.index // 3 if direct else window.index) < tokens:
        tokens, count = most, window.count
    if not plan.memory_words:
        return Room(tokens, count)
    if tokens == inf:
        return Room(plan.memory_words, _words)
    return Room(tokens, lambda text: max(count(text), ceil(_words(text) * tokens / plan.memory_words)))


def _words(text: str) -> int:
    return count_words(_TAGS.sub("", text))


async def index_of(memory: GistMemory, session: Session) -> GistMemory:
    """Return the top of an index over all pages of a memory."""
    size: float = _PART
    if most := session.plan.memory_words:
        size = min(size, _SHARE * most * sum(_count(one.text) for one in memory.gists) / max(1, memory.words()))
    level = await _level(memory, _parts_of(memory, size), session)
    while (count := len(level.pages)) > _MOST_ENTRIES:
        least, most = _BRANCHES
        size = max(least, min(most, -(-count // _MOST_ENTRIES)))
        level = await _level(level, [range(at, min(at + size, count)) for at in range(0, count, size)], session)
    return level


def _parts_of(memory: GistMemory, most: float) -> list[range]:
    """Return which pages form parts of so many tokens. A part that is nearly full ends where a section begins."""
    heads = {one.start for one in memory.document.paragraphs if one.heading}
    groups, first, size = list[range](), 0, 0
    for number, (page, gist) in enumerate(zip(memory.pages, memory.gists, strict=True)):
        tokens = _count(gist.text) + _TAG
        full = size + tokens > most or (size > _SECTION_FROM * most and page.start in heads)
        if full and number - first >= _LEAST_PAGES:
            groups.append(range(first, number))
            first, size = number, 0
        size += tokens
    if groups and len(memory.pages) - first < _LEAST_PAGES:
        first = groups.pop().start
    return [*groups, range(first, len(memory.pages))]


async def _level(memory: GistMemory, groups: Sequence[range], session: Session) -> GistMemory:
    """Return the level above a memory: a part for each group of its entries."""
    session.emit(Merging(len(memory.pages)))
    pages = [_page(memory, number, group) for number, group in enumerate(groups)]

    async def part(page: Page, group: range) -> Gist:
        if len(group) == 1:
            return memory.gists[group[0]]
        entry = await _entry_of(page, [memory.gists[number].text for number in group], session)
        head = _headings(memory.document, page)
        text = _cut(f"{head}\n{entry}" if head else entry)
        return Gist(text, count_words(text), "part")

    gists = await together(part(*one) for one in zip(pages, groups, strict=True))
    return replace(memory, pages=tuple(pages), gists=tuple(gists), window=INDEX, finer=memory)


def _page(memory: GistMemory, number: int, group: range) -> Page:
    pages = memory.pages[group.start : group.stop]
    return Page(number, pages[0].start, pages[-1].end, sum(page.words for page in pages))


def _headings(document: Document, page: Page) -> str:
    """Return the first heading in a part and the last one, which tell where in the text it is."""
    paragraphs = document.paragraphs
    first, last = (bisect_left(paragraphs, at, key=lambda one: one.start) for at in (page.start, page.end))
    found = [heading_text(document, one) for one in paragraphs[first:last] if one.heading]
    return " … ".join(truncate(title, _HEADING_WORDS) for title in dict.fromkeys((*found[:1], *found[-1:])))


def _cut(text: str) -> str:
    """Return an entry with at most as many tokens as one may have."""
    if _count(text) <= _ENTRY_TOKENS:
        return text
    words = text.split(" ")
    kept = largest(len(words), lambda kept: _count(f"{' '.join(words[:kept])} …") <= _ENTRY_TOKENS)
    return f"{' '.join(words[:kept])} …" if kept else f"{text[: 2 * _ENTRY_TOKENS]} …"


async def _entry_of(page: Page, gists: Sequence[str], session: Session) -> str:
    """Return the entry of a part with these gists; after two useless replies, the beginnings of the gists."""
    shown = _fitting(gists, session)
    measure = Measure.of(shown)
    check = replace(check_of(session, frame=_prompt("", session)), may_copy=True, language="")

    def judge(reply: Reply) -> tuple[str, str]:
        length = measure.length(shown)
        return judge_gist(
            reply,
            length,
            2 * _ENTRY_WORDS,
            lambda text, labelled: check.problem(text, shown, labelled=labelled),
            measure,
        )

    material = Material(passages=(shown,), words=min(_ENTRY_WORDS, count_words(shown)))
    ask = Ask("merge", _prompt(shown, session), material=material, form=GIST)
    text, problem = "", "the gists do not fit the window"
    if session.window.fits(ask.prompt):
        text, problem = await session.judged(ask, judge)
    if not problem:
        return text
    session.fell_back(Fallback("merge", problem, "the beginnings of the gists", page.number))
    return lead(" ".join(lead(gist, max(3, _ENTRY_WORDS // len(gists))) for gist in gists), _ENTRY_WORDS)


def _fitting(gists: Sequence[str], session: Session) -> str:
    """Return the gists as one text, each with as many words as fit the window."""
    shown = "\n\n".join(gists)
    if session.window.fits(_prompt(shown, session)):
        return shown

    def cut(words: int) -> str:
        return "\n\n".join(lead(gist, words) for gist in gists)

    longest = max(map(count_words, gists))
    return cut(max(1, largest(longest, lambda words: session.window.fits(_prompt(cut(words), session)))))


def _prompt(shown: str, session: Session) -> str:
    measure = Measure.of(shown)
    return session.prompts.fill(
        "merge",
        form=GIST,
        passage=escape_tags(shown),
        instructions=session.plan.instructions,
        task=session.plan.task,
        limit=None if measure.characters else _ENTRY_WORDS,
        aim=measure.told(_ENTRY_WORDS) if measure.characters else "",
    )


def gist_lengths(memory: GistMemory) -> list[int]:
    """Return the lengths of the gists, each as its page is measured."""
    pages = zip(memory.pages, memory.gists, strict=True)
    return [Measure.of(memory.page_text(page.number)).length(gist.text) for page, gist in pages]
