"""Spans of dates as texts tell them: "30 April to 2 May 1976", "1939/40", "10 BC to 5 AD", "the 1990s and 2000s"."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable

from readagent.core.overviews.date_words import AFTER_CHRIST, BEFORE_CHRIST, MONTHS, NUMBERED
from readagent.core.patterns import lazy_pattern


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for any of these words."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_NAMES = any_of(MONTHS)
_OF = r"(?:of\s+|de\s+|del\s+|di\s+)?"
_TO = r"(?:\s*[–—-]\s*|\s+(?:to|until|till|through|and|bis|und|au|et|al|a|y|e|по|и)\s+)(?:the\s+|el\s+|le\s+|zum\s+)?"
_ENDING = r"(?:st|nd|rd|th|er|\.|º|-го)?"
_YEAR = r"[12]\d{3}(?!\w|[.,:/-]\d)"
DAYS = (
    rf"(?<![\w.,/-])(?P<day>\d{{1,2}}){_ENDING}\s*{_OF}(?P<month>{_NAMES})(?!\w)\.?(?:,?\s+{_OF}(?P<from>{_YEAR}))?{_TO}"
    rf"(?P<last>\d{{1,2}}){_ENDING}\s*{_OF}(?P<until>{_NAMES})(?!\w)\.?,?\s+{_OF}(?P<year>{_YEAR})"
)
DAYS_AFTER_MONTHS = (
    rf"(?<!\w)(?P<month>{_NAMES})(?!\w)\.?\s+(?P<day>\d{{1,2}}){_ENDING}(?:,?\s+(?P<from>{_YEAR}))?,?{_TO}"
    rf"(?P<until>{_NAMES})(?!\w)\.?\s+(?P<last>\d{{1,2}}){_ENDING},?\s+(?P<year>{_YEAR})"
)
MONTHS_ALONE = (
    rf"(?:(?<!\w)(?P<between>from|between|von|zwischen|de|entre|с|между)\s+)?(?<![\w.])(?P<month>{_NAMES})(?!\w)\.?"
    rf"(?:\s+{_OF}(?P<from>{_YEAR}))?(?:(?P<mark>\s*[/–—-]\s*)|\s+(?P<word>to|until|till|through|and|bis|und|à|et|a|y|по|и)\s+)"
    rf"(?P<until>{_NAMES})(?!\w)\.?\s+{_OF}(?P<year>{_YEAR})"
)
SLASHED_YEARS = r"(?<![\w.,/$€£-])(?P<year>[12]\d{3})/(?P<last>[12]\d{3}|\d{2})(?!\w|[./:-]\d|/)"
_EARLY = r"\d{1,2},\d{3}|[1-9]\d{0,4}"  # a year with its era after it
_AFTER = r"A\.? ?D\.?\s+"
ERAS = (
    rf"(?:(?<!\w)(?P<between>from|between|von|zwischen|de|entre)\s+)?(?<![\w.,-])"
    rf"(?:(?P<first>{_EARLY})(?:\s*(?:(?P<bc>{BEFORE_CHRIST})|(?P<ad>{AFTER_CHRIST})))?|{_AFTER}(?P<early>[1-9]\d{{0,3}}))"
    r"(?:\s*[–—-]\s*|\s+(?:to|until|till|through|bis|à|a|al)\s+|\s+(?P<and>and|und|et|y)\s+)"
    rf"(?:(?P<last>{_EARLY})\s*(?:(?P<until_bc>{BEFORE_CHRIST})|{AFTER_CHRIST})|{_AFTER}(?P<late>[1-9]\d{{0,3}}))"
)
_DECADE = r"(?:mid-|(?:early|mid|late)\s+)?(?P<{}>1\d{{2}}0|20\d0)(?:['’]?s|ern?)(?!\w)"
DECADES = (
    rf"(?<![\w.,$€£-]){_DECADE.format('first')}"
    rf"(?:\s*[–—-]\s*|\s+(?:to|until|through|and|or|into|bis|und|oder)\s+)(?:the\s+|die\s+)?{_DECADE.format('last')}"
)
_AND = frozenset(("and", "und", "et", "y", "и"))
_NUMBERED = lazy_pattern(rf"(?:^|[\W\d])(?:{NUMBERED.replace(' ', '|')})\.?\s*[:(]?\s*$", re.I)


def numbered(text: str, at: int) -> bool:
    """Return whether a word before an offset says that a number is none of a date: "room", "page"."""
    return bool(_NUMBERED.search(text[max(0, at - 40) : at]))


def read_days(match: re.Match[str]) -> str:
    """Return the first and the last day of a span."""
    year, month, until = int(match["year"]), MONTHS[match["month"].casefold()], MONTHS[match["until"].casefold()]
    first = int(match["from"]) if match["from"] else year - (month > until)
    start, end = (first, month, int(match["day"])), (year, until, int(match["last"]))
    if start >= end or not all(0 < day <= monthrange(2000, month)[1] for _, month, day in (start, end)):
        return ""
    return "/".join(f"{one[0]:04d}-{one[1]:02d}-{one[2]:02d}" for one in (start, end))


def read_months(match: re.Match[str]) -> str:
    """Return the first and the last month of a span. Two with "and" are one only if they follow each other."""
    year, month, until = int(match["year"]), MONTHS[match["month"].casefold()], MONTHS[match["until"].casefold()]
    first = int(match["from"]) if match["from"] else year - (month > until)
    months = 12 * (year - first) + until - month
    two = (match["word"] or "").casefold() in _AND and not match["between"]
    return "" if months <= 0 or (two and months > 1) else f"{first:04d}-{month:02d}/{year:04d}-{until:02d}"


def read_slashed(match: re.Match[str]) -> str:
    """Return 1939/40 as two years, and 2021/07 as a month."""
    if numbered(match.string, match.start()):
        return ""
    year, last = int(match["year"]), match["last"]
    if int(last) in (year + 1, (year + 1) % 100):
        return f"{year:04d}/{year + 1:04d}"
    return f"{year:04d}-{int(last):02d}" if 1 <= int(last) <= 12 else ""


def read_eras(match: re.Match[str]) -> str:
    """Return the first and the last year of a span before or after Christ."""
    if match["and"] and not match["between"]:
        return ""
    named = match["bc"] or match["ad"] or match["early"]
    if not (named or match["between"]):
        return ""
    first, last = (int((one or two).replace(",", "")) for one, two in
                   ((match["first"], match["early"]), (match["last"], match["late"])))  # fmt: skip
    last = -last if match["until_bc"] else last
    first = -first if match["bc"] or (not named and match["until_bc"]) else first
    return f"{_era_year(first)}/{_era_year(last)}" if first < last and last <= 9999 else ""


def _era_year(year: int) -> str:
    return f"{'-' if year < 0 else ''}{abs(year):04d}"


def read_decades(match: re.Match[str]) -> str:
    """Return the first and the last year of several decades."""
    first, last = int(match["first"]), int(match["last"])
    return f"{first:04d}/{last + (9 if last % 100 else 99 if first % 100 == 0 else 9):04d}" if first < last else ""
