"""Find the quotes of a reply on the raw pages, and passages that support an answer without quotes.

What is shown is always the text: the whole sentences that have the quoted words. A quote that is not there is counted.
If the model quoted nothing that is in the text, the sentences of the opened pages that share most with the question and
the answer are used, marked as found by us.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import log, sqrt

from readagent.core.document import Document
from readagent.core.escaping import restore_tags
from readagent.core.memory import GistMemory
from readagent.core.patterns import lazy_pattern
from readagent.core.question import Quote
from readagent.core.quotes.quotable import Found, Quotable
from readagent.core.words import clause_ends, line_ends, sentence_ends

_WORD = lazy_pattern(r"\w{3,}")
_MOST = 3  # quotes that we find at most


def check_quotes(
    memory: GistMemory, quotes: Sequence[tuple[int | None, str]], opened: Sequence[int]
) -> tuple[list[Quote], int]:
    """Return the sentences of the raw pages that have these quotes, each once, and the number of quotes not found.

    A quote that is in the text but too short to prove anything is left out and not counted.
    """
    text = Quotable(memory.document.text)
    found: list[Found] = []
    false = 0
    for named, copied in quotes:
        restored = restore_tags(copied)
        words = restored if text.locate(restored) else copied
        place = next((place for place in _searched(memory, text, named, words, opened) if place is not None), None)
        if place is not None:
            found.append(place)
        elif not text.says_too_little(words):
            false += 1
    return [quote_of(memory, *some) for some in _by_sentences(memory, found)], false


def _searched(
    memory: GistMemory, text: Quotable, named: int | None, words: str, opened: Sequence[int]
) -> Iterator[Found | None]:
    """Yield where the quote is on the page that was named, on the opened pages, and anywhere."""
    for number in dict.fromkeys([*([named] if named is not None else []), *opened]):
        if 0 <= number < len(memory.pages):
            page = memory.pages[number]
            yield text.find(words, page.start, page.end)
    yield text.find(words)


def _by_sentences(memory: GistMemory, places: Sequence[Found]) -> list[list[Found]]:
    """Return the places in the order given; those in the same sentences together, at the first of them."""
    groups: list[tuple[int, int, list[Found]]] = []
    for place in places:
        start, end = whole_sentences(memory.document, place.start, place.end)
        touching = [one for one in groups if one[0] < end and start < one[1]]
        at = groups.index(touching[0]) if touching else len(groups)
        merged = (
            min([start, *(one[0] for one in touching)]),
            max([end, *(one[1] for one in touching)]),
            [found for one in touching for found in one[2]] + [place],
        )
        groups = [one for one in groups if one not in touching]
        groups.insert(at, merged)
    return [found for _, _, found in groups]


def quote_of(memory: GistMemory, *found: Found) -> Quote:
    """Return the whole sentences of the text that have these places, with the places marked.

    Of a place within another one, only the inner one is marked: what is quoted again is what matters.
    """
    first, last = min(one.start for one in found), max(one.end for one in found)
    start, end = whole_sentences(memory.document, first, last)
    inner = [one for one in found if not any(_is_within(other, one) for other in found)]
    spans: list[tuple[int, int]] = []
    for a, b in sorted((a - start, b - start) for one in inner for a, b in one.spans):
        if spans and a <= spans[-1][1]:
            spans[-1] = spans[-1][0], max(b, spans[-1][1])
        else:
            spans.append((a, b))
    place = memory.document.place_of(first, last)
    page, paragraph = _numbers(memory, first)
    return Quote(
        memory.document.text[start:end], page, paragraph, start, end, place, all(one.exact for one in found),
        marked=tuple(spans), speaker=memory.document.speaker_at(start),
    )  # fmt: skip


def _is_within(one: Found, other: Found) -> bool:
    return other.start <= one.start and one.end <= other.end and (one.start, one.end) != (other.start, other.end)


def quote_at(memory: GistMemory, start: int, end: int, *, by_us: bool = False) -> Quote:
    """Return a passage of the text as a quote without marks."""
    document = memory.document
    place, speaker = document.place_of(start, end), document.speaker_at(start)
    return Quote(document.text[start:end], *_numbers(memory, start), start, end, place, by_us=by_us, speaker=speaker)


def _numbers(memory: GistMemory, at: int) -> tuple[int, int]:
    """Return the numbers of the page and of the paragraph at an offset."""
    paragraph = memory.document.paragraph_at(at)
    page = next((page.number for page in memory.pages if page.start <= at < page.end), 0)
    return page, 0 if paragraph is None else paragraph.index


_FAR = 600  # characters before and after a place that are shown at most, where no sentence ends


def whole_sentences(document: Document, start: int, end: int) -> tuple[int, int]:
    """Return the offsets of the whole sentences around a place, within its paragraphs, without white space.

    In code, tables and verse these are lines. A sentence that is very long is cut at a line, a clause or a word.
    """
    text = document.text
    first, last = document.paragraph_at(start), document.paragraph_at(max(start, end - 1))
    low = max(first.start if first else 0, start - 2 * _FAR)
    high = min(last.end if last else len(text), end + 2 * _FAR)
    cuts = set(sentence_ends(text, low, high))
    if (first and first.lines) or (last and last.lines):
        cuts |= set(line_ends(text, low, high))
    edges = {first.start if first else 0, last.end if last else len(text)}
    cuts |= {edge for edge in edges if low <= edge <= high}
    begin = _last([one for one in cuts if one <= start], text, max(low, start - _FAR), start)
    finish = _first([one for one in cuts if one >= end], text, end, min(high, end + _FAR))
    shown = text[begin:finish]
    return begin + len(shown) - len(shown.lstrip()), begin + len(shown.rstrip())


def _last(cuts: Sequence[int], text: str, low: int, start: int) -> int:
    """Return the last of these cuts that is not far before a place, or else the first edge that is not."""
    if near := [one for one in cuts if one >= low]:
        return max(near)
    for ends in (line_ends, clause_ends):
        if edge := next(ends(text, low, start), None):
            return edge
    space = text.find(" ", low, start)
    return space + 1 if space >= 0 else start


def _first(cuts: Sequence[int], text: str, end: int, high: int) -> int:
    """Return the first of these cuts that is not far after a place, or else the last edge that is not."""
    if near := [one for one in cuts if one <= high]:
        return min(near)
    for ends in (line_ends, clause_ends):
        if found := list(ends(text, end, high)):
            return found[-1]
    space = text.rfind(" ", end, high)
    return space if space >= 0 else end


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
