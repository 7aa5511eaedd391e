"""Dates as texts tell them, so that events can be put in the order of the calendar."""

from __future__ import annotations

import re

from readagent.core.patterns import lazy_pattern

_MONTHS = (
    "jan|januar|january|janvier|enero|gennaio|января|январь",
    "feb|februar|february|février|fevrier|febrero|febbraio|февраля|февраль",
    "mar|märz|march|mars|marzo|марта|март", "apr|april|avril|abril|aprile|апреля|апрель", "may|mai|mayo|maggio|мая|май",
    "jun|juni|june|juin|junio|giugno|июня|июнь", "jul|juli|july|juillet|julio|luglio|июля|июль",
    "aug|august|août|aout|agosto|августа|август", "sep|sept|september|septembre|septiembre|settembre|сентября|сентябрь",
    "oct|okt|oktober|october|octobre|octubre|ottobre|октября|октябрь", "nov|november|novembre|noviembre|ноября|ноябрь",
    "dec|dez|dezember|december|décembre|decembre|diciembre|dicembre|декабря|декабрь",
)  # fmt: skip
_NUMBER_OF = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split("|")}
_MONTH = "|".join(sorted(_NUMBER_OF, key=len, reverse=True))
_YEAR = r"(?P<year>[12]\d{3}|[1-9]\d{2})"
_ISO = lazy_pattern(r"(?<!\d)(?P<year>\d{4})-(?P<month>\d{2})(?:-(?P<day>\d{2}))?(?!\d)")
_CJK = lazy_pattern(r"(?P<year>\d{3,4})\s*年(?:\s*(?P<month>\d{1,2})\s*月(?:\s*(?P<day>\d{1,2})\s*[日号])?)?")
_DAY_FIRST = lazy_pattern(
    rf"(?<!\w)(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.|er|º)?\s+(?:of\s+|de\s+)?)?(?P<month>{_MONTH})\.?(?!\w),?\s+"
    rf"(?:of\s+|de\s+)?{_YEAR}(?!\d)",
    re.I,
)
_MONTH_FIRST = lazy_pattern(
    rf"(?<!\w)(?P<month>{_MONTH})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+{_YEAR}(?!\d)", re.I
)
_NUMERIC = lazy_pattern(r"(?<!\d)(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})(?!\d)")
_BEFORE = lazy_pattern(r"(?<!\d)(?P<year>\d{1,4})\s*(?:B\.?C\.?(?:E\.?)?|v\. ?Chr\.?|av\. J\.-C\.)(?!\w)", re.I)
_ALONE = lazy_pattern(  # a number that is rarely anything else but a year
    r"(?<![\d.,$€£#:/-])(?P<year>1[0-9]{3}|20[0-9]{2})(?!\d|[.,:/]\d|\s*(?:%|°|(?:[kcm]?m|[km]?g|lbs?|ft|mph|hp|kw|mb|gb)\b)"
    r"|\s+(?:per|miles|men|people|words|dollars|feet|pounds|years|times|kilometres|metres|tons)\b)"
)


def date_in(text: str) -> str:
    """Return the first date in a text as ``1805``, ``1805-12`` or ``1805-12-02``; "" if there is none."""
    if before := _BEFORE.search(text):
        return f"-{int(before['year']):04d}"
    for pattern in (_ISO, _CJK, _MONTH_FIRST, _DAY_FIRST, _NUMERIC):
        if match := pattern.search(text):
            parts = match.groupdict()
            month, day = _month(parts.get("month")), int(parts.get("day") or 0)
            if month is None or day > 31:
                continue
            year = int(parts["year"])
            return f"{year:04d}" + (f"-{month:02d}" if month else "") + (f"-{day:02d}" if month and day else "")
    alone = _ALONE.search(text)
    return f"{int(alone['year']):04d}" if alone else ""


def _month(text: str | None) -> int | None:
    """Return the number of a month, 0 if none is given, and None if it is not one."""
    if not text:
        return 0
    number = int(text) if text.isdigit() else _NUMBER_OF.get(text.casefold(), 0)
    return number if 1 <= number <= 12 else None


def calendar_key(date: str) -> tuple[int, int, int]:
    """Return what dates are sorted by; a year comes before its months."""
    sign = -1 if date.startswith("-") else 1
    year, month, day = [*map(int, date.removeprefix("-").split("-")), 0, 0][:3]
    return sign * year, month, day
