"""Whether the letters of a quote stand in a text: from the edge of a word to the edge of a word, with the same numbers.

Marks between letters may differ: what is shown is the text. Numbers may not, nor the case of an option such as ``-U``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from readagent.core.patterns import lazy_pattern
from readagent.core.quotes.letters import INVISIBLE, Letters, is_letter, is_sign
from readagent.core.words import is_unspaced

Span = tuple[int, int]

_UNSEEN = lazy_pattern(f"[{INVISIBLE}*_~]")
_DASHES = lazy_pattern("\\s*[\u2010-\u2015\u2212\ufe58\ufe63\uff0d-]+\\s*")
_TIGHT = lazy_pattern("-|-[^\\S\\n]*\\n\\s*|['’.]")
_BETWEEN = lazy_pattern(r"\s|[。！？｡]")
_GROUP = lazy_pattern(r"(?<!\d)\d{1,3}(?:\s\d{3})*\s$"), lazy_pattern(r"\d{3}(?!\d)")  # 1 500
_OPTION = lazy_pattern(r"(?<![^\s\"'`(\[])-([^\W\d_])(?!\w)")


def matches(text: Letters, quote: Letters) -> Iterator[Span]:
    """Yield the offsets where the quote is in the text."""
    size = len(quote.text)
    at = text.text.find(quote.text)
    while at >= 0 and size:
        if _is_edge(text, at) and _is_edge(text, at + size) and _same_numbers(text, at, quote):
            start, end = text.starts[at], text.ends[at + size - 1]
            if _options(quote.source) <= _options(text.source[max(0, start - 2) : end + 1]):
                yield start, end
        at = text.text.find(quote.text, at + 1)


def _options(text: str) -> set[str]:
    """Return the options of one letter in a command, whose case counts."""
    return set(_OPTION.findall(text))


def _same_numbers(text: Letters, at: int, quote: Letters) -> bool:
    """Return whether the digits are joined in the same way: 1.5 is not 15, and 1,500 is not 1.500."""
    return all(
        _in_number(text.joint(at + i)) == _in_number(quote.joint(i))
        for i in range(1, len(quote.text))
        if quote.text[i].isdecimal() and quote.text[i - 1].isdecimal()
    )


def _in_number(joint: str) -> str:
    """Return what is between two digits, with one kind of dash and of space."""
    plain = unicodedata.normalize("NFKC", _UNSEEN.sub("", joint))
    return _DASHES.sub("-", re.sub(r"\s+", " ", plain))


def _is_edge(text: Letters, i: int) -> bool:
    """Return whether a word, a number or a sign ends before letter i, so that a quote may begin or end there."""
    if i <= 0 or i >= len(text.text):
        return True
    left, right = text.text[i - 1], text.text[i]
    if text.starts[i] == text.starts[i - 1] or (is_letter(right) and not right.isalnum()):
        return False
    joint = _UNSEEN.sub("", text.joint(i))
    if left.isdecimal() and right.isdecimal():
        return bool(_BETWEEN.search(joint)) and not _is_group(text, i)
    if is_unspaced(left) or is_unspaced(right):
        return True
    if is_sign(left) or is_sign(right):
        return bool(joint) or not (left.isdecimal() or right.isdecimal())
    return bool(joint) and not _TIGHT.fullmatch(joint)


def _is_group(text: Letters, i: int) -> bool:
    """Return whether white space stands within a number: 1 500."""
    at = text.starts[i]
    return bool(_GROUP[0].search(text.source, max(0, at - 20), at)) and bool(_GROUP[1].match(text.source, at))


GAP = 1000  # characters that an ellipsis stands for, at most
_ELLIPSIS = r"[\[(<]\s*(?:(?:\.\s?){3,}|…+|⋯+)\s*[\])>]|\.{3,}|…+|⋯+|・{3,}|(?:\. ){2,}\."
_EDITED = lazy_pattern(rf"\s*(?:{_ELLIPSIS})\s*|\[[^\[\]\d\n]{{2,80}}\]")  # numbers must be in the text


def pieces(quote: str) -> list[str]:
    """Return the parts of a quote between ellipses and words that an editor put into brackets."""
    return [piece for piece in _EDITED.split(quote) if any(character.isalnum() for character in piece)]


def in_order(near: Letters, parts: Sequence[Letters], anchor: int) -> list[list[Span]]:
    """Return where all parts stand one after another; ``anchor`` is the index of the longest of them.

    Before and after each place of the longest part, the nearest places of the others are taken.
    """
    found = []
    for place in matches(near, parts[anchor]):
        before, after = [place], [place]
        for part in reversed(parts[:anchor]):
            spans = [one for one in matches(near, part) if before[0][0] - GAP <= one[1] <= before[0][0]]
            if not spans:
                break
            before.insert(0, spans[-1])
        for part in parts[anchor + 1 :]:
            following = (one for one in matches(near, part) if after[-1][1] <= one[0] <= after[-1][1] + GAP)
            if (first := next(following, None)) is None:
                break
            after.append(first)
        if len(before) == anchor + 1 and len(after) == len(parts) - anchor:
            found.append([*before, *after[1:]])
    return found
