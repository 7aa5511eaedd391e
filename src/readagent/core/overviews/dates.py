"""Dates of events: in ISO form, so that they can be put in the order of the calendar.

A date is a year, a month or a day (``1805``, ``1805-12``, ``1805-12-02``), or the first and last of a span
(``1840/1849``). ``-0044`` is 44 BC. Overviews made before may have a question mark after a date.
"""

from __future__ import annotations

from readagent.core.patterns import lazy_pattern

_ISO = lazy_pattern(r"-?\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?")


def iso_date(text: str) -> str:
    """Return a date in ISO form, or a span of two; "" if the text is none."""
    first, slash, last = text.strip().partition("/")
    if not _ISO.fullmatch(first) or (slash and not _ISO.fullmatch(last)):
        return ""
    return first if not slash or first == last else f"{first}/{last}"


def calendar_key(date: str) -> tuple[int, ...]:
    """Return what dates are sorted by: where they begin; of two that begin together the longer one comes first."""
    first, _, last = date.removesuffix("?").partition("/")
    year, month, day = _parts(last or first)
    return *_parts(first), -year, -(month or 12), -(day or 31)


def _parts(date: str) -> tuple[int, int, int]:
    sign = -1 if date.startswith("-") else 1
    year, month, day = [*map(int, date.removeprefix("-").split("-")), 0, 0][:3]
    return sign * year, month, day
