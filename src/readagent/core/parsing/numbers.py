"""Parse one number or several: pages, labels, documents, elements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from readagent.core.parsing.wordings import (
    DOUBT,
    NONE,
    REST,
    clauses,
    corrects,
    counted,
    is_reason,
    named,
    starts_correction,
    without_purpose,
)

_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_WORD = rf"(?<![a-z])(?:(?:{'|'.join(_TENS)})(?:[\s-](?:{'|'.join(_UNITS[1:10])}))?|{'|'.join(reversed(_UNITS))})\b"
_NUMBER = rf"(?:\d{{1,9}}(?!\d)|{_WORD})"
_RANGE = r"(?:-|–|—|to|through|until|bis|à|hasta|до|到|から|至)"
_AND = rf"(?:,|;|&|\+|/|(?:,\s*)?(?:and|und|et|y|e|и|en|i|or|ve)\b|和|と|、|와|과|و|{_RANGE})"
_JOINED = re.compile(rf"\s*(?:{_AND})?\s*", re.I)
_STOP = re.compile(r"\bstop\b|СТОП|停止", re.I)
_NOT_STOP = re.compile(r"(?:\b(?:not|never|then|before|will|would)|n['’]t)\b[^.]{0,20}\bstop", re.I)
_TO_USER = re.compile(r"\byou (?:did|do|have|gave|provided|haven)", re.I)
_LINE = 160  # characters of a line that has nothing but values, at most
_EMPTY = re.compile(r"[^\w.…]*(?:(?:none|no|nothing|keine|aucune|ninguna|nessuna|нет|无|なし)\W*)?", re.I)


def parse_numbers(
    text: str, values: Sequence[str], least: int, most: int, cues: Sequence[str]
) -> tuple[str, ...] | None:
    """Return one number, or several in the order of the reply; other values ("STOP") are matched as words."""
    reply = _Reply(text, tuple(values), least, most, tuple(cues))
    for read in (reply.by_form, reply.by_line, reply.by_table, reply.by_clauses):
        found = read()
        if found is not None:
            return reply.chosen(found)
    return None


@dataclass(slots=True)
class _Found:
    """What a reply names: numbers, or other words; empty if it says that it wants none, or contradicts itself."""

    names: list[str] = field(default_factory=list)
    none: bool = False


@dataclass(frozen=True, slots=True)
class _Reply:
    """A reply, and what it may name."""

    text: str
    values: tuple[str, ...]
    least: int
    most: int
    cues: tuple[str, ...]

    @property
    def single(self) -> bool:
        return self.least == self.most == 1

    @property
    def words(self) -> list[str]:
        return [value for value in self.values if not value.isdigit()]

    def chosen(self, found: _Found) -> tuple[str, ...] | None:
        """Return the legal values among those found; None if there is none, or if there are two and one is expected."""
        if found.none:
            return () if self.least == 0 else ("STOP",) if "STOP" in self.values else None
        legal = tuple(dict.fromkeys(name for name in found.names if name in self.values))
        if self.single:
            return legal if len(legal) == 1 else None
        return legal[: self.most] or None

    def by_form(self) -> _Found | None:
        """Read the form that was asked for: ``Page [2, 7]`` for several, and ``Break point: <5>`` for one."""
        begun = [word for word in self.words if re.match(rf"\W*{re.escape(word)}\b(?! or\b)", self.text)]
        if begun:
            return _Found(begun)
        cue, inner = named(self.cues), rf"(?:(?:{named(self.cues)})\W{{0,3}})?"
        pattern = rf"(?:{cue})[\s:<(\"']{{0,3}}\[([^\[\]]*)\]"
        if self.single:
            gap = r"\s*(?:is|at|[:=：]|-+>)[^\w\n]{0,6}\n?[^\w\n]{0,6}"
            pattern += rf"|(?:{named(self.cues[:1])}){gap}{inner}({_NUMBER})"
        forms = list(re.finditer(pattern, self.text, re.I))
        if not forms:
            return None
        kept = forms[:1]
        for earlier, form in pairwise(forms):
            between = self.text[earlier.end() : form.start()]
            if corrects(between):
                kept = [form]
            elif _JOINED.fullmatch(between) or ("\n" in between and not is_reason(between.rpartition("\n")[2])):
                kept.append(form)
        contents = ["".join(form.groups("")) for form in kept]
        names = [number for content in contents for number in numbers_in(content)]
        return _Found(names, none=all(_EMPTY.fullmatch(content) for content in contents))

    def by_line(self) -> _Found | None:
        """Read a reply, or its last or first line, that has nothing but values, perhaps after a label."""
        listed = rf"{_NUMBER}(?:\W{{0,6}}(?:{_AND})?\W{{0,6}}{_NUMBER})*"
        word = "|".join(map(re.escape, self.words)) or r"(?!)"
        label = rf"(?:(?:{named(self.cues)})\W*|[\w -]{{1,30}}[:：]\s*)?"
        value, after = (
            rf"(?:[\[<]?({listed})|\[([^\[\]]*)\]|({word}))",
            r"(?:,? (?:please|i (?:think|guess|believe))\W*)?",
        )
        whole = re.compile(rf"\W*{label}{value}\W*{after}", re.I)
        lines = [line for line in self.text.splitlines() if line.strip()]
        every = [whole.fullmatch(line) if len(line) <= _LINE else None for line in lines]
        found = [match for match in (every if all(every) else (every[0], every[-1])) if match]
        if not found:
            return None
        said = [[_as_listed(one[3], self.words)] if one[3] else numbers_in(one[1] or one[2] or "") for one in found]
        names = [name for one in said for name in one]
        return _Found(names, none=not names and all(_EMPTY.fullmatch(one[2] or "") for one in found))

    def by_table(self) -> _Found | None:
        """Read the first column of a table about what was asked for."""
        if not re.search(rf"^\|\s*(?:{named(self.cues)})\b", self.text, re.I | re.M):
            return None
        names = re.findall(r"^\|[^\d|]*(\d+)\s*\|", self.text, re.M)
        return _Found(names) if names else None

    def by_clauses(self) -> _Found | None:
        """Read what is asked for in any wording. Numbers in clauses that explain or reject something do not count."""
        names: list[str] = []
        none = rest = stop = corrected = False
        for clause in clauses(self.text):
            none_here = bool(NONE.search(clause)) and not _TO_USER.search(clause)
            rest_here = none_here and bool(REST.search(clause))
            none, rest = none or (none_here and not rest_here), rest or rest_here
            stop = stop or self._stops(clause)
            corrected = corrected or starts_correction(clause)
            asked = without_purpose(clause)
            mentioned = [] if none_here or is_reason(asked) else list(self._mentioned(asked))
            if mentioned and corrected:
                names.clear()
                corrected = False
            names += mentioned
        legal = set(names) & set(self.values)
        if names:
            return _Found([] if none or DOUBT.search(self.text) or (stop and legal) else names, none=stop and not legal)
        if none or rest or stop:
            return _Found(none=not DOUBT.search(self.text))
        said = [word for word in self.words if re.search(rf"\b{re.escape(word)}\b", self.text)]
        return _Found(said) if said else None

    def _stops(self, clause: str) -> bool:
        return "STOP" in self.values and bool(_STOP.search(clause)) and not _NOT_STOP.search(clause)

    def _mentioned(self, clause: str) -> Iterator[str]:
        """Yield the numbers of a clause that follow a cue, are followed by one, or stand in angle brackets."""
        cue, after, inner = named(self.cues), counted(self.cues), rf"(?:(?:{named(self.cues)})\W{{0,3}})?"
        gap = r"(?:\s*(?:numbers?|no\.|nr\.|is|are|at|on|of))?[\s:#<(\"'“„«-]{0,6}"
        further = rf"(?:[\s>)\]\"']*(?:{_AND})[\s<(\[\"']*{inner}{_NUMBER})*"
        counted_list = rf"(?<!\d)\d{{1,9}}\s?(?:{after})(?:\s?(?:{_AND})?\s?第?\s?\d{{1,9}}\s?(?:{after}))*"
        patterns = rf"{counted_list}|(?:{cue}){gap}{inner}{_NUMBER}{further}"
        found = [match[0] for match in re.finditer(patterns, clause, re.I)]
        found += re.findall(r"<\s*\d+\s*>", clause) if self.single and not found else []
        for mention in found:
            yield from numbers_in(mention)
        if not found:
            yield from self._by_place(clause)

    def _by_place(self, clause: str) -> Iterator[str]:
        """Yield what "the first page" or "the fifth label" names; with numbers from 0, only the first and the last."""
        cue = named(self.cues)
        for word in re.findall(rf"\b({'|'.join(ORDINALS)}|last)\s+(?:{cue})\b", clause.lower()):
            place = -1 if word == "last" else ORDINALS.index(word)
            if self.values[0] == "1" or place in (0, -1):
                digits = [value for value in self.values if value.isdigit()]
                yield from digits[place:][:1]


def numbers_in(listed: str) -> list[str]:
    """Return the numbers of a list, in words or digits, with ranges such as 2-4 or "2 to 4" expanded."""
    numbers: list[str] = []
    unit = r"\s*(?:页|頁|ページ目?|페이지|쪽)?\s*"
    for first, last in re.findall(rf"({_NUMBER})(?:{unit}{_RANGE}\s*第?\s*({_NUMBER}))?", listed, re.I):
        start, end = _value(first), _value(last or first)
        numbers += [str(n) for n in range(start, end + 1)] if start <= end < start + 50 else [str(start), str(end)]
    return numbers


def _value(number: str) -> int:
    if number.isdecimal():
        return int(number)
    tens, _, unit = number.lower().replace("-", " ").partition(" ")
    if tens in _TENS:
        return 20 + 10 * _TENS.index(tens) + (_UNITS.index(unit) if unit else 0)
    return _UNITS.index(tens)


def _as_listed(word: str, words: Sequence[str]) -> str:
    return next(value for value in words if value.lower() == word.lower())
