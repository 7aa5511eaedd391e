"""Extracts: the words of a passage that answer a question, and the sentences around them as a quote."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from readagent.core.words import WordIndex, count_words, truncate
from readagent.embedded.confidence import chances, evidence, is_clear
from readagent.embedded.reader import Found
from readagent.embedded.shorten import is_label, is_rule, is_sentence
from readagent.retrieval.bm25 import sentence_spans, terms
from readagent.retrieval.evidence import Passage
from readagent.retrieval.vectors import Array

_STARS = re.compile(r"^(?:[*#=~·•]\s+)+(?:[*#=~·•]$)?|^[*#=~·•]+$")  # a separator between two scenes
_WORD = re.compile(r"\w+")
_AT_ONCE = 4  # passages that are read before it is asked whether one of them is clear
_QUOTE_WORDS = 60  # of the sentences that are shown
_LONGEST_QUOTE = 80  # words; of a longer sentence, such as a listing, only the words around the extract are quoted
_AROUND = 25
_HALF = 0.5  # of the words of an extract
_UNIT = re.compile(r"\s+[a-z]+\b")
_MORE_OF_NAME = re.compile(r"(?:(?:[^\S\n]+\n?|\n)[^\S\n]*(?:(?:of|the|de|von|van)\s+)*[A-Z][\w’'-]*)+")
_EDGES = " \t\n\r.,;:!?\"“”„«»'‘’()[]*_—–-"  # not part of an extract


class AnyReader(Protocol):
    """Finds answers in passages, and judges answers by them."""

    @property
    def name(self) -> str: ...

    async def find(self, question: str, passages: Sequence[str]) -> list[Found]: ...

    async def judge(self, question: str, answers: Sequence[str], passages: Sequence[str]) -> Array: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Extract:
    """Verbatim words of a page that may answer a question.

    ``sentence`` has them, ``quote`` is this sentence with those around it, and ``passage`` what was read. They begin at
    ``start`` of the page. ``certainty`` is how likely they are the right answer.
    """

    page: int
    text: str
    sentence: str
    quote: str
    passage: Passage
    start: int
    certainty: float


async def find_extracts(question: str, passages: Sequence[Passage], reader: AnyReader) -> list[Extract]:
    """Return the extracts of passages, best first, of as many passages as are read until one is clear.

    Those that overlap or are equal are one; their chances add up.
    """
    pairs: list[tuple[Passage, Found]] = []
    grouped: list[tuple[int, float]] = []
    for read in range(_AT_ONCE, len(passages) + _AT_ONCE, _AT_ONCE):
        some = passages[:read]
        pairs = list(zip(some, await reader.find(question, [passage.text for passage in some]), strict=True))
        likely = chances([evidence(one.answered, one.likely, passage.score) for passage, one in pairs])
        grouped = group_extracts(pairs, likely)
        if is_clear(grouped[0][1]):
            break
    return [_extract(*pairs[best], certainty) for best, certainty in grouped]


def nearest_extract(question: str, passage: Passage) -> Extract:
    """Return the sentence of a passage that has most words of a question, which may be in any language."""
    asked = set(terms(question))
    spans = sentence_spans(passage.text) or [(0, len(passage.text))]
    start, end = max(spans, key=lambda span: len(asked.intersection(terms(passage.text[slice(*span)]))))
    return _extract(passage, Found(start, end, 0.0), 0.0)


def repeated(question: str, answer: str, extracts: Sequence[Extract]) -> float:
    """Return the chance of the extracts that an answer repeats, leaving out the words of the question."""
    asked = set(terms(question))
    said = set(terms(answer)) - asked
    return sum(one.certainty for one in extracts if _is_repeated(set(terms(one.text)) - asked, said))


def _is_repeated(found: set[str], said: set[str]) -> bool:
    """Whether an answer has half of the words of an extract, or the extract has all words of the answer."""
    common = len(found & said)
    return common > 0 and (common >= _HALF * len(found) or common == len(said))


def group_extracts(pairs: Sequence[tuple[Passage, Found]], likely: Sequence[float]) -> list[tuple[int, float]]:
    """Return the best extract of each group of equal or overlapping ones, and the sum of their chances, best first."""
    groups: list[list[int]] = []
    for number in sorted(range(len(pairs)), key=lambda number: -likely[number]):
        same = [group for group in groups if any(_is_same(pairs[number], pairs[other]) for other in group)]
        if same:
            same[0].append(number)
        else:
            groups.append([number])
    summed = [(group[0], sum(likely[number] for number in group)) for group in groups]
    return sorted(summed, key=lambda one: -one[1])


def _is_same(one: tuple[Passage, Found], other: tuple[Passage, Found]) -> bool:
    """Whether two extracts overlap, or have the same words."""
    (first, found), (second, also) = one, other
    overlap = (
        first.start + found.start < second.start + also.end and second.start + also.start < first.start + found.end
    )
    return (overlap and first.page == second.page) or _key(*one) == _key(*other)


def _key(passage: Passage, found: Found) -> list[str]:
    return _WORD.findall(passage.text[found.start : found.end].lower())


def _extract(passage: Passage, found: Found, certainty: float) -> Extract:
    text = passage.text
    spans = _sentences(text)
    own = [place for place, (a, b) in enumerate(spans) if a < found.end and b > found.start]
    own = [place for place in own if is_sentence(text[slice(*spans[place])])] or own  # no heading with a sentence
    start, end = (spans[own[0]][0], spans[own[-1]][1]) if own else (found.start, found.end)
    if count_words(text[start:end]) > _LONGEST_QUOTE:
        start, end = max(start, _words_before(text, found.start)), min(end, _words_after(text, found.end))
        first, last = start, end
    else:
        first, last = _around(text, spans, own) if own else (start, end)
    extract = text[found.start : _end_of_whole(text, found)]
    words, at = extract.strip(_EDGES) or extract.strip(), passage.start + found.start
    return Extract(passage.page, words, text[start:end], text[first:last], passage, at, certainty)


def _end_of_whole(text: str, found: Found) -> int:
    """Return where the name or the number ends that an extract ends in, with the unit of the number."""
    rest = None
    last = text[found.start : found.end].split()[-1:]
    if last and last[0][-1].isdigit():
        rest = _UNIT.match(text, found.end)
    elif last and last[0][0].isupper():
        rest = _MORE_OF_NAME.match(text, found.end)
    return rest.end() if rest else found.end


def _around(text: str, spans: Sequence[tuple[int, int]], own: Sequence[int]) -> tuple[int, int]:
    """Return the start and end of some sentences with those around them, up to headings, listings and separators."""
    first, last = own[0], own[-1]
    room = _QUOTE_WORDS - count_words(text[spans[first][0] : spans[last][1]])
    more = True
    while more:
        more = False
        for place in (last + 1, first - 1):
            span = spans[place] if 0 <= place < len(spans) else (0, 0)
            size = count_words(text[slice(*span)])
            if 0 < size <= room and is_sentence(text[slice(*span)]):
                first, last, room, more = min(first, place), max(last, place), room - size, True
    return spans[first][0], spans[last][1]


def _words_before(text: str, at: int) -> int:
    """Return where the last words before an offset begin."""
    index = WordIndex(text[:at])
    return index.after(0, max(0, len(index) - _AROUND))


def _words_after(text: str, at: int) -> int:
    """Return where the next words after an offset end."""
    return at + len(truncate(text[at:], _AROUND))


def _sentences(text: str) -> list[tuple[int, int]]:
    """Return the spans of sentences. A separator or a label between two is a span without words."""
    spans = []
    for start, end in sentence_spans(text):
        stars = _STARS.match(text[start:end])
        begin = start + (stars.end() if stars else 0)
        if stars or is_rule(text[begin:end]) or is_label(text[begin:end]):
            spans.append((start, start))
        if begin < end and not is_rule(text[begin:end]) and not is_label(text[begin:end]):
            spans.append((begin, end))
    return spans
