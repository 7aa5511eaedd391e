"""Count words, and find sentences, clauses and lines.

Words are separated by white space. Scripts without spaces are counted too: a Chinese or Japanese character is a word,
and so are up to four characters of Thai, Lao, Khmer or Burmese. A run of characters without any space counts as one
word for every 200.
"""

from __future__ import annotations

import itertools
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from readagent.core.full_stops import ends_no_sentence
from readagent.core.patterns import lazy_pattern

_LONGEST = 200
_REMEMBERED = 20_000  # characters; the counts of shorter texts are remembered for a while
_STRETCH = 1 << 16  # characters
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003134f"
_CJK_MARKS = "\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
_RUN_ON = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai and Lao, Burmese, Khmer
_UNSPACED = lazy_pattern(f"[{_CJK}{_RUN_ON}]")
_WORD = lazy_pattern(f"[{_CJK_MARKS}]*[{_CJK}][{_CJK_MARKS}]*|[{_RUN_ON}]{{1,4}}|[^\\s{_CJK}{_RUN_ON}]{{1,{_LONGEST}}}")
_SPACED_WORD = lazy_pattern(r"\S+")

_CLOSERS = "\"'”’»)\\]*_"
_SENTENCE_END = lazy_pattern(f"(?<![.!?…])[.!?…]+[{_CLOSERS}]*\\s+|(?<![。！？])[。！？]+[」』”’）]*\\s*")
_CLAUSE_END = lazy_pattern(f"[,;:—–][{_CLOSERS}]*\\s+|[，、；：]\\s*")
_BLANK_LINE = lazy_pattern(r"\n[^\S\n]*\n\s*")


def count_words(text: str) -> int:
    """Return the number of words; for text with spaces exactly ``len(text.split())``."""
    return _counted(text) if len(text) < _REMEMBERED else sum(map(_count, stretches(text)))


def stretches(text: str) -> Iterator[str]:
    """Yield the text in stretches that end with a line, so that the words of a long one are not all held at once."""
    start = 0
    while len(text) - start > 2 * _STRETCH and (cut := text.find("\n", start + _STRETCH)) >= 0:
        yield text[start : cut + 1]
        start = cut + 1
    yield text[start:] if start else text


def _count(text: str) -> int:
    if not is_unspaced(text):
        words = text.split()
        if max(map(len, words), default=0) <= _LONGEST:
            return len(words)
    return sum(1 for _ in _WORD.finditer(text))


_counted = lru_cache(maxsize=512)(_count)  # a page, its prompt and its gist are counted several times in a row


def is_unspaced(text: str) -> bool:
    """Return whether any character is of a script without spaces between words."""
    return not text.isascii() and bool(_UNSPACED.search(text))


def _spaced(text: str) -> bool:
    """Return whether white space separates all words: no script without spaces, and no run that is too long."""
    if is_unspaced(text):
        return False
    half = _LONGEST // 2  # a run that is too long fills at least one stretch of this length
    if all(len(text[at : at + half].split(None, 1)) > 1 for at in range(0, len(text) - half + 1, half)):
        return True
    return max(map(len, text.split()), default=0) <= _LONGEST


class WordIndex:
    """The offsets of all words of a text, to count the words of any span quickly."""

    def __init__(self, text: str) -> None:
        word = _SPACED_WORD if _spaced(text) else _WORD
        self._starts = array("I", map(re.Match.start, word.finditer(text)))
        self._end = len(text)

    def __len__(self) -> int:
        return len(self._starts)

    def count(self, start: int, end: int) -> int:
        """Return how many words begin in ``text[start:end]``."""
        return bisect_left(self._starts, end) - bisect_left(self._starts, start)

    def after(self, start: int, words: int) -> int:
        """Return the offset at which word number ``words`` after ``start`` begins, or the end of the text."""
        position = bisect_left(self._starts, start) + words
        return self._starts[position] if position < len(self._starts) else self._end


def sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets in ``(start, end)`` at which a new sentence begins."""
    for match in _SENTENCE_END.finditer(text, start, end):
        cut = match.end()
        if cut >= end or text[cut].islower():
            continue
        if text[match.start()] == "." and ends_no_sentence(text, start, match.start(), cut):
            continue
        yield cut


def line_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets in ``(start, end)`` at which a new line begins."""
    at = text.find("\n", start, end - 1)
    while at >= 0:
        yield at + 1
        at = text.find("\n", at + 1, end - 1)


def clause_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets in ``(start, end)`` at which a clause begins after a comma, semicolon, colon or dash."""
    for match in _CLAUSE_END.finditer(text, start, end):
        if match.end() < end:
            yield match.end()


def sentences(text: str) -> list[str]:
    """Return the sentences of ``text``, stripped; a blank line also ends a sentence."""
    ends = {*sentence_ends(text, 0, len(text)), *(gap.end() for gap in _BLANK_LINE.finditer(text))}
    pieces = (text[a:b].strip() for a, b in itertools.pairwise([0, *sorted(ends), len(text)]))
    return [piece for piece in pieces if piece]


def truncate(text: str, words: int) -> str:
    """Return the first ``words`` words of ``text``, unchanged."""
    return text[: WordIndex(text).after(0, words)].rstrip()


def lead(text: str, words: int) -> str:
    """Return the first sentences of ``text``, at most ``words`` words; not empty unless the text is."""
    kept: list[str] = []
    room = words
    for sentence in sentences(text):
        size = count_words(sentence)
        if size > room:
            break
        kept.append(sentence)
        room -= size
    return " ".join(kept) if kept else truncate(text.strip(), max(1, words))
