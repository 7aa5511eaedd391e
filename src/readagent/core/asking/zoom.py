"""Views of a memory tree: chosen parts are replaced by what is below them, and found pages show the nearest words."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import fsum, log

from readagent.core.gists.page_terms import terms
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.question import Lookup, Quote
from readagent.core.session import Session
from readagent.core.window import Window
from readagent.core.words import WordIndex, count_words, sentences

_TAG_TOKENS = 8  # tokens of a part whose entry is cut
_REST = Gist("…", 1, "part")

Entry = tuple[Page, Gist]


def below(memory: GistMemory, number: int) -> list[Entry]:
    """Return what a part consists of: the entries of the next level that divides it; empty for a page."""
    page, level = memory.pages[number], memory.finer
    while level is not None:
        first = bisect_left(level.pages, page.start, key=lambda one: one.start)
        last = bisect_left(level.pages, page.end, key=lambda one: one.start)
        if last - first > 1:
            return list(zip(level.pages[first:last], level.gists[first:last], strict=True))
        level = level.finer
    return []


def is_part(memory: GistMemory, number: int) -> bool:
    """Return whether this is a part with several pages."""
    return bool(below(memory, number))


def split_parts(memory: GistMemory, parts: Sequence[int], session: Session) -> GistMemory:
    """Return the memory with these parts split, in this order, as many as fit, and at least the first."""
    room, chosen, size = session.window.index, dict[int, list[Entry]](), 0
    for part in dict.fromkeys(parts):
        inside = below(memory, part)
        size += session.window.count("\n\n".join(gist.text for _, gist in inside)) + _TAG_TOKENS * len(inside)
        others = _TAG_TOKENS * (len(memory.pages) - len(chosen) - 1)
        if inside and (not chosen or not room or size + others <= room):
            chosen[part] = inside
    entries = zip(memory.pages, memory.gists, strict=True)
    return _view(memory, [one for entry in entries for one in chosen.get(entry[0].number, [entry])])


def with_pages(memory: GistMemory, numbers: Sequence[int]) -> GistMemory:
    """Return the memory with these pages of the whole memory standing alone; the rest of their parts is shown short."""
    whole = memory.whole
    wanted = sorted({number for number in numbers if 0 <= number < len(whole.pages)})
    entries = list[Entry]()
    for page, gist in zip(memory.pages, memory.gists, strict=True):
        inside = [n for n in wanted if page.start <= whole.pages[n].start < page.end]
        entries += _around(whole, page, gist, inside) if inside and is_part(memory, page.number) else [(page, gist)]
    return _view(memory, entries)


def _around(whole: GistMemory, part: Page, gist: Gist, inside: Sequence[int]) -> Iterator[Entry]:
    """Yield the pages inside a part, and what is before, between and after them; the first of these has its entry."""
    at, rest = part.start, gist
    for number in (*inside, None):
        end = part.end if number is None else whole.pages[number].start
        if end > at:
            first = bisect_right(whole.pages, at, key=lambda one: one.start) - 1
            last = bisect_left(whole.pages, end, key=lambda one: one.start)
            yield Page(0, at, end, sum(page.words for page in whole.pages[first:last])), rest
            rest = _REST
        if number is not None:
            yield whole.pages[number], whole.gists[number]
            at = whole.pages[number].end


def _view(memory: GistMemory, entries: Sequence[Entry]) -> GistMemory:
    pages = tuple(replace(page, number=number) for number, (page, _) in enumerate(entries))
    return replace(memory, pages=pages, gists=tuple(gist for _, gist in entries))


def looked_up_in(given: GistMemory, views: Sequence[tuple[GistMemory, Lookup]]) -> Lookup:
    """Return the pages that were opened in all views, and the others of a look-up, with the numbers of ``given``."""
    starts = [page.start for page in given.pages]

    def numbers(shown: GistMemory, pages: Sequence[int]) -> Iterator[int]:
        for page in pages:
            yield from [page] if shown.pages == given.pages else _covered(given.pages, starts, shown.pages[page])

    opened = dict.fromkeys(number for view, lookup in views for number in numbers(view, lookup.pages))
    others = dict.fromkeys(number for view, lookup in views for number in numbers(view, lookup.did_not_fit))
    return Lookup(tuple(opened), tuple(others))


def quoted_in(given: GistMemory, shown: GistMemory, quotes: Sequence[Quote]) -> tuple[Quote, ...]:
    """Return the quotes with the page numbers of ``given``, if the model was shown another memory."""
    if shown.pages == given.pages:
        return tuple(quotes)
    starts = [page.start for page in given.pages]
    return tuple(replace(quote, page=max(0, bisect_left(starts, quote.start + 1) - 1)) for quote in quotes)


def _covered(pages: Sequence[Page], starts: Sequence[int], shown: Page) -> range:
    """Return the numbers of the pages that overlap the page that was shown."""
    return range(max(0, bisect_left(starts, shown.start + 1) - 1), bisect_left(starts, shown.end))


_LABEL = "Found here:"
_WORDS = 20  # of a snippet; with label and ellipses it is what is left of an entry that is cut to 24 words
_ENTRY_WORDS = 24
_SNIPPET_TAG_TOKENS = 10  # of the tag and the quotation marks
_SHARE = 1 / 3  # of the room for a memory that these entries may take
_MOST = 60  # pages
_APART = 4  # words between the places where a snippet may begin


def how_many(window: Window, page: str) -> int:
    """Return how many of the pages that a search finds are shown with a snippet, if pages are like this one."""
    a_word = window.count(page) / max(1, count_words(page))
    return min(_MOST, int(_SHARE * window.index / (_SNIPPET_TAG_TOKENS + _ENTRY_WORDS * a_word)))


def with_snippets(memory: GistMemory, found: Sequence[int], question: str) -> GistMemory:
    """Return the memory with a snippet before the gist of each page that was found."""
    texts = {number: memory.page_text(number) for number in found if memory.gists[number].origin != "verbatim"}
    asked = terms(question)
    having = Counter(term for text in texts.values() for term in terms(text) & asked)
    weights = {term: log(1 + len(texts) / count) for term, count in having.items()}
    snippets = {number: snippet_of(text, weights) for number, text in texts.items()}
    gists = (_before(gist, snippets.get(number, "")) for number, gist in enumerate(memory.gists))
    return replace(memory, gists=tuple(gists))


def snippet_of(text: str, weights: Mapping[str, float]) -> str:
    """Return the sentence with the most weight, or some words of it if it is long; "" if none has any weight."""

    def weight(words: str) -> float:
        return fsum(weights.get(term, 0.0) for term in terms(words))

    best = max(sentences(text), key=weight, default="")
    if not weight(best):
        return ""
    index = WordIndex(best)
    last = max(0, len(index) - _WORDS)
    spans = [(index.after(0, at), index.after(0, at + _WORDS)) for at in (*range(0, last, _APART), last)]
    told = [weight(best[start:end]) for start, end in spans]
    most = [span for span, found in zip(spans, told, strict=True) if found == max(told)]
    start, end = most[len(most) // 2]
    return f"{'… ' if start else ''}{' '.join(best[start:end].split())}{' …' if end < len(best) else ''}"


def _before(gist: Gist, snippet: str) -> Gist:
    """Return the gist with a snippet before it."""
    if not snippet:
        return gist
    text = f"{_LABEL} “{snippet}”\n{gist.text}"
    return replace(gist, text=text, words=count_words(text))
