"""Parse the chosen option of a question: named by its letter, by its text or by its position."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from readagent.core.parsing.numbers import ORDINALS
from readagent.core.parsing.wordings import clauses, corrects, is_reason, named, word_in

_IS = r"(?:\s+(?:is|was|would be|must be|will be|has to be))?"
_OPTION = ("option", "choice")
_CONCLUDES = re.compile(r"\b(?:but|however|so|therefore|final(?:ly)?)\b", re.I)
_FOLLOWS = (  # what follows a letter that is no word: nothing that it could belong to
    r"(?![A-Za-z0-9_'’]"
    r"|\s+(?!(?:is|was|are|were|seems|must|would|because|since|as|and|or|but|although|if|it|fits|looks)\b)[a-z])"
)


def parse_options(
    text: str, letters: Sequence[str], texts: Sequence[str], cues: Sequence[str]
) -> tuple[str, ...] | None:
    """Return the chosen option; None if there is none or more than one."""
    reply = _Reply(text, tuple(letters), tuple(texts), tuple(cues))
    readings: tuple[Callable[[], list[str]], ...] = (
        reply.word, reply.whole_lines, reply.announced, reply.options_named, reply.texts_said, reply.letters_named,
        reply.by_place,
    )  # fmt: skip
    for read in readings:
        found = list(dict.fromkeys(read()))
        if found:
            return (found[0],) if len(found) == 1 else None
    return None


@dataclass(frozen=True, slots=True)
class _Reply:
    """A reply, the letters of the options and their texts. Each method returns the letters that it finds."""

    text: str
    letters: tuple[str, ...]
    options: tuple[str, ...]
    cues: tuple[str, ...]

    @property
    def name(self) -> str:
        return "|".join(sorted((one for one in self.letters if len(one) < 3), key=len, reverse=True))

    def word(self) -> list[str]:
        """Find a value that is a word, such as MISSING."""
        return list(filter(None, [word_in(self.text, self.letters)]))

    def whole_lines(self) -> list[str]:
        """Find a letter that is a whole line, or begins the reply and is followed by a bracket, a stop or a colon."""
        cue = named((*self.cues, *_OPTION))
        found = re.findall(rf"^\W{{0,12}}(?:(?:{cue})\W{{0,6}})?({self.name})\W{{0,12}}$", self.text, re.I | re.M)
        if found:
            return [letter.upper() for letter in found]
        begun = re.match(rf"\W{{0,3}}({self.name})(?:\)|[.:]\s|,\s(?!(?:{self.name})\b))", self.text)
        return [begun[1]] if begun and not is_reason(clauses(self.text)[0]) else []

    def announced(self) -> list[str]:
        """Find what is announced: ``Answer: (C) ...``. A later announcement counts if it takes an earlier one back."""
        found = self._after(self.cues, self.text)
        kept = list(found)
        for earlier, later in pairwise(found):
            between = self.text[earlier.end() : later.start()]
            if corrects(between) or _CONCLUDES.search(between):
                kept = found[found.index(later) :]
        return [match[1].upper() for match in kept]

    def options_named(self) -> list[str]:
        """Find ``option C``, except in clauses that reject it."""
        accepted = [clause for clause in clauses(self.text) if not is_reason(clause)]
        return [match[1].upper() for clause in accepted for match in self._after(_OPTION, clause)]

    def _after(self, cues: Sequence[str], text: str) -> list[re.Match[str]]:
        """Return letters that follow a cue; a small letter only if no word follows it, for it may be one itself."""
        gap = r"\s*[:=：-]*[\s\"'(\[<（]{0,4}(?:[ao] (?=[A-Z]))?"
        found = re.finditer(rf"(?:{named(cues)}){_IS}{gap}({self.name}){_FOLLOWS}", text, re.I)
        sure = [match for match in found if match[1].isupper() or not text[match.end() : match.end() + 1].isspace()]
        other = re.compile(rf"\W{{0,2}}\s*(?:/|or|and|oder|ou|o)\s*\W?({self.name})\b")
        return [*sure, *filter(None, (other.match(text, one.end()) for one in sure))]

    def texts_said(self) -> list[str]:
        """Find options whose text is in the reply, except in a clause that rejects it."""
        whole = f" {_normal(self.text)} "
        said = [i for i, option in enumerate(self.options) if _normal(option) and f" {_normal(option)} " in whole]
        if len(said) > 1:
            said = [i for i in said if f" not {_normal(self.options[i])} " not in whole]
        texts = {i: _normal(self.options[i]) for i in said}
        left = [i for i in said if not any(i != other and texts[i] in texts[other] for other in said)]
        return [self.letters[left[0]]] if len(left) == 1 else []

    def letters_named(self) -> list[str]:
        """Find letters in brackets, or capital letters that are no words, except in clauses that reject them."""
        found: list[str] = []
        bracketed = rf"[(（\[]\s*({self.name})\s*[)）\]]"
        pattern = re.compile(rf"{bracketed}|(?<![A-Za-z0-9_'’])({self.name}){_FOLLOWS}")
        for clause in _answered(clauses(self.text)):
            if not is_reason(clause):
                found += [match[1] or match[2] for match in pattern.finditer(clause)]
        return found

    def by_place(self) -> list[str]:
        """Find "the third option", "option 3", or a number that is the whole reply."""
        cue = named((*self.cues, *_OPTION))
        numbers = re.findall(rf"(?:\A\W{{0,6}}|\b(?:{cue})\W{{1,5}})(\d{{1,3}})\b", self.text, re.I)
        places = [int(number) - 1 for number in numbers]
        words = re.findall(rf"\b({'|'.join(ORDINALS)}|last)\s+(?:option|choice|one|answer)\b", self.text.lower())
        places += [len(self.options) - 1 if word == "last" else ORDINALS.index(word) for word in words]
        return [self.letters[place] for place in places if 0 <= place < len(self.letters)]


def _answered(said: Sequence[str]) -> Iterator[str]:
    """Yield the clauses; of a question that the next clause answers, only if that is yes."""
    for clause, following in zip(said, [*said[1:], ""], strict=True):
        if not clause.rstrip().endswith("?") or re.match(r"\W*yes\b", following, re.I):
            yield clause


def _normal(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().lower()
