"""Context control: a memory too long for the window is merged, neighbour with neighbour, and gisted again.

It always ends: every round leaves fewer pages, and a single page that is still too long is cut to what fits.
"""

from __future__ import annotations

from dataclasses import replace

from readagent.core.choice import Choice
from readagent.core.events import Shrinking
from readagent.core.gist import gist_page
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.model import Ask, Material
from readagent.core.reader import Reader
from readagent.core.together import together
from readagent.core.trace import Fallback
from readagent.core.words import count_words, estimate_tokens, lead, truncate

MERGED_SHARE = (0.3, 0.6)  # of the words that the two gists had: how far one round may and must shorten them
_TEMPLATE_TOKENS = 320  # the longest template around a memory, with room to spare
_EDGE_WORDS = 150  # shown of each page when asking whether a new section begins
_VERDICTS = Choice(("yes", "no", "not sure"))


async def fit(memory: GistMemory, reader: Reader) -> GistMemory:
    """The memory, merged as far as the window demands: itself, if it demands nothing."""
    sections: dict[int, bool] = {}  # whether a new section begins at this offset of the text: asked once
    while (excess := _excess(memory, reader)) > 0:
        reader.tell(Shrinking(len(memory.pages)))
        if len(memory.pages) == 1:
            return _cut(memory, reader)
        ends = [page.end for page in memory.pages[:-1]]
        unknown = [i for i, end in enumerate(ends) if end not in sections]
        verdicts = await together(_new_section(memory, i, reader) for i in unknown)
        sections.update(zip((ends[i] for i in unknown), verdicts, strict=True))
        size = estimate_tokens(memory.render())
        share = max(MERGED_SHARE[0], min(MERGED_SHARE[1], 1 - excess / size))
        memory = await _merge(memory, _pairs(memory, sections, excess / (1 - share)), share, reader)
    return memory


def fits(memory: GistMemory, reader: Reader) -> bool:
    """Whether the memory need not be merged."""
    return _excess(memory, reader) <= 0


def _room(memory: GistMemory, reader: Reader) -> int | None:
    """Tokens the gists may take, so that the question and the longest page still find room beside them."""
    if reader.window.prompt is None:
        return None
    free = max(64, reader.window.prompt - _TEMPLATE_TOKENS - reader.window.question)
    longest = max(memory.pages, key=lambda page: page.end - page.start)
    return free - min(estimate_tokens(memory.page_text(longest.number)), free // 2)


def _excess(memory: GistMemory, reader: Reader) -> int:
    """Tokens by which the memory is too long; 0 or less if it fits."""
    room = _room(memory, reader)
    return 0 if room is None else estimate_tokens(memory.render()) - room


async def _new_section(memory: GistMemory, number: int, reader: Reader) -> bool:
    """Whether the page after this one begins a new chapter or section; "not sure" is no."""
    first = " ".join(memory.page_text(number).split()[-_EDGE_WORDS:])[-8 * _EDGE_WORDS :]
    second = truncate(memory.page_text(number + 1).strip(), _EDGE_WORDS)[: 8 * _EDGE_WORDS]
    prompt = reader.prompts.fill("merge", first=first, second=second)
    if not reader.window.fits(prompt):
        return False
    ask = Ask("merge", prompt, _VERDICTS, Material(passages=(first, second)))
    (verdict,) = await reader.decide(ask, lambda: ("not sure",), page=number + 1)
    return verdict == "yes"


def _pairs(memory: GistMemory, sections: dict[int, bool], tokens: float) -> set[int]:
    """The first of each two neighbours to merge, the smallest first, until their gists come to so many tokens.

    Where every page begins a section of its own, the two smallest neighbours are merged all the same.
    """
    sizes = [a.words + b.words for a, b in zip(memory.pages, memory.pages[1:], strict=False)]
    order = sorted(range(len(sizes)), key=lambda i: (sizes[i], i))
    chosen: set[int] = set()
    for i in order:
        if tokens <= 0:
            break
        if sections[memory.pages[i].end] or {i - 1, i, i + 1} & chosen:
            continue
        chosen.add(i)
        tokens -= sum(estimate_tokens(gist.text) for gist in memory.gists[i : i + 2])
    return chosen or {order[0]}


async def _merge(memory: GistMemory, firsts: set[int], share: float, reader: Reader) -> GistMemory:
    """These pages joined with the ones after them, and gisted again from their raw text."""
    groups = [(i, i + 1) if i in firsts else (i,) for i in range(len(memory.pages)) if i - 1 not in firsts]
    made = await together(_joined(memory, number, group, share, reader) for number, group in enumerate(groups))
    pages, gists = zip(*made, strict=True)
    return replace(memory, pages=pages, gists=gists, window=reader.window.tokens)


async def _joined(
    memory: GistMemory, number: int, group: tuple[int, ...], share: float, reader: Reader
) -> tuple[Page, Gist]:
    pages = [memory.pages[i] for i in group]
    page = Page(number, pages[0].start, pages[-1].end, sum(page.words for page in pages))
    if len(group) == 1:
        return page, memory.gists[group[0]]
    limit = max(1, int(share * sum(memory.gists[i].words for i in group)))
    return page, await gist_page(reader, page, memory.document.text[page.start : page.end], limit=limit)


def _cut(memory: GistMemory, reader: Reader) -> GistMemory:
    """The last resort: one page is left and its gist is cut to the room there is."""
    room = _room(memory, reader) or 0
    text = memory.gists[0].text
    words = count_words(text)
    while words > 1 and estimate_tokens(f"<Page 0>\n{text}") > room:
        words = words * 3 // 4
        text = lead(text, words)
    reader.fell_back(Fallback("merge", "one gist alone is too long for the window", f"its first {words} words", 0))
    return replace(memory, gists=(Gist(text, count_words(text), "lead"),), window=reader.window.tokens)
