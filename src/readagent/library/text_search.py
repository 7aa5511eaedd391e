"""Search in the text of a document that was not read yet, and therefore is not in the index."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from readagent.library.search import terms

_AROUND = 1_500  # characters before and after a match in which the other words must be
_SHOWN = 90  # characters of a snippet before and after its match


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage with the words: where it is in the text. ``marks`` are where they are, from the passage's start on."""

    start: int
    end: int
    marks: tuple[tuple[int, int], ...]


def passages(text: str, words: str, most: int) -> list[Passage]:
    """Return up to ``most`` passages with all these words and "quoted phrases" close to each other, in their order.

    Raise UsageError if there are no words.
    """
    patterns = [_pattern(term) for term in terms(words)]
    if any(pattern.search(text) is None for pattern in patterns):
        return []
    found = list[Passage]()
    for start, end in _near(text, patterns):
        if len(found) == most:
            break
        if not found or start >= found[-1].end:
            found.append(_passage(text, start, end, patterns))
    return found


def _near(text: str, patterns: list[re.Pattern[str]]) -> Iterator[tuple[int, int]]:
    """Yield the matches of the first pattern that have matches of all others near them."""
    first, *others = patterns
    for match in first.finditer(text):
        near = max(0, match.start() - _AROUND), match.end() + _AROUND
        if all(pattern.search(text, *near) for pattern in others):
            yield match.span()


def _passage(text: str, start: int, end: int, patterns: list[re.Pattern[str]]) -> Passage:
    first, last = max(0, start - _SHOWN), min(len(text), end + _SHOWN)
    while 0 < first < start and not text[first - 1].isspace():
        first += 1
    while end < last < len(text) and not text[last].isspace():
        last -= 1
    spans = sorted(match.span() for pattern in patterns for match in pattern.finditer(text, first, last))
    marks = list[tuple[int, int]]()
    for one in spans:
        if not marks or one[0] - first >= marks[-1][1]:
            marks.append((one[0] - first, one[1] - first))
    return Passage(first, last, tuple(marks))


def _pattern(term: str) -> re.Pattern[str]:
    """Return a pattern for a word or phrase, whatever is between its words, and whatever their case."""
    pieces = r"[\W_]+".join(map(re.escape, re.findall(r"[^\W_]+", term)))
    spaced = term.isascii() or not re.search(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff]", term)
    return re.compile(rf"(?<![^\W_]){pieces}(?![^\W_])" if spaced else pieces, re.IGNORECASE)
