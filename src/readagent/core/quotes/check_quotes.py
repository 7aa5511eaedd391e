"""Check the quotes of a reply against the raw pages, and find passages that support an answer without quotes.

A quote that is not in the text is dropped and counted. If the model quoted nothing that is in the text, the sentences
of the opened pages that share most with the question and the answer are used, marked as found by us.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import log, sqrt

from readagent.core.escaping import restore_tags
from readagent.core.memory import GistMemory
from readagent.core.patterns import lazy_pattern
from readagent.core.question import Quote
from readagent.core.quotes.quotable import Found, Quotable
from readagent.core.words import sentence_ends

_WORD = lazy_pattern(r"\w{3,}")
_MOST = 3  # quotes that we find at most


def check_quotes(
    memory: GistMemory, quotes: Sequence[tuple[int | None, str]], opened: Sequence[int]
) -> tuple[list[Quote], int]:
    """Return the quotes that are in the raw pages, each passage once, and the number of quotes that are not there.

    A quote that is in the text but says too little to support anything is left out and not counted.
    """
    text = Quotable(memory.document.text)
    found: list[Found] = []
    missing: list[str] = []
    for named, copied in quotes:
        restored = restore_tags(copied)
        words = restored if text.locate(restored) else copied
        place = next((place for place in _searched(memory, text, named, words, opened) if place is not None), None)
        if place is not None:
            found.append(place)
        elif not text.says_too_little(words):
            missing.append(words)
    merged = _merged(found)
    passages = [Quotable(memory.document.text[one.start : one.end]) for one in merged]
    false = sum(not any(passage.locate(words) for passage in passages) for words in missing)
    return [quote_at(memory, one.start, one.end, exact=one.exact) for one in merged], false


def _searched(
    memory: GistMemory, text: Quotable, named: int | None, words: str, opened: Sequence[int]
) -> Iterator[Found | None]:
    """Yield where the quote is on the page that was named, on the opened pages, and anywhere."""
    for number in dict.fromkeys([*([named] if named is not None else []), *opened]):
        if 0 <= number < len(memory.pages):
            page = memory.pages[number]
            yield text.find(words, page.start, page.end)
    yield text.find(words)


def _merged(places: Sequence[Found]) -> list[Found]:
    """Return the places in the order given; those that overlap become one, at the place of the first of them."""
    merged: list[Found] = []
    for place in places:
        touching = [one for one in merged if one.start < place.end and place.start < one.end]
        whole = max([*touching, place], key=lambda one: one.end - one.start)
        start, end = min(one.start for one in [*touching, place]), max(one.end for one in [*touching, place])
        exact = whole.exact if (whole.start, whole.end) == (start, end) else False
        at = merged.index(touching[0]) if touching else len(merged)
        merged = [one for one in merged if one not in touching]
        merged.insert(at, Found(start, end, exact))
    return merged


def quote_at(memory: GistMemory, start: int, end: int, *, exact: bool = True, by_us: bool = False) -> Quote:
    """Return a passage of the text as a quote."""
    document = memory.document
    page = next((page.number for page in memory.pages if page.start <= start < page.end), 0)
    paragraph = document.paragraph_at(start)
    index = 0 if paragraph is None else paragraph.index
    return Quote(document.text[start:end], page, index, start, end, document.place_of(start, end), exact, by_us)


def find_support(memory: GistMemory, opened: Sequence[int], question: str, answer: str) -> list[Quote]:
    """Return the sentences of the opened pages, or of the two nearest, that share the rarest words with both.

    Parts of several pages, which the model has not seen, are left out.
    """
    wanted, doubled = _words(question) | _words(answer), _words(answer)
    shown = [page.number for page, gist in zip(memory.pages, memory.gists, strict=True) if gist.origin != "part"]
    pages = {number: _words(memory.page_text(number)) & wanted for number in shown or range(len(memory.pages))}
    having = Counter(word for page in pages.values() for word in page)
    rarity = {word: log(1 + len(pages) / count) for word, count in having.items()}
    numbers = list(opened) or sorted(pages, key=lambda n: -sum(rarity[word] for word in pages[n]))[:2]
    scored: list[tuple[float, int, int]] = []
    for number in numbers:
        for start, end in sentences_on(memory, number):
            words = Counter(_WORD.findall(memory.document.text[start:end].lower()))
            shared = sum(rarity[word] * (2 if word in doubled else 1) for word in rarity if word in words)
            if shared:
                scored.append((shared / sqrt(8 + sum(words.values())), start, end))
    best = sorted(sorted(scored, reverse=True)[:_MOST], key=lambda one: one[1])
    return [quote_at(memory, start, end, by_us=True) for _, start, end in best]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def sentences_on(memory: GistMemory, number: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the sentences of a page, without the white space around them."""
    page, document = memory.pages[number], memory.document
    cuts = {page.start, page.end, *sentence_ends(document.text, page.start, page.end)}
    cuts |= {one.start for one in document.paragraphs if page.start < one.start < page.end}
    ordered = sorted(cuts)
    for start, end in pairwise(ordered):
        piece = document.text[start:end]
        begin = start + len(piece) - len(piece.lstrip())
        paragraph = document.paragraph_at(begin)
        if piece.strip() and not (paragraph and paragraph.heading):  # a heading supports nothing by itself
            yield begin, begin + len(piece.strip())
