"""Dates as texts tell them, so that events can be put in the order of the calendar.

A date is written as a year, a month or a day (``1805``, ``1805-12``, ``1805-12-02``), or as the first and last of a
span (``1840/1849``). ``-0044`` is 44 BC. A question mark follows if day and month could be read the other way round.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from readagent.core.overviews.date_forms import BROAD, NUMERIC, PRECISE, Form
from readagent.core.patterns import lazy_pattern

_DIGIT = lazy_pattern(r"[^\D0-9]")
_PART = r"early|mid|late|anfang|mitte|ende|début|fin|principios de|finales de"
_TO = lazy_pattern(  # between the first and the last date of a span
    r"(?:\s+(?:to|until|till|through|up\s+to|bis|jusqu['’]en|hasta|até|fino\s+al|по|до)\s+|(?P<and>\s+(?:and|und|et|y|e|и)\s+)"
    r"|\s?–\s?|(?<=\d)-(?=\d)|\s+-\s+)(?:(?:in|about|around|zum|im)\s+)?(?:the\s+|den\s+|dem\s+)?"
    rf"(?:(?:(?:beginning|middle|end)\s+of\s+(?=\d)|(?:{_PART})(?:\s+in)?[\s-]+))?(?:the\s+)?",
    re.I,
)
_BETWEEN = lazy_pattern(
    r"\b(?:between|zwischen|entre|tra|fra|между)\s+(?:(?:the|den|les|los)\s+)?(?:years\s+|jahren\s+|années\s+|años\s+)?"
    rf"(?:(?:(?:beginning|middle|end)\s+of|{_PART})[\s-]+)?$",
    re.I,
)
_BEFORE = 60  # characters before a date that are looked at
_MAY_HAVE_DATE = lazy_pattern(r"\d|[年世]|entur|ENTUR|iècle|iglo|ecolo|éculo|век")


@dataclass(frozen=True, slots=True)
class Told:
    """A date, and the offsets of the words of a text that tell it."""

    date: str
    start: int
    end: int


def find_date(text: str, day_first: bool | None = None) -> Told | None:
    """Return the first date in a text; a decade or a century only if it has no other. It never raises.

    ``day_first`` says how 2/12/1805 is to be read. Without it the day is taken to come first, and the date is marked.
    """
    if not _MAY_HAVE_DATE.search(text):
        return None
    plain = _plain_digits(text)
    told = _earliest(PRECISE, plain) or _earliest(BROAD, plain)
    if told is None:
        return None
    last = None if "/" in told.date and told.date[-1] == "?" else _end_of_span(plain, told)
    first = _read(told.date, day_first)
    if last is None or not _follows(_read(last.date, day_first), first):
        return Told(first, told.start, told.end)
    return Told(_span(first, _read(last.date, day_first)), told.start, last.end)


def _read(date: str, day_first: bool | None) -> str:
    """Return a date with its day and month in this order; None leaves them as they are."""
    if day_first is None or not date.endswith("?"):
        return date
    year, month, day = date.removesuffix("?").split("-")
    return f"{year}-{month}-{day}" if day_first else f"{year}-{day}-{month}"


def _end_of_span(text: str, first: Told) -> Told | None:
    """Return the date that a span ends with, such as "early 1712" after "late 1711 to"; None if there is no span."""
    joint = _TO.match(text, first.end)
    if joint is None or (joint["and"] and not _BETWEEN.search(text[max(0, first.start - _BEFORE) : first.start])):
        return None
    forms = BROAD if any(_match(one, text, first.start) for one in BROAD) else (*PRECISE, *BROAD)
    found = [one for one in (_match(form, text, joint.end()) for form in forms) if one]
    return max(found, key=lambda one: one.end, default=None)


def _match(form: Form, text: str, at: int) -> Told | None:
    match = form[0].match(text, at)
    date = form[1](match) if match else ""
    return Told(date, match.start(), match.end()) if match and date else None


def _span(first: str, last: str) -> str:
    doubt = "?" * (first.endswith("?") or last.endswith("?"))
    return f"{first.rstrip('?').partition('/')[0]}/{last.rstrip('?').rpartition('/')[2]}{doubt}"


def _follows(last: str, first: str) -> bool:
    """Whether one date ends after another has ended."""
    ends = [_parts(one.rstrip("?").rpartition("/")[2]) for one in (first, last)]
    return (ends[0][0], ends[0][1] or 12, ends[0][2] or 31) < (ends[1][0], ends[1][1] or 12, ends[1][2] or 31)


def _earliest(forms: Sequence[Form], text: str) -> Told | None:
    found: list[Told] = []
    for pattern, read in forms:
        for match in pattern.finditer(text):
            if date := read(match):
                found.append(Told(date, match.start(), match.end()))
                break
    return min(found, key=lambda one: (one.start, -one.end), default=None)


def _plain_digits(text: str) -> str:
    """Return a text with the digits of all scripts as 0 to 9."""
    return text if text.isascii() else _DIGIT.sub(lambda digit: str(int(digit[0])), text)


def date_in(text: str, day_first: bool | None = None) -> str:
    """Return the first date in a text; "" if there is none. See ``find_date``."""
    told = find_date(text, day_first)
    return told.date if told else ""


def day_comes_first(text: str) -> bool | None:
    """Return how a text writes dates such as 2/12/1805, if those with a number above 12 all show the same order."""
    orders = {int(one["first"]) > 12 for one in re.finditer(NUMERIC, text)
              if one["mark"] != "." and (int(one["first"]) > 12) != (int(one["second"]) > 12)}  # fmt: skip
    return orders.pop() if len(orders) == 1 else None


def calendar_key(date: str) -> tuple[int, ...]:
    """Return what dates are sorted by: where they begin; of two that begin together the longer one comes first."""
    first, _, last = date.removesuffix("?").partition("/")
    year, month, day = _parts(last or first)
    return *_parts(first), -year, -(month or 12), -(day or 31)


def _parts(date: str) -> tuple[int, int, int]:
    sign = -1 if date.startswith("-") else 1
    year, month, day = [*map(int, date.removeprefix("-").split("-")), 0, 0][:3]
    return sign * year, month, day
