"""Read what a reply asks for in any wording, where the form is missing. What cannot be accounted for is unclear."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from readagent.core.parsing.wordings import (
    ALTERNATIVES,
    ASKS,
    DECIDES,
    DOUBT,
    NONE,
    NOT_ENOUGH,
    NUMBER,
    ORDINALS,
    REJECTS,
    RELATIVE,
    REST,
    clauses,
    counted,
    cued,
    is_reason,
    listed,
    numbers_in,
    starts_correction,
    without_purpose,
)
from readagent.core.patterns import lazy_pattern

_STOP = lazy_pattern(
    r"(?-i:\bSTOP\b)|^\W*(?:(?:so|and|now|therefore)\W+)?(?:i\b(?:['’]ll| can| will| may| shall| want to"
    r"| would like to)?"
    r"(?: now)? )?(?:stopp?|end|finish)(?: here| now| reading)?\W*$|СТОП|стоп|停止|終了|\barrêt\b",
    re.I,
)
_NOT_STOP = lazy_pattern(
    r"(?:\b(?:not|never|then|before|will|would|should)|n['’]t)\b[^.]{0,20}\bstop|\bstop\b.*\?\s*$", re.I
)
_TO_USER = lazy_pattern(r"\byou (?:did|do|have|gave|provided|haven)", re.I)
_REPLACED = (
    r"(?:rather than|instead of|over|and not|but not|not|skip(?:ping)?|except(?: for)?|(?:aber |und "
    r"|and )?nicht(?: aber)?"
    r"|statt|anstelle von|et non|pas|mais pas|au lieu de|en lugar de|y no|e non|invece di|e não|а не|не|niet|inte)"
)
_BECAUSE = lazy_pattern(r"\W*(?:because|since|as|for|denn|weil|parce que|porque|потому)\b", re.I)
_SMALL = r"\b(?:the|an?|and|of|for|die|der|das|und|les?|la|et|el|los|las|y)\b"
_FEW = 2  # words besides numbers in a clause that does nothing but name pages, small words not counted
_VERB = r"(?:read|open|take|choose|pick|see|with|need|want|prefer|say|break at|pause at|then|mainly|likely|only)"


@dataclass(slots=True)
class Request:
    """What a reply names: what it asks for, what it rejects and what it only mentions; and whether it wants none.

    ``strong`` is whether it asks in so many words, or names numbers and nothing else.
    """

    asked: list[str] = field(default_factory=list)
    rejected: set[str] = field(default_factory=set)
    mentioned: list[str] = field(default_factory=list)
    none: bool = False
    rest: bool = False
    stop: bool = False
    unclear: bool = False
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads requests for these values, which follow one of the cues."""

    values: tuple[str, ...]
    cues: tuple[str, ...]
    single: bool

    def read(self, text: str) -> Request:
        """Return what a reply asks for."""
        request = Request()
        left = self._replaced.sub(lambda found: self._reject(request, found[0]), text)
        said = clauses(left)
        corrected = wants = False
        for clause, following in pairwise([*said, ""]):
            self._say(request, clause)
            corrected = corrected or starts_correction(clause)
            asked = without_purpose(clause)
            wants = wants or bool(NOT_ENOUGH.search(clause)) or bool(_BECAUSE.match(following))
            found = list(self._mentions(asked, wants))
            wants = wants or bool(found) or bool(ASKS.search(clause) or re.search(cued(self.cues), clause, re.I))
            if ((DOUBT.search(clause) or RELATIVE.search(clause)) and not self._none(clause)) or (
                found and ALTERNATIVES.search(asked) and not REJECTS.search(asked)
            ):
                request.unclear = True
            elif found:
                self._place(request, asked, found, corrected)
                corrected = corrected and not request.asked
        return request

    def _place(self, request: Request, clause: str, found: list[str], corrected: bool) -> None:
        """Add the numbers of a clause to what is asked for, rejected or only mentioned."""
        said = NOT_ENOUGH.sub(" ", clause)
        others = len(re.findall(r"[^\W\d_]+", re.sub(rf"{cued(self.cues)}|{NUMBER}|{_SMALL}", " ", said, flags=re.I)))
        if is_reason(clause) or REJECTS.search(said) or NONE.search(said):
            if REJECTS.search(said):
                request.rejected.update(found)
        elif ASKS.search(clause) or others <= _FEW:
            decides = bool(DECIDES.search(clause)) and request.unclear
            if corrected or decides:
                request.asked.clear()
                request.mentioned.clear()
                request.none = request.unclear = False
            request.asked += found
            request.strong = request.strong or others == 0 or bool(ASKS.search(clause))
        else:
            request.mentioned += found

    def _say(self, request: Request, clause: str) -> None:
        """Note whether a clause says that no page is wanted, no other one, or to stop."""
        if clause.rstrip().endswith("?") or _TO_USER.search(clause):
            return
        if self._none(clause):
            rest = bool(REST.search(clause))
            request.none, request.rest = request.none or not rest, request.rest or rest
        request.stop = request.stop or (
            "STOP" in self.values and bool(_STOP.search(clause)) and not _NOT_STOP.search(clause)
        )

    @staticmethod
    def _none(clause: str) -> bool:
        return bool(NONE.search(NOT_ENOUGH.sub(" ", clause)))

    @property
    def _list(self) -> str:
        return listed(cued(self.cues), counted(self.cues) if "page" in self.cues else r"(?!)")

    @property
    def _replaced(self) -> re.Pattern[str]:
        """A pattern for what is named only to be replaced or left out: "not Page 3", "rather than 3 and 4"."""
        some = rf"(?:(?:on|auf|à|la|le|les|die|the|sur)\s+){{0,2}}(?:{cued(self.cues)}|[<\[(]|第)?{self._list}"
        return re.compile(rf"\b{_REPLACED}\s+{some}(?![\w%])", re.I)

    def _reject(self, request: Request, phrase: str) -> str:
        request.rejected.update(numbers_in(phrase))
        return " , "

    def _mentions(self, clause: str, wants: bool) -> Iterator[str]:
        """Yield the numbers of a clause that follow a cue, are followed by one, or stand where one is asked for."""
        cue, after = cued(self.cues), counted(self.cues)
        gap = r"(?:\s*(?:numbers?|no\.|nr\.|is|are|at|on|of|from))?[\s:#<(\"'“„«-]{0,6}"
        found = [match[0] for match in re.finditer(rf"(?:{cue}){gap}{self._list}", clause, re.I)]
        if not found and after != r"(?!)":
            lists = (match[0] for match in re.finditer(rf"(?:第\s?)?{self._list}", clause, re.I))
            found = [one for one in lists if re.search(rf"(?:{after})\Z", one)]
        found += re.findall(r"<\s*\d+\s*>", clause) if self.single and not found else []
        found += [] if found else self._bare(clause, wants)
        for mention in found:
            yield from numbers_in(mention)
        if not found:
            yield from self._by_place(clause)

    def _bare(self, clause: str, wants: bool) -> Sequence[str]:
        """Return the numbers of a clause without a cue that has nothing else, or a verb that asks right before them."""
        if wants and re.fullmatch(rf"\W*{self._list}\W*(?:as well|too)?\W*", clause, re.I):
            return [clause]
        found = re.search(
            rf"\b{_VERB}\s+({self._list})(?=\W*(?:$|(?:it is|in full|as well|too|again)\b))", clause, re.I
        )
        return [found[1]] if found else []

    def _by_place(self, clause: str) -> Iterator[str]:
        """Yield what "the first page" or "the fifth label" names; with numbers from 0, only the first and the last."""
        cue = cued(self.cues)
        for word in re.findall(rf"\b({'|'.join(ORDINALS)}|last)\s+(?:{cue})\b", clause.lower()):
            place = -1 if word == "last" else ORDINALS.index(word)
            if self.values[0] == "1" or place in (0, -1):
                digits = [value for value in self.values if value.isdigit()]
                yield from digits[place:][:1]
        if self.values[0] == "1":
            yield from re.findall(rf"\b(\d+)(?:st|nd|rd|th)\s+(?:{cue})\b", clause.lower())
