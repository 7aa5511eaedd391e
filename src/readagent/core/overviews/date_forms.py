"""The forms in which texts tell dates: for each a pattern, and how a match of it is read."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta

from readagent.core.overviews.date_words import (  # fmt: skip
    AFTER_CHRIST,
    ALONE,
    BEFORE_CHRIST,
    CENTURIES,
    CENTURY,
    CJK_SEASONS,
    DAYS,
    DAYS_AFTER_MONTHS,
    DECADES,
    EARLY,
    HOLIDAYS,
    JAPANESE_ERAS,
    MONTHS,
    MONTHS_ALONE,
    ORDINALS,
    SEASONS,
    SLASHED_YEARS,
    YEAR_WORDS,
    YEARS,
    any_of,
    counts,
    follows_years,
    numbered,
    read_alone,
    read_centuries,
    read_century,
    read_days,
    read_decades,
    read_early,
    read_eras,
    read_months,
    read_slashed,
    read_years,
)
from readagent.core.overviews.date_words import YEARS_WITH_ERAS as ERA_SPANS
from readagent.core.patterns import lazy_pattern
from readagent.core.support.units import chinese

Form = tuple[re.Pattern[str], Callable[[re.Match[str]], str]]


_ERA = rf"(?:\s*(?:(?P<bc>{BEFORE_CHRIST})|{AFTER_CHRIST}))"
_YEAR = (
    rf"(?P<year>(?:[12]\d{{3}}|[1-9]\d{{2}})(?![\w]|[.,:]\d)|[1-9]\d{{0,3}}(?=\s*(?:{BEFORE_CHRIST}|{AFTER_CHRIST})))"
    rf"{_ERA}?"
)
_DAY = rf"(?P<day>\d{{1,2}}(?:st|nd|rd|th|er|\.|º|ª|-го)?|(?:{any_of(ORDINALS)})(?!\w))"
_LAST = r"(?:\s*[–-]\s*|\s+(?:to|and|until|bis|au|al|по)\s+)(?:the\s+)?(?P<last>\d{1,2})(?:st|nd|rd|th|\.)?"
_MONTH = rf"(?P<month>{any_of(MONTHS)})(?!\w)\.?"
_OF = r"(?:of\s+|de\s+|del\s+|di\s+|des\s+jahres\s+)?"
_CJK_NUMBER = r"\d{1,2}|[一二三四五六七八九十]{1,4}"

_ISO = (
    r"(?<![\w.,/-])(?P<year>[0-2]\d{3})-(?P<month>\d{2}(?!-\d(?!\d))|\d{1,2}(?=-\d))(?:-(?P<day>\d{1,2}))?(?![\d/]|-\d)"
)
_NAMED_MONTH = rf"(?<![\w.,/-])(?P<day>\d{{1,2}})-(?P<month>{any_of(MONTHS)})\.?-(?P<year>[12]\d{{3}})(?![\w-])"
_MONTH_OF = r"(?<![\w.,/-])(?P<month>0?[1-9]|1[0-2])/(?P<year>1[5-9]\d{2}|20\d{2})(?![\w/]|[.,:-]\d)"
_SLASHED = r"(?<![\w.,/-])(?P<year>[12]\d{3})(?P<mark>[/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?![\w/]|[.]\d)"
NUMERIC = r"(?<![\w./-])(?P<first>\d{1,2})(?P<mark>[./-])(?P<second>\d{1,2})(?P=mark)(?P<year>[12]\d{3})(?!\w|[./-]\d)"
_DAY_FIRST = rf"(?<!\w)(?:{_DAY}(?:{_LAST})?\s*{_OF})?{_MONTH},?\s+{_OF}(?:(?:{YEAR_WORDS})\s+)?{_YEAR}"
_MONTH_FIRST = rf"(?<!\w){_MONTH}\s+(?:the\s+)?{_DAY}(?:{_LAST})?,?\s+(?:in\s+|of\s+)?{_YEAR}"
_CJK = (
    r"(?P<bc>公元前|西元前|紀元前|기원전)?\s*(?P<ce>公元|西元|西暦|서기)?\s*"
    r"(?P<year>(?<!\d)\d{1,4}|[〇零○一二三四五六七八九]{4})\s*[年년](?!代|间|間|来|來|동안|전|대|前(?!后|後))"
    rf"(?:\s*(?:(?P<month>{_CJK_NUMBER})\s*[月월](?:\s*(?P<day>{_CJK_NUMBER})\s*[日号號일])?|(?P<season>[春夏秋冬])))?"
)
_JAPANESE = (
    rf"(?P<era>{any_of(JAPANESE_ERAS)})\s*(?P<year>{_CJK_NUMBER}|元)年(?:\s*(?P<month>{_CJK_NUMBER})月"
    rf"(?:\s*(?P<day>{_CJK_NUMBER})日)?)?"
)
_SEASON = rf"(?<!\w)(?P<season>{any_of(SEASONS)})(?:,?\s+{_OF}|\s+(?:of|in)\s+the\s+year\s+){_YEAR}"
_HOLIDAY = (
    rf"(?<!\w)(?P<holiday>{any_of(HOLIDAYS)})(?:,?\s+{_OF}(?:in\s+)?|\s+(?:of|in)\s+the\s+year\s+)"
    r"(?P<year>[12]\d{3})(?!\w|[.,:]\d)"
)
_QUARTER = (
    r"(?<!\w)(?:Q(?P<a>[1-4])[\s/-]*(?:of\s+)?(?P<y>[12]\d{3})|(?P<z>[12]\d{3})[\s-]?Q(?P<b>[1-4])"
    r"|(?:(?P<c>first|second|third|fourth)\s+quarter|(?P<d>[1-4])(?:st|nd|rd|th|\.)\s+(?:quarter|quartal))"
    r"\s+(?:of\s+)?(?P<x>[12]\d{3}))(?!\d)"
)
_WEEK = (
    r"(?<![\w-])(?:(?P<year>[12]\d{3})-?W(?P<week>\d{2})(?:-?(?P<day>[1-7]))?"
    r"|(?:week|kw)\s+(?P<number>\d{1,2})(?:\s+of\s+|\s*/\s*|,?\s+)(?P<of>[12]\d{3}))(?!\d)"
)
_WITH_ERA = (
    r"(?<![\w.,-])(?:(?P<first>\d{1,2},\d{3}|[1-9]\d{0,4})\s*[–-]\s*)?(?P<year>\d{1,2},\d{3}|[1-9]\d{0,4})"
    rf"\s*(?:(?P<bc>{BEFORE_CHRIST})|{AFTER_CHRIST})|(?<!\w)A\.? ?D\.?\s+(?P<after>[1-9]\d{{0,3}})(?![\w]|[.,]\d)"
)
_NAMED = rf"(?<!\w)(?:{YEAR_WORDS})(?:\s+of\s+(?:our\s+lord|grace))?\s+{_YEAR}(?!\s*[–-]\s*\d)"
_GODU = r"(?<![\w.,-])(?P<year>[1-9]\d{2,3})\s*(?:год[ауе]?(?!\w)|г\.)"
_DECADE = (
    r"(?<![\w.,$€£-])(?:mid-)?(?:(?P<year>1\d{2}0|20\d0)(?:(?:['’]?s|ern?|-[ех]х?)(?!\w)|\s*年代|\s*년대)"
    r"|(?:années|años|anni|anos|d[ée]cada\s+de(?:\s+los\s+años)?)\s+(?P<after>1\d{2}0|20\d0)(?!\w))"
)


_LASTED = lazy_pattern(r"(?:(?<!到)了|历时|歷時|长达|長達|持续|持續|历经|歷經)\s*$")


def _written(year: int, month: int = 0, day: int = 0) -> str:
    """Return a date as it is kept; "" if there is no such day. A leap year may be one of the Julian calendar."""
    if not (-99_999 <= year <= 9999 and year and 0 <= month <= 12 and (month or not day)):
        return ""
    leap = (month, day) == (2, 29) and year % 4 == 0 and year < 1924  # when the last country changed
    if day and not leap and day > monthrange(2000 + year % 400, month)[1]:
        return ""
    written = f"{'-' if year < 0 else ''}{abs(year):04d}"
    return written + (f"-{month:02d}" if month else "") + (f"-{day:02d}" if day else "")


def _span(first: str, last: str) -> str:
    return f"{first}/{last}" if first and last else ""


def _signed(match: re.Match[str]) -> int:
    year = int(match["year"].replace(",", ""))
    return -year if match["bc"] else year


def _plain(match: re.Match[str]) -> str:
    parts = match.groupdict()
    if not parts["day"] and follows_years(match.string, match.start()):  # 1801-05
        return ""
    return _written(int(parts["year"]), int(parts["month"]), int(parts["day"] or 0))


def _numeric(match: re.Match[str]) -> str:
    day, month, year = (int(match[part]) for part in ("first", "second", "year"))
    if not (day and month):
        return ""
    if match["mark"] == ".":
        return _written(year, month, day)
    if month > 12:
        day, month = month, day
    written = _written(year, month, day)
    return written and written + "?" * (day <= 12 and day != month)


def _with_month(match: re.Match[str]) -> str:
    name, day, year = match["month"], match["day"], _signed(match)
    if name == "may" and not day:  # "may 1990 be better"
        return ""
    month, last = MONTHS[name.casefold()], match["last"]
    number = _number(day) if day else 0
    if last and int(last) > number:
        return _span(_written(year, month, number), _written(year, month, int(last)))
    return _written(year, month, number)


def _number(day: str) -> int:
    word = re.sub(r"\s+", " ", day.casefold())
    return ORDINALS[word] if word in ORDINALS else int(re.match(r"\d+", word)[0])  # type: ignore[index]


def _cjk(match: re.Match[str]) -> str:
    named = match["bc"] or match["ce"] or match["month"]
    if not named and (len(match["year"]) < 4 or _lasts(match)):
        return ""  # a number of years
    year = int(match["year"]) if match["year"].isdigit() else int(chinese(match["year"].replace("○", "〇")))
    year = -year if match["bc"] else year
    if match["season"]:
        return _months(year, CJK_SEASONS[match["season"]])
    return _written(year, _cjk_number(match["month"]), _cjk_number(match["day"]))


def _lasts(match: re.Match[str]) -> bool:
    """Whether a number of years is told before them to last: 活了1200年."""
    start = match.start("year")
    return bool(_LASTED.search(match.string[max(0, start - 6) : start]))


def _japanese(match: re.Match[str]) -> str:
    year = JAPANESE_ERAS[match["era"]] - 1 + (1 if match["year"] == "元" else _cjk_number(match["year"]))
    return _written(year, _cjk_number(match["month"]), _cjk_number(match["day"]))


def _cjk_number(text: str | None) -> int:
    return int(text) if text and text.isdigit() else int(chinese(text)) if text else 0


def _month_of(match: re.Match[str]) -> str:
    return "" if numbered(match.string, match.start()) else _written(int(match["year"]), int(match["month"]))


def _named_month(match: re.Match[str]) -> str:
    return _written(int(match["year"]), MONTHS[match["month"].casefold()], int(match["day"]))


def _months(year: int, first: int) -> str:
    """Return three months from the first on."""
    last = first + 2
    return _span(_written(year, first), _written(year + (last > 12), (last - 1) % 12 + 1))


def _season(match: re.Match[str]) -> str:
    return _months(_signed(match), SEASONS[match["season"].casefold()])


def _holiday(match: re.Match[str]) -> str:
    if counts(match.string[match.end() : match.end() + 40]):  # "at Christmas 1200 people came"
        return ""
    return _written(int(match["year"]), *HOLIDAYS[match["holiday"].casefold()])


def _quarter(match: re.Match[str]) -> str:
    number = match["a"] or match["b"] or match["d"] or str(ORDINALS[(match["c"] or "first").casefold()])
    return _months(int(match["x"] or match["y"] or match["z"]), 3 * int(number) - 2)


def _week(match: re.Match[str]) -> str:
    year, week = int(match["year"] or match["of"]), int(match["week"] or match["number"])
    try:
        first = date.fromisocalendar(year, week, int(match["day"] or 1))
    except ValueError:
        return ""
    return str(first) if match["day"] else f"{first}/{first + timedelta(days=6)}"


def _with_era(match: re.Match[str]) -> str:
    if match["after"]:
        return _written(int(match["after"]))
    if not match["first"]:
        return _written(_signed(match))
    first = int(match["first"].replace(",", ""))
    return _span(_written(-first if match["bc"] else first), _written(_signed(match)))


def _named(match: re.Match[str]) -> str:
    return _written(_signed(match))


def _godu(match: re.Match[str]) -> str:
    return _written(int(match["year"]))


def _decade(match: re.Match[str]) -> str:
    year = int(match["year"] or match["after"])
    return f"{year:04d}/{year + (9 if year % 100 else 99):04d}"


def _form(pattern: str, read: Callable[[re.Match[str]], str], flags: int = re.I) -> Form:
    return lazy_pattern(pattern, flags), read


PRECISE = (
    _form(DAYS, read_days), _form(DAYS_AFTER_MONTHS, read_days), _form(MONTHS_ALONE, read_months),
    _form(SLASHED_YEARS, read_slashed), _form(_NAMED_MONTH, _named_month), _form(_MONTH_OF, _month_of),
    _form(_ISO, _plain), _form(_SLASHED, _plain), _form(NUMERIC, _numeric), _form(_DAY_FIRST, _with_month),
    _form(_MONTH_FIRST, _with_month), _form(_CJK, _cjk), _form(_JAPANESE, _japanese), _form(_SEASON, _season),
    _form(_HOLIDAY, _holiday), _form(_QUARTER, _quarter), _form(_WEEK, _week), _form(ERA_SPANS, read_eras, 0),
    _form(_WITH_ERA, _with_era, 0), _form(_NAMED, _named), _form(_GODU, _godu), _form(YEARS, read_years),
    _form(ALONE, read_alone), _form(EARLY, read_early, 0),
)  # fmt: skip
BROAD = (
    _form(DECADES, read_decades), _form(_DECADE, _decade), _form(CENTURIES, read_centuries),
    _form(CENTURY, read_century),
)  # fmt: skip
