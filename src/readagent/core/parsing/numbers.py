"""Parse one number or several: pages, labels, documents, elements."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from readagent.core.parsing.forms import read_forms
from readagent.core.parsing.lists import listed, numbers_in
from readagent.core.parsing.loose import Reader
from readagent.core.parsing.wordings import NONE, REJECTS, counted, is_reason, named, starts_correction

_LINE = 160  # characters of a line that has nothing but values, at most
_LOOSE = 2000  # characters of a reply that is read without its form, at most
_ANNOUNCES = (
    r"(?:(?:my |the |so |page )?(?:final )?(?:answer|request|reply|choice|selection|look[\s_-]?up|next|numbers?"
    r"|result|so"
    r"|therefore|finally?)(?: is)?\s*[:：=]\s*)"
)
_POLITE = r"(?:[,.]? (?:please|bitte|i (?:think|guess|believe)|tack|por favor|per favore)\W*)?"


def parse_numbers(
    text: str, values: Sequence[str], least: int, most: int, cues: Sequence[str]
) -> tuple[str, ...] | None:
    """Return one number, or several in the order of the reply; other values ("STOP") are matched as words."""
    text = re.sub(r"\\(?=[\[\](){}<>])", "", html.unescape(text))
    reply = _Reply(text, tuple(values), least, most, tuple(cues))
    for read in (reply.by_word, reply.by_form, reply.by_table, reply.by_list, reply.by_line, reply.by_clauses):
        found = read()
        if found is not None:
            return reply.chosen(found)
    return None


@dataclass(slots=True)
class _Found:
    """What a reply names: numbers, or other words; empty if it says that it wants none, or is unclear."""

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

    def by_word(self) -> _Found | None:
        """Read a word in capital letters that begins the reply."""
        begun = [
            word
            for word in self.words
            if re.match(rf"\W*{re.escape(word)}\b(?!\s*\?|[\s,]+(?:or|is|would|and then)\b)", self.text)
        ]
        return _Found(begun) if begun else None

    def by_form(self) -> _Found | None:
        """Read the form that was asked for: ``Page [2, 7]`` for several, and ``Break point: <5>`` for one."""
        there, names = read_forms(self.text, self.cues, self.single)
        return _Found(names or [], none=names == []) if there else None

    def by_table(self) -> _Found | None:
        """Read the first column of a table about what was asked for."""
        if not re.search(rf"^\|\s*(?:{named(self.cues)})\b", self.text, re.I | re.M):
            return None
        names = re.findall(r"^\|[^\d|]*(\d+)\s*\|", self.text, re.M)
        return _Found(names) if names else None

    def by_list(self) -> _Found | None:
        """Read a list with a value at the beginning of every line, perhaps numbered, each with a reason after it."""
        lines = self.text.splitlines()
        if len(lines) > 1 and not re.search(r"\d", lines[0]) and lines[0].rstrip().endswith((":", "：")):
            lines = lines[1:]
        some = listed(named(self.cues), counted(self.cues))
        item = re.compile(
            rf"\W*(?:{named(self.cues)})\W{{0,3}}({some})(?![\w%])(?P<why>.*)"
            rf"|[-•–\s]*({some})(?:\W*$|\s*[:–—(-]+(?P<reason>.*))",
            re.I,
        )
        starts = [re.match(r"\W*(\d{1,3})[.)]\s+(?=\W*\w)", line) for line in lines]
        numbered = len(lines) > 1 and all(one and int(one[1]) == i for i, one in enumerate(starts, 1))
        rows = [line[one.end() :] for line, one in zip(lines, starts, strict=True) if one] if numbered else lines
        if len(lines) < 2:
            return None
        found = [item.fullmatch(row) if len(row) <= _LINE else None for row in rows]
        names: list[str] = []
        for one in found:
            if one is None:
                return None
            why = one["why"] or one["reason"] or ""
            if is_reason(why) or REJECTS.search(why) or NONE.search(why) or starts_correction(why):
                return None
            names += numbers_in(one[1] or one[3])
        return _Found(names) if names else None

    def by_line(self) -> _Found | None:
        """Read a reply, or its last or first line, that has nothing but values, perhaps after a label."""
        some = listed(named(self.cues), counted(self.cues))
        word = "|".join(map(re.escape, self.words)) or r"(?!)"
        label = rf"(?:{_ANNOUNCES}|(?:{named(self.cues)})\W*)?(?:(?:{named(self.cues)})\W*)?"
        whole = re.compile(rf"\W*{label}(?:[\[<]*({some}|\d+(?:\s+\d+)+)|\[([^\[\]]*)\]|({word}))\W*{_POLITE}", re.I)
        lines = [line for line in self.text.splitlines() if line.strip()]
        every = [whole.fullmatch(line) if len(line) <= _LINE else None for line in lines]
        if all(every):
            found = [match for match in every if match]
        else:
            found = [match for match in (every[-1] or every[0],) if match]
            rest = lines[1:] if not every[-1] else lines[:-1]
            if not found or (not every[-1] and any(starts_correction(line) for line in rest)):
                return None
        said = [[_as_listed(one[3], self.words)] if one[3] else numbers_in(one[1] or one[2] or "") for one in found]
        names = [name for one in said for name in one]
        if not names and any(re.search(r"[\w.?…]", one[2] or "") for one in found):
            return None
        return _Found(names, none=not names)

    def by_clauses(self) -> _Found | None:
        """Read what is asked for in any wording. Numbers in clauses that explain or reject something do not count."""
        if len(self.text) > _LOOSE:
            return None
        request = Reader(self.values, self.cues, self.single).read(self.text)
        names = [name for name in request.asked if name not in request.rejected]
        others = set(request.mentioned) - set(names)
        if (
            self.least and "STOP" not in self.values and not request.strong
        ):  # whatever names a label or document means it
            names, others = [*names, *request.mentioned], set()
        if request.unclear or set(request.asked) & request.rejected:
            return _Found()
        if request.none and not request.strong:
            names = []
        legal = set(names) & set(self.values)
        if names:
            clear = not request.none and not others and not (request.stop and legal)
            return _Found(names if clear else [], none=(request.stop or request.none) and not legal)
        if request.none or request.rest or request.stop:
            return _Found(none=True)
        said = [word for word in self.words if re.search(rf"\b{re.escape(word)}\b", self.text)]
        return _Found(said) if said and not others else None


def _as_listed(word: str, words: Sequence[str]) -> str:
    return next(value for value in words if value.lower() == word.lower())
