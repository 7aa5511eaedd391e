"""Measure lengths, choose the sizes of pages and gists so that a memory fits the window, and warn if it does not."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import lru_cache

from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.patterns import lazy_pattern
from readagent.core.plan import Plan
from readagent.core.window import Window
from readagent.core.words import count_words, is_unspaced, stretches

_REMEMBERED = 20_000  # characters; the lengths of shorter texts are remembered for a while
_UNSPACED = lazy_pattern("Chinese|Japanese", re.I)
_PER_WORD = 1.7  # characters of Chinese or Japanese that say as much as a word
LONG_WORD = 12  # characters; a text whose words are longer on average counts as having one word for so many


def length_in_words(text: str) -> int:
    """Return the words of a text, or as many as long words would fill its length if its own are even longer."""
    return max(count_words(text), _characters(text) // LONG_WORD)


@dataclass(frozen=True, slots=True)
class Measure:
    """The unit for the lengths of a passage and its gist. A word has this many characters, or 0 if words are counted.

    All lengths are in words, so that they can be compared; ``told`` names them as a model can understand them.
    """

    characters: int = 0

    @classmethod
    def of(cls, passage: str) -> Measure:
        """Return the measure for a passage: characters if it has long words, or no spaces between its words."""
        words = count_words(passage)
        if _characters(passage) > LONG_WORD * max(1, words):
            return cls(LONG_WORD)
        return cls(1) if is_unspaced(passage) and words > 3 * len(passage.split()) else cls()

    @classmethod
    def of_gist(cls, passage: str, language: str) -> Measure:
        """Return the measure for a gist of a passage in this language, or in that of the passage if it is empty."""
        own = cls.of(passage)
        if exchange(passage, language) == 1:
            return own
        return cls() if own.characters == 1 else cls(1)

    def length(self, text: str) -> int:
        """Return the length of a text in words."""
        return -(-_characters(text) // LONG_WORD) if self.characters == LONG_WORD else length_in_words(text)

    def told(self, words: int) -> str:
        """Return a length as a model is told it, for example "90 words" or "1080 characters"; "" for 0."""
        if not words:
            return ""
        return f"{words * self.characters} characters" if self.characters else f"{words} words"


def exchange(passage: str, language: str) -> float:
    """Return how many words a gist in a language has for each that one in the language of the passage has.

    In languages that are written without spaces, a character counts as a word.
    """
    unspaced = bool(_UNSPACED.search(language))
    if not language or unspaced == (Measure.of(passage).characters == 1):
        return 1
    return _PER_WORD if unspaced else 1 / _PER_WORD


def _characters(text: str) -> int:
    """Return the characters of a text that are no white space."""
    return _counted(text) if len(text) < _REMEMBERED else _count(text)


def _count(text: str) -> int:
    return sum(len("".join(piece.split())) for piece in stretches(text))


_counted = lru_cache(maxsize=64)(_count)  # a page and its gist are measured several times in a row


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
    if plan.look_up == "direct":  # what is shown of the gists does not grow with the text
        return Room(asked, free / 2)
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


_TOO_LONG = 1.5  # times the words asked for


def long_gists(memory: GistMemory) -> tuple[str, ...]:
    """Return a warning, with what to change, if a model made gists that are far longer than asked for."""
    whole = memory.whole
    plan = whole.plan
    if not plan.aim or length_in_words(whole.document.text) <= _LONG:
        return ()
    made = [
        (whole.page_text(page.number), gist.text)
        for page, gist in zip(whole.pages, whole.gists, strict=True)
        if gist.origin == "model"
    ]
    asked = words = 0
    for page, gist in made:
        measure = Measure.of(page)
        asked += asked_words(plan, count_words(page), measure.length(page))
        words += measure.length(gist)
    if words <= _TOO_LONG * asked:
        return ()
    return (
        f"the gists are {words / asked:.1f} times longer than asked for: the model does not keep to the length; "
        "limit the gists with `memory_words`, or use another model",
    )


_LONG_TEXT = 200  # words; a shorter text need not become shorter
_HARDLY_SHORTER = 0.8  # share of the words that the gists keep
_OTHER_MODEL = "use another model"
_SIGNS = ("cut off by the token limit", "too long")  # of a reason that is about room
_TINY = 45  # average words of pages, where the plan allows ten times as many
_TINY_TOKENS = 100  # their average tokens; a page of a few long words can have many


def warnings(memory: GistMemory, wanted: Plan, window: Window, *, simulated: bool = False) -> tuple[str, ...]:
    """Return what is wrong with a finished memory, for people, and what to change; empty if nothing is wrong.

    A ``simulated`` reading says nothing about a model, only about the window.
    """
    whole, found = memory.whole, list[str]()
    limited = memory if memory.plan.memory_words else whole  # a memory that must be short may be merged for that
    average = whole.full_words // max(1, len(whole.pages))
    if average < _TINY and wanted.page_words >= 10 * _TINY and _are_tiny(whole, window):
        found.append(f"{_too_small(window)}: the {len(whole.pages):,} pages have {average} words on average")
    elif not simulated and length_in_words(whole.document.text) > _LONG_TEXT and _is_hardly_shorter(limited):
        found.append(
            f"the gists have {limited.words():,} words, and the text has {whole.full_words:,}; "
            "use another model, or limit the gists with `memory_words`"
        )
    elif len(whole.pages) > 1 and not _can_open_any(whole, window):
        found.append(f"{_too_small(window)}: no page fits next to the gists")
    shown = whole if len(memory.leads) * len(whole.pages) <= len(whole.leads) * len(memory.pages) else memory
    short_of_room = _short_of_room(memory, whole)
    if 3 * len(shown.leads) >= len(shown.pages) and (short_of_room or not simulated):
        found.append(_without_gists(shown, merged=shown is not whole, short_of_room=short_of_room))
    return tuple(found)


def _without_gists(memory: GistMemory, *, merged: bool, short_of_room: bool) -> str:
    parts = f"{len(memory.leads):,} of {len(memory.pages):,} {'merged ' if merged else ''}pages"
    advice = "use a model with a larger window, or give the real size with `window`" if short_of_room else _OTHER_MODEL
    return f"{parts} have no gist but their opening sentences; {advice}"


def _short_of_room(*memories: GistMemory) -> bool:
    """Return whether most pages have no gist because the reply was cut off, or the page was too long."""
    reasons = [one.reason for memory in memories for one in memory.trace.fallbacks if one.step == "gist"]
    return 2 * sum(any(sign in reason for sign in _SIGNS) for reason in reasons) > len(reasons)


def _are_tiny(whole: GistMemory, window: Window) -> bool:
    return len(whole.pages) > 1 and window.count(whole.document.text) < _TINY_TOKENS * len(whole.pages)


def _is_hardly_shorter(memory: GistMemory) -> bool:
    """Return whether the gists keep most of the words and of the characters."""
    characters = sum(len(gist.text) for gist in memory.gists)
    keeps = characters > _HARDLY_SHORTER * len(memory.document.text)
    return keeps and memory.words() > _HARDLY_SHORTER * memory.full_words


def _too_small(window: Window) -> str:
    known = f"the window of {window.tokens:,} tokens" if window.tokens else "the window"
    return f"{known} is too small; use a model with a larger one, or give the real size with `window`"


def _can_open_any(whole: GistMemory, window: Window) -> bool:
    """Return whether the shortest page fits next to gists, which get at least half of the window."""
    shortest = min(whole.pages, key=lambda page: page.end - page.start)
    return window.prompt is None or window.count(whole.page_text(shortest.number)) <= window.free // 2
