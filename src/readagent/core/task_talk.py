"""Recognise short replies that talk about the task in place of doing it, whatever else they mention.

They say that the text cannot be shortened, or ask for it. What the text itself speaks of is no talk about the task.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from readagent.core.failure_text import REFUSED, own_words
from readagent.core.languages import language, possible_languages
from readagent.core.patterns import lazy_pattern
from readagent.core.refusal_wordings import POLICY
from readagent.core.task_wordings import COPYRIGHT, SPACED, UNSPACED

_LONGEST = 300  # characters; a longer reply has content, whatever it begins with
_STEM = 5  # letters that the forms of a word have in common
_SENTENCES = lazy_pattern(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_TO_USER = lazy_pattern(r"\bi(?:['’]d| would| am|['’]m)? (?:be )?(?:glad|happy) to\b|\bthe user (?:wants|asks)\b", re.I)
_DONE = lazy_pattern(r"\b(?:text|passage)\b.{0,60} (?:was|has been|is) (?:shortened|summari[sz]ed|condensed)\b", re.I)
_SAME_SCRIPT = {"ar": ["ar", "fa"]}  # languages that are known by their script only
_COPYRIGHT = lazy_pattern(COPYRIGHT, re.I)
_POLICY = lazy_pattern("|".join(POLICY), re.I)


def task_talk(reply: str, text: str) -> str:
    """Return why a short reply only talks about the task; "" if it does not, or if the text speaks of such a thing."""
    reply = own_words(reply.strip())
    if len(reply) > _LONGEST:
        return ""
    return next((problem for problem, words in _found(reply) if not _speaks_of(text, words)), "")


def _found(reply: str) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a reply, with the words that show it."""
    protected = _COPYRIGHT.search(reply)
    if words := _POLICY.search(reply):
        yield REFUSED, words[0]
    patterns = [_patterns(code) for code in _languages(reply)]
    for sentence in _SENTENCES.split(reply):
        for cannot, shorten, serve, text, ask in patterns:
            about_text = text.search(sentence)
            if cannot.search(sentence):
                words = shorten.search(sentence) or (about_text and serve.search(sentence)) or protected
                if words:
                    yield REFUSED, words[0]
            if about_text and (words := ask.search(sentence)):
                yield "it asked for the text", words[0]
        if words := _TO_USER.search(sentence):
            yield "it spoke to the user", words[0]
        if words := _DONE.search(sentence):
            yield "it had no content", words[0]


def _speaks_of(text: str, words: str) -> bool:
    """Return whether all of these words, or beginnings of words, are in a text."""
    folded = text.casefold()
    return all(word[:_STEM] in folded for word in re.findall(r"\w\w+", words.casefold()))


def _languages(reply: str) -> Iterable[str]:
    """Return the languages whose wordings a reply may have: English and its own, or all if that is not known."""
    if not language(reply):
        return (*SPACED, *UNSPACED)
    own = possible_languages(reply)
    return {code for one in ("en", *own) for code in _SAME_SCRIPT.get(one, [one]) if code in SPACED or code in UNSPACED}


@cache
def _patterns(code: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of a language, in the order of ``Wordings``."""
    if code in SPACED:
        return tuple(lazy_pattern(rf"(?<!\w)(?:{one})", re.I) for one in SPACED[code])
    return tuple(lazy_pattern(one, re.I) for one in UNSPACED[code])
