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
    if told is None or day_first is None or not told.date.endswith("?"):
        return told
    year, month, day = told.date.removesuffix("?").split("-")
    return Told(f"{year}-{month}-{day}" if day_first else f"{year}-{day}-{month}", told.start, told.end)


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
