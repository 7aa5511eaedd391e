"""Terms: the words of a text that say what it is about, in a form in which their inflections agree."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+")
_ENDINGS = ("ations", "ation", "ings", "ing", "edly", "ies", "ied", "es", "ed", "ly", "s", "e")
_LEAST_STEM = 3
_EMPTY = frozenset(
    "a about an and are as at be been but by can could did do does for from had has have he her him his how i if in "
    "into is it its me my no nor not of on or our s she so t than that the their them then there these they this to "
    "too us was we were what when where which who whom whose why will with would you your".split()
)


def terms(text: str) -> list[str]:
    """The terms of a text in order: words without the empty ones, each cut to its stem; pairs where none are spaced."""
    found: list[str] = []
    for word in _WORD.findall(text.lower()):
        if _UNSPACED.search(word):
            found += _pairs(word)
        elif word not in _EMPTY:
            found.append(stem(word))
    return found


def telling(text: str) -> list[str]:
    """The words of a text without the empty ones, each once, as they are written."""
    return list(dict.fromkeys(word for word in _WORD.findall(text.lower()) if word not in _EMPTY))


def stem(word: str) -> str:
    """A word without its ending: rough, quick, and the same for a word's usual forms."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            return word[: -len(ending)]
    return word


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]
