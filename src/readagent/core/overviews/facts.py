"""Facts: the names, numbers, quotations and denials of a text, to find statements that cannot be from it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from readagent.core.languages import likely_language
from readagent.core.memory import GistMemory
from readagent.core.patterns import lazy_pattern
from readagent.core.quotes.quotable import Quotable
from readagent.core.quotes.quotations import made_up_quotation
from readagent.core.support.names import names
from readagent.core.support.negation import Part, differs_from, parts_of
from readagent.core.support.numbers import Number, any_months, months, numbers
from readagent.core.support.rules import same_script
from readagent.core.support.sentences import split_sentences
from readagent.core.support.units import is_unit

_WORD = lazy_pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_POSSESSIVE = lazy_pattern(r"['’]s?$")
_SAMPLE = 20_000  # characters of a text that tell its script


class Facts:
    """The words of a text, and the numbers and sentences of its pages, each found once. ``text`` is that of the memory.

    The rules are those for the statements of answers, with pages in the place of quotes.
    """

    def __init__(self, memory: GistMemory, text: Quotable) -> None:
        self._memory, self._text = memory, text
        everything = [memory.document.text, *(gist.text for gist in memory.gists)]
        self._written = {_POSSESSIVE.sub("", word) for text in everything for word in _WORD.findall(text)}
        self._words = {word.casefold() for word in self._written}
        self._stems = {_stem(word) for word in self._words}
        self._numbers: dict[int, list[Number]] = {}
        self._parts: dict[int, list[Part]] = {}

    def missing(self, statement: str, pages: Iterable[int]) -> str:
        """Return a number that is not on these pages, or a name or quotation that the text does not have, or ""."""
        return self._number_or_name(statement, pages) or self._quotation(statement)

    def denies(self, statement: str, pages: Collection[int]) -> bool:
        """Return whether the part of these pages that is nearest to a sentence of the statement says the opposite."""
        parts = [part for page in pages for part in self._parts_of(page)]
        return any(differs_from(sentence, parts) for sentence in split_sentences(statement))

    def _quotation(self, statement: str) -> str:
        spoken, text = likely_language(statement), self._text.text[:_SAMPLE]
        translated = not same_script(statement, text) or (spoken and spoken != likely_language(text))
        return "" if translated else made_up_quotation(statement, self._text)

    def _number_or_name(self, statement: str, pages: Iterable[int]) -> str:
        own = [*numbers(statement), *months(statement)]
        known = [number for page in pages for number in self._on(page)] if own else []
        for one in own:
            if not any(one.matches(other) for other in known):
                return f"{one.value.normalize():f}"
        if likely_language(statement) == "de" or not same_script(statement, self._memory.document.text[:_SAMPLE]):
            return ""  # any noun is capitalised; names are written otherwise
        found = names(statement, lambda word: word in self._written)
        return next((name for name in found if not is_unit(name.casefold()) and not self._has(name.casefold())), "")

    def _has(self, name: str) -> bool:
        near = {name, f"{name}s", name.removesuffix("s")} & self._words
        return bool(near) or (not name.isascii() and _stem(name) in self._stems)

    def _on(self, page: int) -> list[Number]:
        if page not in self._numbers:
            text = self._said_on(page)
            self._numbers[page] = [*numbers(text), *any_months(text)]
        return self._numbers[page]

    def _parts_of(self, page: int) -> list[Part]:
        if page not in self._parts:
            self._parts[page] = parts_of(self._said_on(page))
        return self._parts[page]

    def _said_on(self, page: int) -> str:
        return f"{self._memory.page_text(page)}\n\n{self._memory.gists[page].text}"


def _stem(word: str) -> str:
    return word[: max(3, len(word) - 2)]
