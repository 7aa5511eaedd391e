"""Taking a reply apart into answer and quotes, checking each quote against the raw pages, finding quotes of our own.

A quote that is not in the text is dropped and counted. Where the model gave none that stands in it, the sentences of
the opened pages that share most with question and answer are offered, marked as ours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log, sqrt

from readagent.core.asking.quotes import Found, Quotable
from readagent.core.memory import GistMemory
from readagent.core.question import Quote
from readagent.core.words import count_words, sentence_ends

_MARKS = "\"“”„«»‘’'`"
_LEAD = r"^[ \t>*_\-•\d.)]{0,8}"
_LINE = re.compile(
    rf"{_LEAD}(?:quote\s*\d*\s*[:(\[-]*\s*)?[<\[(*_]*page\s+(?P<page>\d+)[>\])*_]*\s*[:,\-–—)]+\s*(?P<text>\S.*)$"
    rf"|{_LEAD}quote\s*\d*\s*:\s*(?P<bare>\S.*)$"
    r"|^\s*>\s*(?P<block>\S.*)$"
    rf"|{_LEAD}(?P<marked>[{_MARKS}].*[{_MARKS}][.,]?)\s*[\[(]\s*page\s+(?P<after>\d+)\s*[\])][.,]?\s*$",
    re.I | re.S,
)
_HEADING = re.compile(r"^\W*(?:quotes?|quotations?|evidence|passages?|supporting (?:quotes?|passages?))\W*$", re.I)
_INSIDE = re.compile(r'"([^"\n]{12,400})"|“([^”\n]{12,400})”|«([^»\n]{12,400})»')
_ABSENT = re.compile(
    r"^\W*(?:(?:the|this) answer is\s+)?(?:it is )?not in the text\b"
    r"|^\W*the text does not (?:seem to )?(?:say|tell|mention)(?: so| it| this| that)?[^\w\n]*"
    r"(?:\n|$|the nearest passages)",
    re.I,
)
_MAY_QUOTE = re.compile(r"^\W{0,8}(?:q(?:u(?:o(?:t(?:e.{0,20})?)?)?)?|p(?:a(?:g(?:e.{0,20})?)?)?)?$", re.I)
_WORD = re.compile(r"\w{3,}")
_LEAST_INSIDE = 4  # words of a quotation inside the answer for it to count as a quote
_OPENING = ('"', "“", "„", "«")
_CLOSED = re.compile(r"[\"”“»][.,;)\]*_ ]*$")
_LONGEST = 1500  # characters of a quote that goes on over lines
_MOST = 3  # quotes of our own


@dataclass(frozen=True, slots=True)
class Parted:
    """A reply: what it says, the quotes it gives with the pages it names, and whether it says the text is silent."""

    answer: str
    quotes: tuple[tuple[int | None, str], ...]
    found_in_text: bool


def parted(reply: str) -> Parted:
    """Any reply taken apart. Lines that quote are taken out of the answer; quotations inside it are left there."""
    said: list[str] = []
    quotes: list[tuple[int | None, str]] = []
    for line in _joined(reply.splitlines()):
        found = _LINE.match(line)
        if found is None:
            said.append(line)
        else:
            page = found["page"] or found["after"]
            text = found["text"] or found["bare"] or found["block"] or found["marked"]
            quotes.append((int(page) if page else None, _unwrapped(text)))
    answer = "\n".join(line for line in said if not (quotes and _HEADING.match(line))).strip()
    inside = ["".join(match.groups("")) for match in _INSIDE.finditer(answer)]
    quotes += [(None, text) for text in inside if count_words(text) >= _LEAST_INSIDE]
    return Parted(answer, tuple(quotes), not _ABSENT.match(reply.strip()))


def _unwrapped(text: str) -> str:
    """A quote without the marks around it; marks of its own inside them are left."""
    text = text.strip(" \t\n*_")
    if len(text) > 2 and text[-1] in ".," and text[-2] in _MARKS:
        text = text[:-1]
    if text[:1] in tuple(_MARKS):
        text = text[1:]
    return (text[:-1] if text[-1:] in tuple(_MARKS) else text).strip()


def _joined(lines: Sequence[str]) -> Iterator[str]:
    """Lines, those that a quote goes on in joined to the one it begins in; where it is never closed, as they are."""
    held: list[str] = []
    for line in lines:
        if held and (_LINE.match(line) or sum(map(len, held)) > _LONGEST):
            yield from held
            held = []
        if not held and not _opens(line):
            yield line
            continue
        held.append(line)
        if _CLOSED.search(line) and (len(held) > 1 or len(_opens(line)) > 1):
            yield "\n".join(held)
            held = []
    yield from held


def _opens(line: str) -> str:
    """What a line quotes, if it begins with a quotation mark; else nothing."""
    found = _LINE.match(line)
    text = (found["text"] or found["bare"] or found["block"] or "") if found else ""
    return text if text[:1] in _OPENING else ""


def before_quotes(text: str) -> str:
    """What of a reply that is still arriving is surely answer: nothing from where a quote begins, or may begin."""
    at = 0
    for line in text.splitlines(keepends=True):
        whole = line.endswith("\n")
        if _LINE.match(line.rstrip()) or _HEADING.match(line) or (not whole and _MAY_QUOTE.match(line)):
            return text[:at]
        at += len(line)
    return text


def checked(
    memory: GistMemory, quotes: Sequence[tuple[int | None, str]], opened: Sequence[int]
) -> tuple[list[Quote], int]:
    """The quotes that stand in the raw pages, where they stand, and how many do not."""
    text = Quotable(memory.document.text)
    found: dict[tuple[int, int], Quote] = {}
    false = 0
    for named, words in quotes:
        place = next((place for place in _searched(memory, text, named, words, opened) if place is not None), None)
        if place is None:
            false += 1
        else:
            found.setdefault((place.start, place.end), _quote(memory, place.start, place.end, exact=place.exact))
    return list(found.values()), false


def _searched(
    memory: GistMemory, text: Quotable, named: int | None, words: str, opened: Sequence[int]
) -> Iterator[Found | None]:
    """On the page that was named, on the opened ones, and anywhere."""
    for number in dict.fromkeys([*([named] if named is not None else []), *opened]):
        if 0 <= number < len(memory.pages):
            page = memory.pages[number]
            yield text.find(words, page.start, page.end)
    yield text.find(words)


def _quote(memory: GistMemory, start: int, end: int, *, exact: bool = True, by_us: bool = False) -> Quote:
    document = memory.document
    page = next((page.number for page in memory.pages if page.start <= start < page.end), 0)
    paragraph = document.paragraph_at(start)
    index = 0 if paragraph is None else paragraph.index
    return Quote(document.text[start:end], page, index, start, end, document.place_at(start), exact, by_us)


def supporting(memory: GistMemory, opened: Sequence[int], question: str, answer: str) -> list[Quote]:
    """The sentences of the opened pages, or of the closest ones, that share the rarest words with both."""
    asked, said = _words(question), _words(answer)
    pages = [set(_words(memory.page_text(page.number))) for page in memory.pages]
    rarity = {word: log(1 + len(pages) / sum(word in page for page in pages)) for word in (asked | said)
              if any(word in page for page in pages)}  # fmt: skip
    numbers = (
        list(opened) or sorted(range(len(pages)), key=lambda n: -sum(rarity[w] for w in rarity if w in pages[n]))[:2]
    )
    scored: list[tuple[float, int, int]] = []
    for number in numbers:
        for start, end in _sentences(memory, number):
            words = Counter(_WORD.findall(memory.document.text[start:end].lower()))
            shared = sum(rarity[word] * (2 if word in said else 1) for word in rarity if word in words)
            if shared:
                scored.append((shared / sqrt(8 + sum(words.values())), start, end))
    best = sorted(sorted(scored, reverse=True)[:_MOST], key=lambda one: one[1])
    return [_quote(memory, start, end, by_us=True) for _, start, end in best]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _sentences(memory: GistMemory, number: int) -> Iterator[tuple[int, int]]:
    """Where the sentences of a page stand, without the white space around them."""
    page, document = memory.pages[number], memory.document
    cuts = {page.start, page.end, *sentence_ends(document.text, page.start, page.end)}
    cuts |= {one.start for one in document.paragraphs if page.start < one.start < page.end}
    ordered = sorted(cuts)
    for start, end in pairwise(ordered):
        piece = document.text[start:end]
        begin = start + len(piece) - len(piece.lstrip())
        paragraph = document.paragraph_at(begin)
        if piece.strip() and not (paragraph and paragraph.heading):  # a heading says nothing by itself
            yield begin, begin + len(piece.strip())
