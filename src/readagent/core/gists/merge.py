"""Build a memory tree where the gists of all pages are too long for the window or for the plan's limit.

Neighbouring pages become parts, and these larger parts, until one prompt holds the top level. Each level is a memory of
its own, and ``finer`` is the level below. Parts are closed from left to right, and of the entries above them only some
get shorter at a time (see `entry_sizes`), so that for a text that has grown little more than the last branch is new.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import inf, log

from readagent.core.concurrency import together
from readagent.core.gists.entries import (
    compose,
    entry_of,
    entry_sizes,
    heading_line,
    names_in,
    pick_names,
    without_names,
)
from readagent.core.gists.sizes import Measure
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.session import Session
from readagent.core.trace import Merging
from readagent.core.words import count_words, truncate

BRANCH = 0.45  # of the room that the gists below one part take, so that two parts can be shown at once
_ENTRIES = 12  # entries below one part, if they are parts themselves
_LEAST_ENTRY = 60  # tokens
_MOST_ENTRY = 800  # tokens; if there is more room, there are more parts
_LEAST_PARTS = 8
_LEAST_PAGES = 4  # of a part
_NAMED = 0.25  # of a part's entry that is kept for names
_STEP = 1.1  # words to ask for are a power of it
_MOST_WORDS = 600  # to ask for
TAG_TOKENS = 8  # tokens of a tag and its line breaks
_SECTION_FROM = 0.6  # of a branch that must be full before it may end where a section begins


async def fit(memory: GistMemory, session: Session) -> GistMemory:
    """Return the top of a tree over this memory, or the same memory if one prompt holds all of its gists.

    The top of a tree for the same window is returned unchanged; for another window, a new tree is made.
    """
    if memory.window is not None and memory.finer is not None:
        if memory.window == merged_for(session):
            return memory
        memory = memory.whole
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
        tokens = max(least, int(BRANCH * room) // _ENTRIES)
        memory = await _level(memory, groups, [tokens] * len(groups), session)
    return memory


async def top_of(memory: GistMemory, session: Session) -> GistMemory:
    """Return the level that fills one prompt, made from the level below it."""
    room = _room(memory, session)
    groups = _branches(memory, room, session)
    sizes = entry_sizes(len(groups), room, _LEAST_ENTRY)
    top = await _level(memory, groups, sizes, session, spare=(room - sum(sizes)) // len(groups))
    most = session.plan.memory_words
    return top if not most or top.words() <= most else _limited(top, most // len(groups))


def _branches(memory: GistMemory, room: int, session: Session) -> list[range]:
    """Return which pages form parts: as many as fill a share of the room, halved as long as there are few parts."""
    heads = {one.start for one in memory.document.paragraphs if one.heading}
    sizes = [session.window.count(gist.text) + TAG_TOKENS for gist in memory.gists]
    branch, least = int(BRANCH * room), max(_LEAST_PARTS, room // _MOST_ENTRY)
    while len(groups := _grouped(memory, sizes, branch, heads)) < min(least, len(memory.pages) // _LEAST_PAGES):
        branch //= 2
    return groups


def _grouped(memory: GistMemory, sizes: Sequence[int], branch: int, heads: Collection[int]) -> list[range]:
    """Return which pages form parts: as many neighbours as have gists of ``branch`` tokens, and at least four.

    A part that is nearly full ends where a section begins.
    """
    groups, first, size = list[range](), 0, 0
    for number, page in enumerate(memory.pages):
        full = size + sizes[number] > branch or (size > _SECTION_FROM * branch and page.start in heads)
        if full and number - first >= _LEAST_PAGES:
            groups.append(range(first, number))
            first, size = number, 0
        size += sizes[number]
    if groups and len(memory.pages) - first < _LEAST_PAGES:
        first = groups.pop().start
    return [*groups, range(first, len(memory.pages))]


async def _level(
    memory: GistMemory, groups: Sequence[range], sizes: Sequence[int], session: Session, *, spare: int = 0
) -> GistMemory:
    """Return the level above a memory: a part for each group, with an entry of at most so many tokens.

    Names may take ``spare`` tokens more.
    """
    session.emit(Merging(len(memory.pages)))
    pages = [_page(memory, number, group) for number, group in enumerate(groups)]
    heads = [heading_line(memory.document, page) for page in pages]
    found = pick_names([names_in(memory.document.text[page.start : page.end]) for page in pages])

    async def part(page: Page, group: range, head: str, names: Sequence[str], tokens: int) -> Gist:
        if len(group) == 1:
            return memory.gists[group[0]]
        gists = (memory.gists[number] for number in group)
        below = [without_names(gist.text) if gist.origin == "part" else gist.text for gist in gists]
        room = tokens - TAG_TOKENS
        limit = _words_to_ask_for(below, head, names, room, session)
        text = compose(head, await entry_of(page, below, limit, session), names, room + spare, session.window.count)
        return Gist(text, count_words(text), "part")

    gists = await together(part(*one) for one in zip(pages, groups, heads, found, sizes, strict=True))
    return replace(memory, pages=tuple(pages), gists=tuple(gists), window=merged_for(session), finer=memory)


def _limited(memory: GistMemory, words: int) -> GistMemory:
    """Return the memory with at most so many words in each gist."""
    texts = (truncate(gist.text, max(1, words)) for gist in memory.gists)
    gists = (replace(gist, text=text, words=count_words(text)) for gist, text in zip(memory.gists, texts, strict=True))
    return replace(memory, gists=tuple(gists))


def _words_to_ask_for(below: Sequence[str], head: str, names: Sequence[str], room: int, session: Session) -> int:
    """Return the words that the model may write, next to the heading and some names, in steps of about a tenth."""
    count, gists = session.window.count, "\n\n".join(below)
    a_word = max(0.5, count(gists) / max(1, count_words(gists)))
    listed = min(int(_NAMED * room), count(", ".join(names)))
    words = max(1, int((room - count(head) - listed) / a_word))
    return min(_MOST_WORDS, int(_STEP ** int(log(words, _STEP)) + 0.001))


def _page(memory: GistMemory, number: int, group: range) -> Page:
    pages = memory.pages[group.start : group.stop]
    return Page(number, pages[0].start, pages[-1].end, sum(page.words for page in pages))
