"""What can be told without a model: numbers that are not in the quotes, words that differ, copies of a sentence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from readagent.core.patterns import lazy_pattern
from readagent.core.quotes.letters import letters_of
from readagent.core.quotes.quotable import Quotable
from readagent.core.words import is_unspaced, sentences

_NUMBER = lazy_pattern(r"\d{1,3}(?:[,.' \u00a0\u202f]\d{3})+(?!\d)|\d+(?:[.,]\d+)?")
_OPTION = lazy_pattern(r"(?<![\w-])-[A-Za-z](?!\w)")
_WORD = lazy_pattern(r"[^\W_]+")
_LEAST_LETTERS = 4  # of a word that shows what a statement is about
_STEM = 6
_MOST_NAMED = 8  # words that differ; a statement with more is worded otherwise


def numbers(text: str) -> set[str]:
    """Return the numbers in digits, and option letters such as -U: 1,500 and 1500 are the same, and 3.5 and 3,5."""
    found = set(_OPTION.findall(text))
    for number in _NUMBER.findall(text):
        whole, _, part = number.replace(",", ".").partition(".")
        if re.fullmatch(r"\d+\D\d{3}(?:\D\d{3})*", number):
            found.add(str(int(re.sub(r"\D", "", number))))
        else:
            found.add(f"{int(whole)}.{part.rstrip('0')}".rstrip("."))
    return found


def missing_numbers(statement: str, evidence: str) -> set[str]:
    """Return the numbers of a statement that are not in the evidence."""
    return numbers(statement) - numbers(evidence)


def related(statement: str, quotes: Sequence[str]) -> tuple[int, ...]:
    """Return the quotes that share a word with a statement; one in another script may be about anything."""
    own = _stems(statement)
    return tuple(
        at for at, quote in enumerate(quotes) if not own or own & _stems(quote) or not same_script(statement, quote)
    )


def _stems(text: str) -> set[str]:
    found = set[str]()
    for word in _WORD.findall(text.casefold()):
        if is_unspaced(word):
            found |= {word[at : at + 2] for at in range(len(word) - 1)}
        elif len(word) >= _LEAST_LETTERS or word[0].isdecimal():
            found.add(word[:_STEM])
    return found


def same_script(one: str, other: str) -> bool:
    """Return whether two texts have letters of a common script, or one of them has none."""
    used = [{unicodedata.name(letter, "").partition(" ")[0] for letter in set(text) if letter.isalpha()}
            for text in (one, other)]  # fmt: skip
    return bool(used[0] & used[1]) or not all(used)


def words_that_differ(statement: str, quotes: Iterable[str]) -> list[str]:
    """Return the longer words and the numbers of a statement that no quote has; none if they are many."""
    known = {word for quote in quotes for word in _WORD.findall(quote.casefold())}
    words = (word for word in dict.fromkeys(_WORD.findall(statement)) if len(word) > 3 or word.isdecimal())
    found = [word for word in words if word.casefold() not in known]
    return found if len(found) <= _MOST_NAMED else []


def is_copy(statement: str, quote: str) -> bool:
    """Return whether a statement is a quote, or a whole sentence of it, but for marks and typography."""
    wanted = letters_of(statement).text
    same = (
        one
        for one in (quote, *sentences(quote))
        if letters_of(one).text == wanted and ("?" in one) == ("?" in statement)
    )
    return any(Quotable(one).locate(statement) is not None for one in same)
