"""Where sentences begin and end, so that a copy of whole sentences is always found."""

from __future__ import annotations

from readagent.core.patterns import lazy_pattern
from readagent.core.words import sentence_ends

_AROUND = 200  # characters that show whether a full stop ends a sentence
_BLANK_LINE = lazy_pattern(r"\n[^\S\n]*\n\s*")
_FINAL = lazy_pattern("[.!?…。！？]")


def begins_sentence(text: str, start: int) -> bool:
    """Return whether a sentence begins here, or before opening marks that stand right before this offset."""
    first = start
    while first > 0 and not text[first - 1].isalnum() and not text[first - 1].isspace():
        first -= 1
    if not text[:first].strip() if first < _AROUND else False:
        return True
    return any(first <= cut <= start for cut in _cuts(text, first, start))


def ends_sentence(text: str, end: int) -> bool:
    """Return whether a sentence with its final mark ends here."""
    rest = text[end : end + _AROUND]
    space = len(rest) - len(rest.lstrip("\"'”’»」』）)]*_ \t\r\n"))
    if _FINAL.match(rest, space):
        return False
    return end + space >= len(text) or any(end <= cut <= end + space for cut in _cuts(text, end, end + space))


def _cuts(text: str, first: int, last: int) -> set[int]:
    start, end = max(0, first - _AROUND), min(len(text), last + 2)
    blank = {gap.end() for gap in _BLANK_LINE.finditer(text, start, end)}
    return blank | set(sentence_ends(text, start, end))
