"""Extracts: the words of a passage that answer a question, and the sentences around them as a quote."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from readagent.core.words import WordIndex, count_words, truncate
from readagent.embedded.confidence import chances, evidence
from readagent.embedded.reader import Found
from readagent.embedded.shorten import is_label, is_rule, is_sentence
from readagent.retrieval.bm25 import sentence_spans, terms
from readagent.retrieval.evidence import Passage
from readagent.retrieval.vectors import Array

_STARS = re.compile(r"^(?:[*#=~·•]\s+)+(?:[*#=~·•]$)?|^[*#=~·•]+$")  # a separator between two scenes
_GAP = re.compile(r"\n[^\S\n]*\n")
_WORD = re.compile(r"\w+")
_QUOTE_WORDS = 40
_LONGEST_QUOTE = 80  # words; of a longer sentence, such as a listing, only the words around the extract are quoted
_AROUND = 25
_HALF = 0.5  # of the words of an extract
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
    """Verbatim words of a page that may answer a question, with the sentences around them.

    ``certainty`` is how likely they are the right answer.
    """

    page: int
    text: str
    quote: str
    passage: str
    certainty: float


async def find_extracts(question: str, passages: Sequence[Passage], reader: AnyReader) -> list[Extract]:
    """Return the extracts of passages, best first. Those that overlap or are equal are one; their chances add up."""
    found = await reader.find(question, [passage.text for passage in passages])
    pairs = list(zip(passages, found, strict=True))
    likely = chances([evidence(one.answered, one.likely) for one in found])
    return [_extract(*pairs[best], certainty) for best, certainty in group_extracts(pairs, likely)]


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
    text = passage.text[found.start : found.end]
    runs = [(a, b) for a, b in _few_sentences(passage.text) if a < found.end and b > found.start]
    runs = [run for run in runs if is_sentence(passage.text[slice(*run)])] or runs  # no heading with a sentence
    start, end = (runs[0][0], runs[-1][1]) if runs else (found.start, found.end)
    if count_words(passage.text[start:end]) > _LONGEST_QUOTE:
        start, end = (
            max(start, _words_before(passage.text, found.start)),
            min(end, _words_after(passage.text, found.end)),
        )
    return Extract(passage.page, text.strip(_EDGES) or text.strip(), passage.text[start:end], passage.text, certainty)


def _words_before(text: str, at: int) -> int:
    """Return where the last words before an offset begin."""
    index = WordIndex(text[:at])
    return index.after(0, max(0, len(index) - _AROUND))


def _words_after(text: str, at: int) -> int:
    """Return where the next words after an offset end."""
    return at + len(truncate(text[at:], _AROUND))


def _few_sentences(text: str) -> list[tuple[int, int]]:
    """Return the spans of runs of whole sentences; short neighbours stay together, and separators are left out.

    A heading, a row of a table or a line of code stays apart from the sentences of other paragraphs.
    """
    few: list[tuple[int, int]] = []
    room, last, complete = 0, 0, True
    for start, end in sentence_spans(text):
        stars = _STARS.match(text[start:end])
        begin = start + (stars.end() if stars else 0)
        size = count_words(text[begin:end])
        sentence = is_sentence(text[begin:end])
        apart = _GAP.search(text, last, start) and not (complete and sentence)
        last, complete = end, sentence
        if begin == end or is_rule(text[begin:end]) or is_label(text[begin:end]):
            room = 0
        elif size > room or stars or apart:
            few.append((begin, end))
            room = _QUOTE_WORDS - size
        else:
            few[-1] = (few[-1][0], end)
            room -= size
    return few
