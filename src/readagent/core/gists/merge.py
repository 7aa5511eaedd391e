"""Build a memory tree where the gists of all pages are too long for the window or for the plan's limit.

Neighbouring pages become parts, and these larger parts, until one prompt holds the top level. Each level is a memory of
its own, and ``finer`` is the level below. Parts are closed from left to right, and the lengths asked for change in steps,
so that a text that has grown asks the model again for little more than its last branch.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import inf

from readagent.core.concurrency import together
from readagent.core.events import Merging
from readagent.core.gists.entries import entry_of
from readagent.core.gists.measure import Measure
from readagent.core.gists.names import names_in, pick_names
from readagent.core.gists.part_text import compose, heading_line
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.session import Session

BRANCH = 0.45  # of the room that the gists below one part take, so that two parts can be shown at once
_ENTRIES = 12  # entries below one part, if they are parts themselves
_LEAST_ENTRY = 60  # tokens
_LEAST_PARTS = 8
_WRITTEN = 0.65  # of a part's entry that the model writes; headings and names fill the rest
_STEPS = (10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250, 300)  # words to ask for
TAG_TOKENS = 6  # tokens of a tag and its line breaks
_SECTION_FROM = 0.6  # of a branch that must be full before it may end where a section begins


async def fit(memory: GistMemory, session: Session) -> GistMemory:
    """Return the top of a tree over this memory, or the same memory if one prompt holds all of its gists."""
    if not needs_parts(memory, session):
        return memory
    return await top_of(await levels_above(memory, session), session)


def fits(memory: GistMemory, session: Session) -> bool:
    """Return whether the gists leave room for the longest page, or take no more than half of the free tokens."""
    if session.window.prompt is None and not session.plan.memory_words:
        return True
    longest = max(memory.pages, key=lambda page: page.end - page.start)
    tokens, free = session.window.count(memory.render()), session.window.free
    room = _allowed(memory, tokens, session)
    if free:
        page = session.window.count(memory.page_text(longest.number)[: 8 * free])
        room = min(room, free - min(page, free // 2))
    return tokens <= room


def needs_parts(memory: GistMemory, session: Session) -> bool:
    """Return whether one prompt does not hold all gists, even if no page is open."""
    if session.window.prompt is None and not session.plan.memory_words:
        return False
    tokens = session.window.count(memory.render())
    return len(memory.pages) > 1 and tokens > min(_allowed(memory, tokens, session), session.window.index or inf)


def gist_lengths(memory: GistMemory) -> list[int]:
    """Return the lengths of the gists, each as its page is measured."""
    pages = zip(memory.pages, memory.gists, strict=True)
    return [Measure.of(memory.page_text(page.number)).length(gist.text) for page, gist in pages]


def merged_for(session: Session) -> int:
    """Return the value for ``GistMemory.window`` of a merged memory: 0 if only the plan's limit requires it."""
    return session.window.tokens or 0


def _allowed(memory: GistMemory, tokens: int, session: Session) -> float:
    """Return the tokens that the plan's limit allows for the gists."""
    return session.plan.memory_words * tokens / max(1, memory.words()) or inf


def _room(memory: GistMemory, session: Session) -> int:
    """Return the tokens of a prompt that shows one level and opens no page."""
    tokens = session.window.count(memory.render())
    return max(16, int(min(_allowed(memory, tokens, session), session.window.index or inf)))


async def levels_above(memory: GistMemory, session: Session) -> GistMemory:
    """Return the highest level below the top: the memory itself, or parts if it has too many for one prompt."""
    room = _room(memory, session)
    least = min(_LEAST_ENTRY, room // 4)
    while len(groups := _branches(memory, room, session)) * least > room and len(groups) < len(memory.pages):
        memory = await _level(memory, groups, max(least, int(BRANCH * room) // _ENTRIES), session)
    return memory


async def top_of(memory: GistMemory, session: Session) -> GistMemory:
    """Return the level that fills one prompt, made from the level below it."""
    room = _room(memory, session)
    groups = _branches(memory, room, session)
    return await _level(memory, groups, room // len(groups), session)


def _branches(memory: GistMemory, room: int, session: Session) -> list[range]:
    """Return which pages form parts: as many as fill a share of the room, halved as long as there are few parts."""
    heads = {one.start for one in memory.document.paragraphs if one.heading}
    sizes = [session.window.count(gist.text) + TAG_TOKENS for gist in memory.gists]
    branch = int(BRANCH * room)
    while len(groups := _grouped(memory, sizes, branch, heads)) < min(_LEAST_PARTS, len(memory.pages) // 2):
        branch //= 2
    return groups


def _grouped(memory: GistMemory, sizes: Sequence[int], branch: int, heads: Collection[int]) -> list[range]:
    """Return which pages form parts: as many neighbours as have gists of ``branch`` tokens, and at least two.

    A part that is nearly full ends where a section begins. The last one may be a single page.
    """
    groups, first, size = list[range](), 0, 0
    for number, page in enumerate(memory.pages):
        full = size + sizes[number] > branch or (size > _SECTION_FROM * branch and page.start in heads)
        if full and number - first >= 2:
            groups.append(range(first, number))
            first, size = number, 0
        size += sizes[number]
    return [*groups, range(first, len(memory.pages))]


async def _level(memory: GistMemory, groups: Sequence[range], tokens: int, session: Session) -> GistMemory:
    """Return the level above a memory: a part for each group, with an entry of about this many tokens."""
    session.emit(Merging(len(memory.pages)))
    a_word = max(0.5, session.window.count(memory.render()) / max(1, memory.words()))
    words = max(1, int(_WRITTEN * (tokens - TAG_TOKENS) / a_word))
    limit = max((step for step in _STEPS if step <= words), default=words)
    pages = [_page(memory, number, group) for number, group in enumerate(groups)]
    entries = await together(
        entry_of(page, [memory.gists[one].text for one in group], limit, session) for page, group in zip(pages, groups, strict=True)
    )
    found = pick_names([names_in(memory.document.text[page.start : page.end]) for page in pages])
    gists = list[Gist]()
    for page, group, entry, names in zip(pages, groups, entries, found, strict=True):
        if len(group) == 1:
            gists.append(memory.gists[group[0]])
            continue
        head = heading_line(memory.document, page, len(group))
        text = compose(head, entry, names, tokens - TAG_TOKENS, session.window.count)
        gists.append(Gist(text, len(text.split()), "part"))
    return replace(memory, pages=tuple(pages), gists=tuple(gists), window=merged_for(session), finer=memory)


def _page(memory: GistMemory, number: int, group: range) -> Page:
    pages = memory.pages[group.start : group.stop]
    return Page(number, pages[0].start, pages[-1].end, sum(page.words for page in pages))
