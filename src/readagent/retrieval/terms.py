"""Split a text into search terms: stemmed words without stop words."""

from __future__ import annotations

from functools import lru_cache

from readagent.core.patterns import lazy_pattern

_WORD = lazy_pattern(r"[^\W_]+")
_UNSPACED = lazy_pattern(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"
)
_SUFFIXES = ("ations", "ation", "ings", "ing", "edly", "ies", "ied", "es", "ed", "ly", "s", "e")
_MIN_STEM = 3
_STOP_WORDS = frozenset(
    "a about an and are as at be been but by can could did do does for from had has have he her him his how i if in "
    "into is it its me my no nor not of on or our s she so t than that the their them then there these they this to "
    "too us was we were what when where which who whom whose why will with would you your".split()
)


_ASKING = frozenset(  # words of a question that ask what was said, and not about what
    "according attitude attitudes concerning conclusion describe described discuss discussed discussing discussion "
    "discussions explain explained mention mentioned opinion opinions regarding said say saying says summarise "
    "summarize summary talk talked talking tell thinks think thought thoughts told toward towards".split()
)


def terms(text: str) -> list[str]:
    """Return the stems of a text in order, without stop words; scripts without spaces give pairs of characters."""
    words = _WORD.findall(text.lower())
    if text.isascii() or not _UNSPACED.search(text):
        return [stem(word) for word in words if word not in _STOP_WORDS]
    found: list[str] = []
    for word in words:
        if _UNSPACED.search(word):
            found += _pairs(word)
        elif word not in _STOP_WORDS:
            found.append(stem(word))
    return found


def content_words(text: str) -> list[str]:
    """Return the distinct words of a text in lower case, without stop words."""
    return list(dict.fromkeys(word for word in _WORD.findall(text.lower()) if word not in _STOP_WORDS))


def subject(question: str) -> str:
    """Return a question without words such as "discuss" and "opinion", which texts on its subject need not have."""
    words = [word for word in content_words(question) if word not in _ASKING]
    return " ".join(words) or question


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """Remove the ending of an English word. Rough and fast, but most inflections of a word get the same stem."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _MIN_STEM:
            return word[: -len(suffix)]
    return word


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]
