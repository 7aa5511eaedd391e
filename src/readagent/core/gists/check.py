"""Check that a gist is about its page, in any language: it shares words with it, and is no message of a failure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from readagent.core.failure_text import failure_in
from readagent.core.languages import is_function_word, is_in, language, languages_named
from readagent.core.words import count_words

Terms = frozenset[str]

_PAIRED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"  # Chinese, kana, Hangul
_RUN_ON = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff"  # written with letters; all of the scripts of India
_TERM = re.compile(f"[{_PAIRED}]+|[{_RUN_ON}]+|(?:(?![{_PAIRED}{_RUN_ON}])[^\\W_]|[{_MARKS}])+")
_IS_PAIRED, _IS_RUN_ON = re.compile(f"[{_PAIRED}]"), re.compile(f"[{_RUN_ON}]")
_HIRAGANA = re.compile("[\u3040-\u309f]+")
_ATTACHED = re.compile("^(?:[وف]?[بكل]?(?:ال|لل)|[וה]?[בכלמש]?ה?(?=[\u0590-\u05ff]{3}))(?=\\w{3})")  # Arabic, Hebrew
_STEM = 5  # letters that two forms of a word have in common
_SHORT_PAGE = 100  # words; a gist of a longer page says more than two things
_LEAST_WORDS = 6  # of the gist of a longer page
_SHARED = 0.2  # least share of a gist's terms that its page has too
_FAILURE_SHARED = 0.75  # the same for a gist that reads like a failure
_TRANSLATED = 20  # words from which a gist in another language, as asked for, may share none with its page
_FEW = 12  # words, or figures; a page with fewer has nothing to compare with
_LOOPING = 0.25  # share of different words below which a text repeats itself


@dataclass(frozen=True, slots=True)
class Check:
    """Checks gists.

    ``wishes`` is what the user wrote about gists: it may ask for another language. ``unlike`` is a gist that the page
    cannot have, because it is that of another page.
    """

    wishes: str = ""
    unlike: str = ""

    def problem(self, gist: str, page: str) -> str:
        """Return why this text cannot be a gist of the page; "" if it can."""
        own, there = terms(gist), frozenset(_all_terms(page))
        shared, words, page_words = len(own & there), count_words(gist), count_words(page)
        failing = failure_in(gist)
        if failing and shared < max(4, _FAILURE_SHARED * len(own)):
            return failing
        if page_words > _SHORT_PAGE and words < min(_LEAST_WORDS, page_words // 20):
            return "it was too short to say anything"
        if _loops(gist) and not _loops(page):
            return "it repeated itself"
        if self._in_another_language(gist, page):
            return "it was not in the language of the passage"
        if not self._shares_enough(gist, page, own, there):
            return "it had nothing to do with the passage"
        return "it was the gist of another page" if self.unlike and own == terms(self.unlike) else ""

    def _in_another_language(self, gist: str, page: str) -> bool:
        there = language(page)
        return bool(there and language(gist)) and not is_in(gist, there) and not self._asked_for(gist, there)

    def _asked_for(self, gist: str, page_language: str) -> bool:
        """Return whether the user's wishes name the language of a gist, or are written in it."""
        wanted = languages_named(self.wishes) | {language(self.wishes)}
        return language(gist) in wanted - {page_language, ""}

    def _shares_enough(self, gist: str, page: str, own: Terms, there: Terms) -> bool:
        shared = len(own & there)
        if self._asked_for(gist, language(page)):
            return shared > 0 or count_words(gist) >= _TRANSLATED
        if sum(not any(map(str.isdigit, term)) for term in there) < _FEW:  # figures, or no words at all
            return shared > 0 or sum(term.isdigit() for term in there) < _FEW
        least = 2 if count_words(page) <= _SHORT_PAGE else 3
        return shared >= max(least, _SHARED * len(own)) or _quotes(gist, page)


def terms(text: str) -> Terms:
    """Return what a text is about: stems of words that are no function words, numbers, and pairs of characters."""
    return frozenset(
        term
        for word in _TERM.findall(text)
        for term in _of_word(word)
        if not is_function_word(word.lower())
        and (len(word) > 3 or word.isdigit() or word[0].isupper() or not word.isascii())
    )


def _all_terms(text: str) -> list[str]:
    return [term for word in _TERM.findall(text) for term in _of_word(word)]


def _of_word(word: str) -> list[str]:
    """Return the terms of a run of letters or digits; none for one that says nothing."""
    if _IS_PAIRED.match(word):
        pairs = [word[i : i + 2] for i in range(len(word) - 1)]
        return [pair for pair in pairs if not _HIRAGANA.fullmatch(pair)]
    if _IS_RUN_ON.match(word):
        return [word[i : i + 3] for i in range(len(word) - 2)]
    if word.isdigit():
        return [word] if len(word) > 1 else []
    word = _ATTACHED.sub("", word.casefold())
    return [word[:_STEM]] if len(word) > 2 else []


def _quotes(gist: str, page: str) -> bool:
    """Return whether most of a text is taken from the page word by word; it may be too short to have terms."""
    own, there = _triples(gist), _triples(page)
    return bool(own) and len(own & there) >= 0.5 * len(own)


def _triples(text: str) -> set[tuple[str, str, str]]:
    words = re.findall(r"\w+", text.casefold())
    return set(zip(words, words[1:], words[2:], strict=False))


def _loops(text: str) -> bool:
    words = text.casefold().split()
    return len(words) >= 24 and len(set(words)) < _LOOPING * len(words)
