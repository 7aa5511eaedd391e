"""Terms: what a text is about, in any language, to compare it with another one."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from readagent.core.languages import is_function_word
from readagent.core.patterns import lazy_pattern

Terms = frozenset[str]

_PAIRED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"  # Chinese, kana, Hangul
_RUN_ON = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff"  # written with letters; all of the scripts of India
_TERM = lazy_pattern(f"[{_PAIRED}]+|[{_RUN_ON}]+|(?:(?![{_PAIRED}{_RUN_ON}])[^\\W_]|[{_MARKS}])+")
_ASCII_TERM = lazy_pattern("[0-9A-Za-z]+")  # what the pattern above finds in ASCII, sooner
_IS_PAIRED, _IS_RUN_ON = lazy_pattern(f"[{_PAIRED}]"), lazy_pattern(f"[{_RUN_ON}]")
_HIRAGANA = lazy_pattern("[\u3040-\u309f]+")
_IDEOGRAM = lazy_pattern("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_COMMON = frozenset(
    "的了是在不有我他她它这那你们和就都也很到说要去会着没看自己上下中大小来个为以与其之而于对从被把将此该所这些一二三人"
)
_ATTACHED = lazy_pattern("^(?:[وف]?[بكل]?(?:ال|لل)|[וה]?[בכלמש]?ה?(?=[\u0590-\u05ff]{3}))(?=\\w{3})")  # Arabic, Hebrew
_LAST_LATIN = "\u024f"
_STEM = 5  # letters that two forms of a word have in common


def terms(text: str) -> Terms:
    """Return what a text is about: stems of words that are no function words, numbers, and pairs of characters."""
    return frozenset(
        term
        for word in _words(text)
        if not is_function_word(word.lower())
        and (len(word) > 3 or word.isdigit() or word[0].isupper() or not word.isascii())
        for term in _of_word(word)
    )


def all_terms(text: str) -> Terms:
    """Return the terms of a text together with those of its function words."""
    return frozenset(term for word in _words(text) for term in _of_word(word))


def _words(text: str) -> set[str]:
    """Return the runs of letters and digits."""
    return set((_ASCII_TERM if text.isascii() else _TERM).findall(text))


def shared(own: Terms, there: Terms) -> int:
    """Return how many of the terms are among others, also where one of two forms has a letter more: nears, near."""
    shorter = {term[:-1] for term in there if len(term) in (4, _STEM) and term.isalpha()}
    return sum(term in there or term in shorter or (len(term) > 3 and term[:-1] in there) for term in own)


def ideograms(text: str) -> frozenset[str]:
    """Return the Chinese characters of a text, but for the most common ones."""
    return frozenset(_IDEOGRAM.findall(text)) - _COMMON


@lru_cache(maxsize=1 << 15)
def _of_word(word: str) -> tuple[str, ...]:
    """Return the terms of a run of letters or digits; none for one that says nothing."""
    if _IS_PAIRED.match(word):
        pairs = (word[i : i + 2] for i in range(len(word) - 1))
        return tuple(pair for pair in pairs if not _HIRAGANA.fullmatch(pair))
    if _IS_RUN_ON.match(word):
        return tuple(word[i : i + 3] for i in range(len(word) - 2))
    if word.isdigit():
        return (word,) if len(word) > 1 else ()
    word = _ATTACHED.sub("", _folded(word))
    return (word[:_STEM],) if len(word) > 2 else ()


def _folded(word: str) -> str:
    """Return a word in lower case, and without the accents of Latin letters, which come and go: Nacht, Nächte."""
    word = word.casefold()
    if word.isascii() or word[0] > _LAST_LATIN:
        return word
    return "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))


def quotes(text: str, source: str, least: float = 0.5) -> bool:
    """Return whether at least this share of a text is taken from a source word by word."""
    own, there = _triples(text), _triples(source)
    return bool(own) and len(own & there) >= least * len(own)


def says(source: str, words: str) -> bool:
    """Return whether these words are in a source one after another; punctuation and case do not matter."""
    return f" {_plain(words)} " in f" {_plain(source)} "


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _triples(text: str) -> set[tuple[str, str, str]]:
    words = re.findall(r"\w+", text.casefold())
    return set(zip(words, words[1:], words[2:], strict=False))
