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


async def fit(memory: GistMemory, reader: Reader, *, beside: int = 256) -> GistMemory:
    """The memory, merged as far as the window demands, with ``beside`` tokens left for the question."""
    while not _fits(memory, reader, beside):
        reader.tell(Shrinking(len(memory.pages)))
        if len(memory.pages) == 1:
            return _cut(memory, reader, beside)
        memory = await _merge(memory, reader, _share(memory, reader, beside))
    return memory


def _room(memory: GistMemory, reader: Reader, beside: int) -> int | None:
    """Tokens the gists may take, so that the question and the longest page still find room beside them."""
    if reader.window.prompt is None:
        return None
    free = max(64, reader.window.prompt - _TEMPLATE_TOKENS - beside)
    longest = max(memory.pages, key=lambda page: page.end - page.start)
    return free - min(estimate_tokens(memory.page_text(longest.number)), free // 2)


def _fits(memory: GistMemory, reader: Reader, beside: int) -> bool:
    room = _room(memory, reader, beside)
    return room is None or estimate_tokens(memory.render()) <= room


def _share(memory: GistMemory, reader: Reader, beside: int) -> float:
    """How much of the gists' words there is room for, within what one round may do."""
    least, most = MERGED_SHARE
    room = _room(memory, reader, beside) or 0
    return max(least, min(most, room / estimate_tokens(memory.render())))


async def _merge(memory: GistMemory, reader: Reader, share: float) -> GistMemory:
    """One round: neighbours that belong together become one page, and are gisted again from their raw text."""
    verdicts = await together(_new_section(memory, i, reader) for i in range(len(memory.pages) - 1))
    first = 0
    groups: list[tuple[int, ...]] = []
    while first < len(memory.pages):
        joined = first + 1 < len(memory.pages) and not verdicts[first]
        groups.append((first, first + 1) if joined else (first,))
        first += len(groups[-1])
    if len(groups) == len(memory.pages):
        groups = _smallest_joined(memory)
    made = await together(_joined(memory, number, group, share, reader) for number, group in enumerate(groups))
    return replace(memory, pages=tuple(page for page, _ in made), gists=tuple(gist for _, gist in made))


async def _new_section(memory: GistMemory, number: int, reader: Reader) -> bool:
    """Whether the page after this one begins a new chapter or section; "not sure" is no."""
    first = _last_words(memory.page_text(number))
    second = truncate(memory.page_text(number + 1).strip(), _EDGE_WORDS)
    ask = Ask(
        "merge",
        reader.prompts.fill("merge", first=first, second=second),
        _VERDICTS,
        Material(passages=(first, second)),
    )
    if not reader.window.fits(ask.prompt):
        return False
    (verdict,) = await reader.decide(ask, lambda: ("not sure",), page=number + 1)
    return verdict == "yes"


def _last_words(text: str) -> str:
    return " ".join(text.split()[-_EDGE_WORDS:])[-8 * _EDGE_WORDS :]


def _smallest_joined(memory: GistMemory) -> list[tuple[int, ...]]:
    """Every pair begins a new section: the two smallest neighbours are joined all the same."""
    sizes = [memory.pages[i].words + memory.pages[i + 1].words for i in range(len(memory.pages) - 1)]
    smallest = sizes.index(min(sizes))
    alone = ((i,) for i in range(len(memory.pages)) if i not in (smallest, smallest + 1))
    return sorted([*alone, (smallest, smallest + 1)])


async def _joined(
    memory: GistMemory, number: int, group: tuple[int, ...], share: float, reader: Reader
) -> tuple[Page, Gist]:
    pages = [memory.pages[i] for i in group]
    page = Page(number, pages[0].start, pages[-1].end, sum(page.words for page in pages))
    if len(group) == 1:
        return page, memory.gists[group[0]]
    limit = max(1, int(share * sum(memory.gists[i].words for i in group)))
    return page, await gist_page(reader, page, memory.document.text[page.start : page.end], limit=limit)


def _cut(memory: GistMemory, reader: Reader, beside: int) -> GistMemory:
    """The last resort: one page is left and its gist is cut to the room there is."""
    room = _room(memory, reader, beside) or 0
    text = memory.gists[0].text
    words = count_words(text)
    while words > 1 and estimate_tokens(f"<Page 0>\n{text}") > room:
        words = words * 3 // 4
        text = lead(text, words)
    reader.fell_back(Fallback("merge", "one gist alone is too long for the window", f"its first {words} words", 0))
    return replace(memory, gists=(Gist(text, count_words(text), "lead"),))
