"""Extracts: the words of a passage that answer a question, and the sentences around them as a quote."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from readagent.core.words import WordIndex, count_words, truncate
from readagent.embedded.candidates import Passage
from readagent.embedded.reader import Found
from readagent.retrieval.passages import sentence_spans
from readagent.retrieval.vectors import Array

_STARS = re.compile(r"^(?:[*#=~·•]\s+)+(?:[*#=~·•]$)?|^[*#=~·•]+$")  # a separator between two scenes
_QUOTE_WORDS = 40
_LONGEST_QUOTE = 80  # words; of a longer sentence, such as a listing, only the words around the extract are quoted
_AROUND = 25
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

    ``answered`` is the logit of the passage answering the question.
    """

    page: int
    text: str
    quote: str
    passage: str
    answered: float


async def find_extracts(question: str, passages: Sequence[Passage], reader: AnyReader) -> list[Extract]:
    """Return an extract of each passage, the best first."""
    found = await reader.find(question, [passage.text for passage in passages])
    extracts = [_extract(passage, one) for passage, one in zip(passages, found, strict=True)]
    return sorted(extracts, key=lambda one: -one.answered)


def _extract(passage: Passage, found: Found) -> Extract:
    text = passage.text[found.start : found.end]
    runs = [(a, b) for a, b in _few_sentences(passage.text) if a < found.end and b > found.start]
    start, end = (runs[0][0], runs[-1][1]) if runs else (found.start, found.end)
    if count_words(passage.text[start:end]) > _LONGEST_QUOTE:
        start, end = (
            max(start, _words_before(passage.text, found.start)),
            min(end, _words_after(passage.text, found.end)),
        )
    return Extract(
        passage.page, text.strip(_EDGES) or text.strip(), passage.text[start:end], passage.text, found.answered
    )


def _words_before(text: str, at: int) -> int:
    """Return where the last words before an offset begin."""
    index = WordIndex(text[:at])
    return index.after(0, max(0, len(index) - _AROUND))


def _words_after(text: str, at: int) -> int:
    """Return where the next words after an offset end."""
    return at + len(truncate(text[at:], _AROUND))


def _few_sentences(text: str) -> list[tuple[int, int]]:
    """Return the spans of runs of whole sentences; short neighbours stay together, and separators are left out."""
    few: list[tuple[int, int]] = []
    room = 0
    for start, end in sentence_spans(text):
        stars = _STARS.match(text[start:end])
        begin = start + (stars.end() if stars else 0)
        size = count_words(text[begin:end])
        if begin == end:
            room = 0
        elif size > room or stars:
            few.append((begin, end))
            room = _QUOTE_WORDS - size
        else:
            few[-1] = (few[-1][0], end)
            room -= size
    return few
