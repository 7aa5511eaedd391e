"""Merge neighbouring pages of a memory that is too long for the window or for the plan's limit.

Which pages to merge is decided before any new gist is made, so that their text is read only once more. It always ends:
every round leaves fewer pages, and the gist of a single page that is still too long is cut.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf

from readagent.core.choice import Choice
from readagent.core.concurrency import together
from readagent.core.events import Merging
from readagent.core.gists.measure import Measure
from readagent.core.gists.shorten import gist_page
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.model import Ask, Material
from readagent.core.session import Session
from readagent.core.tags import escape_tags
from readagent.core.trace import Fallback
from readagent.core.words import count_words, lead, truncate

MERGED_SHARE = (0.3, 0.6)  # of the words of two gists that their merged gist may have: least and most
_TAG_TOKENS = 6  # tokens of a page tag and its line breaks
_EDGE_WORDS = 150  # words shown of each page to decide whether a new section begins
_VERDICTS = Choice(("yes", "no", "not sure"))


async def fit(memory: GistMemory, session: Session) -> GistMemory:
    """Return the memory with pages merged until it fits; the same memory if it fits already."""
    whole = memory
    sections: dict[int, bool] = {}  # whether a new section begins at this offset; the model is asked once
    while (excess := _excess(memory, session)) > 0:
        session.emit(Merging(len(memory.pages)))
        if len(memory.pages) == 1:
            return replace(_cut(memory, session), finer=whole.finer or whole)
        ends = [page.end for page in memory.pages[:-1]]
        unknown = [i for i, end in enumerate(ends) if end not in sections]
        verdicts = await together(_new_section(memory, i, session) for i in unknown)
        sections.update(zip((ends[i] for i in unknown), verdicts, strict=True))
        memory = await _merge(memory, _groups(memory, sections, excess, session), session)
    return memory if memory is whole else replace(memory, finer=whole.finer or whole)


def fits(memory: GistMemory, session: Session) -> bool:
    """Return whether the memory fits without merging."""
    return _excess(memory, session) <= 0


def gist_lengths(memory: GistMemory) -> list[int]:
    """Return the lengths of the gists, each as its page is measured."""
    pages = zip(memory.pages, memory.gists, strict=True)
    return [Measure.of(memory.page_text(page.number)).length(gist.text) for page, gist in pages]


def merged_for(session: Session) -> int:
    """Return the value for ``GistMemory.window`` of a merged memory: 0 if only the plan's limit requires it."""
    return session.window.tokens or 0


def _room(longest: str, a_word: float, session: Session) -> float:
    """Return the maximum tokens of the gists: within the plan's limit, and with room for the longest page.

    At most half of the free tokens are kept for that page. ``a_word`` is the tokens per word.
    """
    allowed = session.plan.memory_words * a_word or inf
    free = session.window.free
    return min(allowed, free - min(session.window.count(longest[: 8 * free]), free // 2)) if free else allowed


def _excess(memory: GistMemory, session: Session) -> float:
    """Return by how many tokens the memory is too long; 0 or less if it fits."""
    if session.window.prompt is None and not session.plan.memory_words:
        return 0
    longest = max(memory.pages, key=lambda page: page.end - page.start)
    tokens = session.window.count(memory.render())
    return tokens - _room(memory.page_text(longest.number), tokens / max(1, memory.words()), session)


async def _new_section(memory: GistMemory, number: int, session: Session) -> bool:
    """Return whether the page after this one begins a new chapter or section; "not sure" means no."""
    first = " ".join(memory.page_text(number).split()[-_EDGE_WORDS:])[-8 * _EDGE_WORDS :]
    second = truncate(memory.page_text(number + 1).strip(), _EDGE_WORDS)[: 8 * _EDGE_WORDS]
    prompt = session.prompts.fill("merge", first=escape_tags(first), second=escape_tags(second))
    if not session.window.fits(prompt):
        return False
    ask = Ask("merge", prompt, _VERDICTS, Material(passages=(first, second)))
    (verdict,) = await session.decide(ask, lambda: ("not sure",), page=number + 1)
    return verdict == "yes"


@dataclass(frozen=True, slots=True)
class Group:
    """Neighbouring pages, from ``first`` to before ``last``, that become one page with a gist of ``gist_words``."""

    first: int
    last: int
    words: int  # of the text
    gist_words: float
    gist_tokens: float

    def joined(self, other: Group, share: float) -> Group:
        """Return both groups as one; its gist has this share of the two gists."""
        return Group(
            self.first,
            other.last,
            self.words + other.words,
            share * (self.gist_words + other.gist_words),
            share * (self.gist_tokens + other.gist_tokens),
        )


def _groups(memory: GistMemory, sections: dict[int, bool], excess: float, session: Session) -> list[Group]:
    """Return what to merge so that the memory will fit: pairs are merged on paper, in rounds, until it would."""
    groups = [
        Group(page.number, page.number + 1, page.words, length, session.window.count(gist.text))
        for page, gist, length in zip(memory.pages, memory.gists, gist_lengths(memory), strict=True)
    ]
    while excess > 0 and len(groups) > 1:
        size = sum(map(_tokens, groups))
        share = max(MERGED_SHARE[0], min(MERGED_SHARE[1], 1 - excess / size))
        groups = _paired(groups, _pairs(memory, groups, sections, excess / (1 - share)), share)
        longest = max(groups, key=lambda group: group.words)
        text = memory.document.text[memory.pages[longest.first].start : memory.pages[longest.last - 1].end]
        tokens, words = sum(map(_tokens, groups)), sum(group.gist_words for group in groups)
        excess = tokens - _room(text, tokens / max(1, words), session)
    return groups


def _tokens(group: Group) -> float:
    return group.gist_tokens + _TAG_TOKENS


def _pairs(memory: GistMemory, groups: list[Group], sections: dict[int, bool], tokens: float) -> set[int]:
    """Return the first group of each pair to merge, smallest pairs first, until their gists have this many tokens.

    Pages with a gist by the user come last. If every page begins a section, the two smallest neighbours are merged.
    """
    sizes = [a.words + b.words for a, b in pairwise(groups)]
    own = [any(gist.origin == "user" for gist in memory.gists[a.first : b.last]) for a, b in pairwise(groups)]
    order = sorted(range(len(sizes)), key=lambda i: (own[i], sizes[i], i))
    chosen: set[int] = set()
    for i in order:
        if tokens <= 0:
            break
        if sections[memory.pages[groups[i].last - 1].end] or {i - 1, i, i + 1} & chosen:
            continue
        chosen.add(i)
        tokens -= groups[i].gist_tokens + groups[i + 1].gist_tokens
    return chosen or {order[0]}


def _paired(groups: list[Group], firsts: set[int], share: float) -> list[Group]:
    return [
        group.joined(groups[i + 1], share) if i in firsts else group
        for i, group in enumerate(groups)
        if i - 1 not in firsts
    ]


async def _merge(memory: GistMemory, groups: list[Group], session: Session) -> GistMemory:
    """Return the memory with the pages of each group joined; their gists are made from the raw text."""
    made = await together(_joined(memory, number, group, session) for number, group in enumerate(groups))
    pages, gists = zip(*made, strict=True)
    return replace(memory, pages=pages, gists=gists, window=merged_for(session))


async def _joined(memory: GistMemory, number: int, group: Group, session: Session) -> tuple[Page, Gist]:
    pages = memory.pages[group.first : group.last]
    page = Page(number, pages[0].start, pages[-1].end, sum(page.words for page in pages))
    if len(pages) == 1:
        return page, memory.gists[group.first]
    limit = max(1, int(group.gist_words))
    return page, await gist_page(session, page, memory.document.text[page.start : page.end], limit=limit)


def _cut(memory: GistMemory, session: Session) -> GistMemory:
    """Return a memory of one page with its gist cut so that it fits: the last resort."""
    text = memory.gists[0].text
    words = count_words(text)
    room = _room(memory.page_text(0), session.window.count(memory.render()) / max(1, words), session)
    while words > 1 and session.window.count(f"<Page 0>\n{text}") > room:
        words = words * 3 // 4
        text = lead(text, words)
    session.fell_back(Fallback("merge", "one gist alone is too long for the memory", f"its first {words} words", 0))
    return replace(memory, gists=(Gist(text, count_words(text), "lead"),), window=merged_for(session))
