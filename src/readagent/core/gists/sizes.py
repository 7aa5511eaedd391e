"""Choose the sizes of pages and gists so that the memory of a text fits the window.

Larger pages are shortened more. The paper reports how much more for pages of 400 to 3,000 words; sizes outside that
range are not used.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace

from readagent.core.document import Document
from readagent.core.gists.measure import length_in_words
from readagent.core.plan import Plan
from readagent.core.window import Window

KEPT = {400: 0.1819, 600: 0.1447, 800: 0.1188, 1200: 0.0862, 3000: 0.0320}  # share kept in gists, by page words
_LEAST_AIM = 25  # words of a gist to aim at, however short the page
_LARGER = 800  # words of a page, at most, for gists that fit the window
_LEAST_GIST = 40  # words; if gists would have to be shorter, pages are merged instead
_LONG = 1000  # words; of pages this long few are opened, the most important first
_SAMPLE = 40_000  # characters used to estimate the tokens per word
_TAG_WORDS = 4  # approximate words of a page tag


@dataclass(frozen=True, slots=True)
class Room:
    """Maximum words of the memory, and of a page that can be opened with it; None means no limit."""

    memory: float | None = None
    page: float | None = None


def choose_sizes(plan: Plan, document: Document, window: Window) -> Plan:
    """Return the plan with page and gist sizes for this document and window; unchanged without ``plan.scale``.

    Sizes that fit are kept, unless ``memory_words`` allows for more detail. Pages of a text with very long words, such
    as a table without spaces, have fewer of them.
    """
    if not plan.scale:
        return plan
    words = length_in_words(document.text)
    chosen = _chosen(plan, words, _room(plan, document, window))
    if words == document.words:
        return chosen
    return chosen.scaled(
        max(1, round(chosen.page_words * document.words / words))
    )  # pages are counted in its own words


def _chosen(plan: Plan, words: int, room: Room) -> Plan:
    """Return the plan with page and gist sizes for a text of this length.

    Where even pages of ``_LARGER`` words have too many gists, the plan's own size is kept: the memory becomes a tree.
    With ``memory_words`` larger pages are used, and then shorter gists.
    """
    sizes = sorted(
        {plan.page_words, *(size for size in KEPT if plan.memory_words or plan.page_words < size <= _LARGER)}
    )
    possible = [size for size in sizes if room.page is None or size <= room.page]
    if not possible:
        possible = [min(plan.page_words, max(1, int(room.page or plan.page_words)))]
    for size in possible:
        fitting = _scaled(plan, size)
        if room.memory is None or expected_words(fitting, words) <= room.memory:
            mean = max(_LEAST_GIST, _share(fitting, words, room))
            return _limited(fitting, mean) if plan.memory_words else fitting
    largest = _scaled(plan, possible[-1])
    if plan.memory_words and (share := _share(largest, words, room)) >= _LEAST_GIST:
        return _limited(largest, share)
    size = possible[-1] if plan.memory_words else min(plan.page_words, possible[-1])
    openable = size if room.page is None else int(min(size, room.page * 2 / 3))  # with other pages
    return _scaled(plan, max(1, openable))


def _share(plan: Plan, words: int, room: Room) -> int:
    """Return the maximum words of gists in the mean."""
    return max(1, int((room.memory or 0) / expected_pages(plan, words)) - _TAG_WORDS)


def _limited(plan: Plan, mean: int) -> Plan:
    """Return the plan with a limit for the longest pages, so that gists have at most ``mean`` words in the mean."""
    return replace(plan, gist_words=round(2 * mean * plan.page_words / (plan.min_page_words + plan.page_words)))


def _scaled(plan: Plan, size: int) -> Plan:
    sized = replace(plan if size == plan.page_words else plan.scaled(size), scale=False)
    return replace(sized, max_pages=min(3, plan.max_pages), by_importance=True) if size >= _LONG else sized


def _room(plan: Plan, document: Document, window: Window) -> Room:
    """Return the room that the window leaves after the question and the opened pages, and that the plan allows."""
    asked = plan.memory_words or None
    if window.prompt is None:
        return Room(asked)
    sample = document.text[:_SAMPLE]
    a_word = max(0.5, window.count(sample) / max(1, length_in_words(sample)))
    free = window.free / a_word
    memory = free - min(free / 2, plan.max_pages * plan.page_words)
    return Room(min(memory, asked) if asked else memory, free / 2)


def kept_share(page_words: int) -> float:
    """Return the share of words that gists keep of pages of this size, interpolated from the paper."""
    sizes = list(KEPT)
    place = bisect_right(sizes, page_words)
    if place in (0, len(sizes)):
        return KEPT[sizes[min(place, len(sizes) - 1)]]
    low, high = sizes[place - 1], sizes[place]
    way = (page_words - low) / (high - low)
    return KEPT[low] + way * (KEPT[high] - KEPT[low])


def aimed_words(page_words: int, words: int) -> int:
    """Return the words to aim at for the gist of a passage of ``words`` words, if pages have up to ``page_words``."""
    aim = max(_LEAST_AIM, kept_share(page_words) * words)
    step = 5 if aim < 100 else 10 if aim < 300 else 50
    return round(aim / step) * step


def asked_words(plan: Plan, words: int, length: int) -> int:
    """Return the words that are asked for in the gist of a passage; 0 if the plan names none.

    A limit is for the longest pages, and shorter ones get a share of it. ``words`` counts the passage as pages are
    counted, and ``length`` is its length in words of usual size.
    """
    if plan.gist_words:
        return max(min(_LEAST_AIM, plan.gist_words), round(plan.gist_words * words / plan.page_words))
    return aimed_words(plan.page_words, length) if plan.aim else 0


def expected_pages(plan: Plan, words: int) -> int:
    """Return the approximate number of pages of a text with this many words."""
    return max(1, round(2 * words / (plan.min_page_words + plan.page_words)))


def expected_words(plan: Plan, words: int) -> float:
    """Return the approximate words of the memory of such a text, including page tags."""
    pages = expected_pages(plan, words)
    gists = kept_share(plan.page_words) * words
    most = plan.gist_words * words / plan.page_words
    return (min(gists, most) if plan.gist_words else gists) + _TAG_WORDS * pages


def same_but_sizes(one: Plan, other: Plan) -> bool:
    """Return whether two plans differ at most in the sizes of pages and gists, as far as reading is concerned.

    A limit for gists is one of these sizes only if it follows from ``memory_words``.
    """
    return _but_sizes(one) == _but_sizes(other)


def _but_sizes(plan: Plan) -> dict[str, object]:
    sizes = ["page_words", "min_page_words", *(["gist_words"] if plan.memory_words else [])]
    return {name: value for name, value in plan.reading().items() if name not in sizes}
