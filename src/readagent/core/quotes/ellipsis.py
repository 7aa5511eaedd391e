"""Quotes with an ellipsis: the pieces around it, and whether what was left out may be left out.

An ellipsis stands for a part of one sentence, or for whole sentences of one paragraph, without a word that turns what
is said. Each piece has at least four words, or six Chinese or Japanese characters.
"""

from __future__ import annotations

from collections.abc import Callable

from readagent.core.patterns import lazy_pattern
from readagent.core.quotes.turning_words import turns
from readagent.core.words import count_words, is_unspaced, sentence_ends

_ELLIPSIS = lazy_pattern(r"\s*(?:[\[(<]\s*(?:(?:\.\s?){3,}|…+|⋯+)\s*[\])>]|\.{3,}|…+|⋯+|・{3,}|(?:\. ){2,}\.)\s*")
_LEAST = 4  # words of a piece
_CHARACTERS_OF_A_WORD = 1.5  # in Chinese and Japanese
_FURTHEST = 1000  # characters that an ellipsis stands for, at most
_BLANK_LINE = lazy_pattern(r"\n[^\S\n]*\n")
_ONLY_MARKS = lazy_pattern(r"[\W_]*")


def pieces(quote: str) -> list[str]:
    """Return the pieces of a quote around its ellipses; none if one of them is too short."""
    found = [piece for piece in _ELLIPSIS.split(quote) if any(character.isalnum() for character in piece)]
    return found if len(found) > 1 and all(map(_is_long, found)) else []


def without_ends(quote: str) -> str:
    """Return a quote without an ellipsis at its beginning or end."""
    parts = _ELLIPSIS.split(quote)
    inner = [number for number, part in enumerate(parts) if part]
    if not inner or (inner[0] == 0 and inner[-1] == len(parts) - 1):
        return quote
    marks = [mark[0] for mark in _ELLIPSIS.finditer(quote)]
    kept = [parts[inner[0]]]
    for number in range(inner[0] + 1, inner[-1] + 1):
        kept += [marks[number - 1], parts[number]]
    return "".join(kept)


def _is_long(piece: str) -> bool:
    characters = sum(is_unspaced(one) and count_words(one * 2) == 2 for one in piece)
    return count_words(piece) - characters + characters / _CHARACTERS_OF_A_WORD >= _LEAST


def furthest(quoted: list[str]) -> int:
    """Return how many characters of a text these pieces may span, at most."""
    return 2 * sum(map(len, quoted)) + _FURTHEST * (len(quoted) - 1)


def may_leave_out(text: str, start: int, end: int, language: Callable[[], str]) -> bool:
    """Return whether an ellipsis may stand for ``text[start:end]``."""
    left_out = text[start:end]
    if end - start > _FURTHEST or _BLANK_LINE.search(left_out) or turns(left_out, language):
        return False
    cuts = [cut for cut in sentence_ends(text, max(0, start - 40), end + 1) if cut > start]
    if not cuts:
        return True
    ends_a_sentence = _ONLY_MARKS.fullmatch(text, start, cuts[0])
    begins_one = _ONLY_MARKS.fullmatch(text, cuts[-1], end)
    return bool(ends_a_sentence and begins_one)
