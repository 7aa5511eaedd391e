"""Parse one number or several: pages, labels, documents, elements. The form asked for is ``Page [2, 7]``."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise

from readagent.core.parsing.loose import Reader
from readagent.core.parsing.wordings import (
    ASIDE,
    NONE,
    NOT_ENOUGH,
    NUMBER,
    REJECTS,
    REST,
    TENTATIVE,
    TO,
    corrects,
    counted,
    cued,
    is_reason,
    listed,
    numbers_in,
    sentences,
    starts_correction,
    strict_numbers,
)
from readagent.core.patterns import lazy_pattern

_EMPTY = lazy_pattern(
    r"\W*(?:(?:none|no|nothing|n/?a|null|nil|keine|aucune|ninguna|nessuna|нет|无|なし|없음)\W*)?", re.I
)
_JOINED = lazy_pattern(
    r"[\W_]*(?:(?:and|then|also|plus|und|et|y|e|и|en|i|perhaps|possibly|maybe|if i may|if possible|finally|as well as)"
    r"\b[\W_]*){0,4}",
    re.I,
)
_LISTING = lazy_pattern(
    r"(?:[,;]|\b(?:and|und|et|y|e|и|en|i))(?:\s+(?:also|then|perhaps|possibly|maybe|finally))?\s*$", re.I
)
_OR = lazy_pattern(r"\W*(?:or|oder|ou|или|或|lub)\W*", re.I)
_SAYS_SO = lazy_pattern(r"\bi\b[^.;\n]*\b(?:not|n['’]t|no longer|never|neither)\b|n['’]t\b", re.I)
_ONLY = lazy_pattern(r"\b(?:only|just|alone|yet|before|first)\b", re.I)


class Status(Enum):
    """How a form stands in its sentence."""

    ASKED = 0
    TENTATIVE = 1
    ASIDE = 2
    REJECTED = 3
    UNCLEAR = 4


@dataclass(frozen=True, slots=True)
class Form:
    """A form in a reply: where it is, how it is introduced, and its numbers, which are None if they are unreadable."""

    start: int
    end: int
    lead: str
    numbers: list[str] | None
    status: Status
    quoted: bool


def read_forms(text: str, cues: Sequence[str], single: bool) -> tuple[bool, list[str] | None]:
    """Return whether a reply has the form, and the numbers in it: none if it is empty, and None if that is unclear."""
    found = _found(text, cues, single)
    if not found:
        return False, None
    if any(not form.quoted for form in found):
        found = [form for form in found if not form.quoted]
    if any(form.numbers is not None for form in found):
        found = [form for form in found if form.numbers is not None or form.status is not Status.ASKED]
    return True, _decided(text, found)


def _found(text: str, cues: Sequence[str], single: bool) -> list[Form]:
    cue = cued(cues)
    until = rf"\s?(?:(?:{cue})\s?)?\["  # after "to"
    pattern = rf"(?:{cue})[\s:<(\"'“]{{0,3}}[\[{{]([^\[\]{{}}]*)[\]}}]"
    pattern += rf"((?:\s?(?:{TO}{until}|(?:,|and|or|und|et|y|&)?\s?\[)[^\[\]]*\])*)"
    gap = r"\s*(?:is|at|[:=：]|-+>)[^\w\n]{0,6}\n?[^\w\n]{0,6}"
    pattern += r"|(?!)()" if not single else (rf"|(?:{cued(cues[:1])}){gap}(?:(?:{cue})\W{{0,3}})?({NUMBER})(?!\s?%)")
    made: list[Form] = []
    last = 0
    for match in re.finditer(pattern, text, re.I):
        begin = max(last, _sentence_start(text, match.start()))
        lead = text[begin : match.start()]
        further = re.sub(r"[][]", " , ", re.sub(rf"({TO}){until}", r" \1 ", match[2] or "", flags=re.I))
        content = f"{match[1] or ''}{further}" if match[3] is None else match[3]
        status = _status(lead, begin == last and last > 0)
        if status is not Status.ASKED:
            content = re.sub(r"\bor\b", ",", content)
        numbers: list[str] | None = (
            [] if _EMPTY.fullmatch(content) and "?" not in content and "." not in content else None
        )
        numbers = strict_numbers(content.strip(" ,"), cue) if numbers is None else numbers
        before, after = text[begin - 1 : match.start()], text[match.end() : match.end() + 2]
        quoted = bool(re.search(r"[\"“«「][^\"”»」]*$", before)) and bool(re.search(r"[\"”»」]", after))
        made.append(Form(match.start(), match.end(), lead, numbers, status, quoted))
        last = match.end()
    return made


def _sentence_start(text: str, end: int) -> int:
    return max((mark.end() for mark in re.finditer(r"[.!?;。！？；]\s+|[。！？；\n]|\.\.\.", text[:end])), default=0)


def _status(lead: str, follows: bool) -> Status:
    """Return how a form stands. After another form in its sentence, only the words next to it can reject it."""
    if follows and _JOINED.fullmatch(lead):
        return Status.ASKED
    if re.search(r"\((?=[^()]*$)", lead) and re.search(r"[a-z]", lead.rpartition("(")[2], re.I):
        return Status.ASIDE
    near = re.split(r"[:;–—]|\b(?:so|therefore|thus|hence|but|aber|mais|pero|но)\b", lead)[-1]
    lead = near if near is not lead and ":" in lead else lead
    near = re.split(r",|\b(?:and|und|et|y)\b", near)[-1] if follows else near
    if REJECTS.search(near) and not NOT_ENOUGH.search(near):
        return Status.REJECTED
    if ASIDE.search(near) or (follows and ASIDE.search(lead)):
        return Status.ASIDE
    if TENTATIVE.search(near):
        return Status.TENTATIVE
    return Status.UNCLEAR if follows and REJECTS.search(lead) and not corrects(lead) else Status.ASKED


def _decided(text: str, found: list[Form]) -> list[str] | None:
    asked = [form for form in found if form.status is Status.ASKED]
    if any(form.status is Status.UNCLEAR for form in found) or any(form.numbers is None for form in asked):
        return None
    if not asked:
        return _without_request(text, found)
    for earlier, later in pairwise(tuple(asked)):
        if corrects(text[earlier.end : later.start]):
            asked = asked[asked.index(later) :]
    if any(_OR.match(text, one.end, other.start) for one, other in pairwise(asked)):
        return None
    numbers = [form.numbers or [] for form in asked]
    if any(one != numbers[0] for one in numbers):
        if all(numbers) and all(_joined(text, one, other) for one, other in pairwise(asked)):
            return _with_further(text, asked[-1], [number for one in numbers for number in one])
        if not _is_last_line(text, asked[-1]):
            return None
    if _taken_back(text[asked[-1].end :], bool(numbers[-1])):
        return None
    return _with_further(text, asked[-1], numbers[-1])


def _without_request(text: str, found: list[Form]) -> list[str] | None:
    """Return what a reply means whose forms are all negated, tentative or in a reason."""
    rest = text
    for form in reversed(found):
        rest = rest[: form.start] + rest[form.end :]
    none = bool(NONE.search(NOT_ENOUGH.sub(" ", rest)))
    says_so = all(form.status is Status.REJECTED and _SAYS_SO.search(text[: form.start]) for form in found)
    if (none or says_so) and not re.search(r"\d", rest) and not _ONLY.search(rest):
        return []
    one = {tuple(form.numbers or ()) for form in found if form.status is Status.TENTATIVE}
    contrast = re.search(r"\b(?:but|however|though|aber|mais|pero|но)\b", text[found[-1].end :], re.I)
    tentative = len(one) == 1 and all(form.status is Status.TENTATIVE for form in found)
    return list(one.pop()) or None if tentative and not none and not contrast else None


def _joined(text: str, earlier: Form, later: Form) -> bool:
    """Return whether two forms ask for pages one as the other: "Page [2] to see x and Page [5] to see y"."""
    between = text[earlier.end : later.start]
    if _JOINED.fullmatch(between):
        return True
    if later.lead == between:
        return bool(_LISTING.search(between))
    words = [re.sub(r"\W+|\balso\b", " ", form.lead).split() for form in (earlier, later)]
    return words[0][:3] == words[1][:3]


def _with_further(text: str, form: Form, numbers: list[str]) -> list[str] | None:
    """Return the numbers with those that follow as "Page 9 for ..." or "and [9]" in the same sentence."""
    rest = re.split(r"[.!?;]\s|\n", text[form.end :])[0]
    also = re.match(
        rf"(?:\s*\([^()]*\)|\s+(for|to)\b[^,;]*?)?\s*(?:,|,? and)\s+(?:(?:pages?\s+)({NUMBER})\s+(?=\1\b)"
        rf"|\[([^\[\]]*)\])",
        rest,
        re.I,
    )
    if numbers and also and (also[1] or also[3]):
        return [*numbers, *numbers_in(also[2] or also[3])]
    return None if numbers and re.match(r"\W*(?:or|oder|ou|или|或)\b", rest, re.I) else numbers


def _is_last_line(text: str, form: Form) -> bool:
    """Return whether a form begins the last sentence or line of a reply, after words that introduce it at most."""
    rest = text[form.end :]
    return len(form.lead) <= 60 and not re.search(r"\d", form.lead) and "\n" not in rest.strip()


def _taken_back(rest: str, asks: bool) -> bool:
    """Return whether what follows a form takes it back."""
    after = sentences(rest)[1:]
    if any(starts_correction(one) for one in sentences(rest)):
        return True
    return asks and any(NONE.search(one) and not REST.search(one) and not re.search(r"\d", one) for one in after)


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
        if not re.search(rf"^\|\s*(?:{cued(self.cues)})\b", self.text, re.I | re.M):
            return None
        names = re.findall(r"^\|[^\d|]*(\d+)\s*\|", self.text, re.M)
        return _Found(names) if names else None

    def by_list(self) -> _Found | None:
        """Read a list with a value at the beginning of every line, perhaps numbered, each with a reason after it."""
        lines = self.text.splitlines()
        if len(lines) > 1 and not re.search(r"\d", lines[0]) and lines[0].rstrip().endswith((":", "：")):
            lines = lines[1:]
        some = listed(cued(self.cues), counted(self.cues))
        item = re.compile(
            rf"\W*(?:{cued(self.cues)})\W{{0,3}}({some})(?![\w%])(?P<why>.*)"
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
        some = listed(cued(self.cues), counted(self.cues))
        word = "|".join(map(re.escape, self.words)) or r"(?!)"
        label = rf"(?:{_ANNOUNCES}|(?:{cued(self.cues)})\W*)?(?:(?:{cued(self.cues)})\W*)?"
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
