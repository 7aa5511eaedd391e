"""Check that a free answer is one: no message of a failure, and not about something else. It may be in any language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from readagent.core.asking.absence import denies
from readagent.core.asking.courtesy import without_opening
from readagent.core.failure_text import find_failure
from readagent.core.languages import is_in, language
from readagent.core.patterns import lazy_pattern
from readagent.core.task_talk import task_talk
from readagent.core.terms import Terms, all_terms, says, shared, terms

_MANY, _LONG = 7, 300  # terms of an answer and of a text; with fewer, a paraphrase may share none
_SHARED = 0.15  # least share of an answer's terms that the text or the question has too
_TOLD = 0.5  # least share of the terms of an answer that quotes the words of a failure
_ANSWERED = 2  # terms in common with the text that an answer before an offer to the user has at least
_SYMBOLS, _MANY_SYMBOLS = lazy_pattern(r"[<>\[\]{}|\\]"), 0.15  # share of the characters from which a text may be noise
_LOOPING = 8, 0.25  # words of a text that may repeat itself, and the share of different ones below which it does
_PAGES = lazy_pattern(
    r"\W*(?:i (?:want|need) to (?:look up|open|see) )?(?:<?pages? ?\[?[\d, ]*\W*)+(?:to .{0,60})?", re.I
)
_ABOUT_PAGES = lazy_pattern(
    r"pag|seite|stron|sayfa|страниц|页|頁|ページ|페이지|쪽|صفح|עמוד|sid[ae]\b|trang|halaman|oldal", re.I
)
_FEW_PAGES = 200  # characters of a list of pages
_MISSING = lazy_pattern(r"\W*missing\s*:", re.I)
_NO_NUMBER = lazy_pattern(r"\W*(?:why|how(?! (?:many|much))|when|where)\b", re.I)


@dataclass(frozen=True)
class AnswerCheck:
    """Checks answers to a question against what was ``shown``."""

    question: str
    shown: str

    def problem(self, answer: str) -> str:
        """Return why a text cannot be the answer; "" if it can."""
        answer = without_opening(answer) or answer
        own = terms(answer)
        if failing := self._failure(answer, own):
            return failing
        if self._is_noise(answer):
            return "it had no content"
        if self._is_of_another_step(answer):
            return "it named pages in place of an answer"
        if denies(answer):
            return ""
        if talk := task_talk(answer, f"{self.shown}\n{self.question}"):
            return talk
        if len(own) < _MANY or len(self._there) < _LONG or not self._in_language_of_text(answer):
            return ""  # it may well be a paraphrase that shares no word
        return "" if shared(own, self._there) >= _SHARED * len(own) else "it had nothing to do with the text"

    def _failure(self, answer: str, own: Terms) -> str:
        """Return why an answer is the message of a failure; "" if it is none, or if it quotes one.

        An answer may end with an offer to the user.
        """
        failure = find_failure(answer)
        if failure is None or (own and self._says(failure.words) and shared(own, self._there) >= _TOLD * len(own)):
            return ""
        before = answer[: answer.rfind(failure.words)] if failure.offer else ""
        answered = shared(terms(before), self._there) >= _ANSWERED and find_failure(before) is None
        return "" if answered else failure.reason

    @cached_property
    def _text_language(self) -> str:
        return language(self.shown)

    @cached_property
    def _there(self) -> Terms:
        return all_terms(self.shown) | all_terms(self.question)

    def _says(self, words: str) -> bool:
        return says(self.shown, words) or says(self.question, words)

    def _is_of_another_step(self, answer: str) -> bool:
        """Return whether a reply only asks for pages or names them, and the question is not about pages."""
        quotes = any(mark in answer for mark in '"“„«「')
        pages = not quotes and len(answer) < _FEW_PAGES and _PAGES.fullmatch(answer)
        named = pages and not _ABOUT_PAGES.search(self.question)
        return bool(named or _MISSING.match(answer))

    def _is_noise(self, answer: str) -> bool:
        """Return whether a reply repeats itself or is full of brackets, and what was shown has no such thing.

        "None" answers how many, but not why.
        """
        words = answer.casefold().split()
        if answer.strip() == "None" and _NO_NUMBER.match(self.question):
            return True
        if len(words) >= _LOOPING[0] and len(set(words)) < _LOOPING[1] * len(words):
            return not self._says(" ".join(words[:4]))
        many = len(_SYMBOLS.findall(answer)) >= _MANY_SYMBOLS * len("".join(words))
        return many and not any(self._says(word) for word in re.findall(r"\w+", answer))

    def _in_language_of_text(self, answer: str) -> bool:
        return bool(language(answer)) and is_in(answer, self._text_language)
