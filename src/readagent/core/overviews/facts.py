"""Facts: the names and numbers of a text, to find statements that cannot be from it."""

from __future__ import annotations

from collections.abc import Iterable

from readagent.core.languages import likely_language
from readagent.core.memory import GistMemory
from readagent.core.patterns import lazy_pattern
from readagent.core.support.names import names
from readagent.core.support.numbers import Number, any_months, months, numbers
from readagent.core.support.rules import same_script
from readagent.core.support.units import is_unit

_WORD = lazy_pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_POSSESSIVE = lazy_pattern(r"['’]s?$")
_SAMPLE = 20_000  # characters of a text that tell its script


class Facts:
    """The words of a text and the numbers of its pages, each found once."""

    def __init__(self, memory: GistMemory) -> None:
        self._memory = memory
        everything = [memory.document.text, *(gist.text for gist in memory.gists)]
        self._written = {_POSSESSIVE.sub("", word) for text in everything for word in _WORD.findall(text)}
        self._words = {word.casefold() for word in self._written}
        self._stems = {_stem(word) for word in self._words}
        self._numbers: dict[int, list[Number]] = {}

    def missing(self, statement: str, pages: Iterable[int]) -> str:
        """Return a number of the statement that is not on these pages, or a name that the text does not have, or ""."""
        own = [*numbers(statement), *months(statement)]
        known = [number for page in pages for number in self._on(page)] if own else []
        for one in own:
            if not any(one.borne_out(other) for other in known):
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
            text = f"{self._memory.page_text(page)}\n{self._memory.gists[page].text}"
            self._numbers[page] = [*numbers(text), *any_months(text)]
        return self._numbers[page]


def _stem(word: str) -> str:
    return word[: max(3, len(word) - 2)]
