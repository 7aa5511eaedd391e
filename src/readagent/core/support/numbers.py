"""The numbers of a text as values, so that 1,500 and "fifteen hundred", 25 and "twenty-five" are equal."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from readagent.core.patterns import lazy_pattern
from readagent.core.support.units import (
    CJK_SCALES,
    MONTH_BESIDE,
    MONTHS,
    PRECISE,
    SCALES,
    SUFFIXES,
    WORDS,
    chinese,
    unit_after,
    unit_before,
)

_TOKEN = lazy_pattern(
    r"(?P<date>\b\d{1,2}(?P<mark>[./])\d{1,2}(?P=mark)\d{4}\b|\b\d{4}-\d\d-\d\d\b)"
    r"|(?P<minus>(?<![\w.])[-−])?(?P<short>['’])?(?P<digits>\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)(?:[.,]\d+)?"
    r"|\d+(?:[,.'’]\d{3})*(?:[.,]\d+)?)(?:(?P<decade>['’]?s\b|er\b)|st\b|nd\b|rd\b|th\b)?"
    r"(?P<after>(?:k|mn|bn)\b|[百千万萬亿億])?"
    r"|(?P<cjk>[零一二三四五六七八九〇两兩十百千万萬亿億]{2,})|(?P<word>[^\W\d_\u3040-\u9fff]+)",
    re.I,
)
_THOUSANDS = lazy_pattern(r"\d{1,3}(?:[,.'’ \u00a0\u202f]\d{3})+")
_CENTURY = lazy_pattern(r"\s*-?(?:century|jahrhundert|siècle|siglo|secolo|século|век|世纪|世紀)", re.I)
_MILLIONS = lazy_pattern(r"\s?m\b", re.I)
_LETTERS = lazy_pattern(r"[^\W\d_]+")
_YEARS = 1000, 2100
_LIKE_A_DATE = frozenset(("month", "date"))


@dataclass(frozen=True, slots=True)
class Number:
    """A value with its unit: that of a measure or currency, or month, date, decade, century, or short for '52.

    ``year`` if it is written as years are.
    """

    value: Decimal
    unit: str = ""
    year: bool = False

    def matches(self, other: Number) -> bool:
        """Return whether a number of a quote has this value, and its unit does not differ.

        A number without a unit may have any, but for a year, which is no amount of money and no percentage.
        """
        if other.year and self.unit in _SPANS:
            return _SPANS[self.unit](self.value, other.value)
        if self.value != other.value:
            return False
        if self.unit in _LIKE_A_DATE or other.unit in _LIKE_A_DATE:
            units = {self.unit, other.unit}
            return len(units) == 1 or units == _LIKE_A_DATE or ("date" in units and "" in units)
        if not other.unit:
            return not (other.year and self.unit in PRECISE)
        return not self.unit or self.unit == other.unit


def numbers(text: str) -> list[Number]:
    """Return the numbers of a text, in digits or words. "One", "first" and "second" are no numbers here."""
    reader = _Reader(text)
    for token in _TOKEN.finditer(text):
        reader.read(token)
    reader.close()
    return [one for one in reader.found if one.value != 1 or one.unit]


def months(text: str) -> list[Number]:
    """Return the months that a text names beside a number, as in a date."""
    return [month(match["after"] or match["before"]) for match in MONTH_BESIDE.finditer(text)]


def any_months(text: str) -> list[Number]:
    """Return all words of a text that may be names of months."""
    return [month(word) for word in _LETTERS.findall(text) if word.casefold() in MONTHS]


def month(name: str) -> Number:
    """Return a month as a number."""
    return Number(Decimal(MONTHS[name.casefold()]), "month")


class _Reader:
    """Reads numbers token by token; a number may have several: 3.5 million, two hundred and five."""

    def __init__(self, text: str) -> None:
        self.found: list[Number] = []
        self._text = text
        self._parts: list[Decimal] = []
        self._unit = ""
        self._end = 0
        self._in_digits = self._year = False

    def read(self, token: re.Match[str]) -> None:
        """Read a token: a date, a number in digits or Chinese numerals, or a word."""
        if token["date"]:
            self.close()
            self.found += _date(token["date"])
        elif token["digits"]:
            self._start(token)
        elif token["cjk"]:
            self.close()
            self._parts, self._end, self._in_digits = [chinese(token["cjk"])], token.end(), True
        else:
            self._word(token["word"].casefold(), token.end())

    def close(self) -> None:
        """End the number that is being read."""
        if self._parts:
            unit = self._unit or unit_after(self._text, self._end)
            self.found.append(Number(_total(self._parts), unit, self._year and len(self._parts) == 1 and not unit))
        self._parts, self._unit, self._in_digits, self._year = [], "", False, False

    def _start(self, token: re.Match[str]) -> None:
        self.close()
        text, after = token["digits"], (token["after"] or "").lower()
        scale = SUFFIXES.get(after) or CJK_SCALES.get(after, 1)
        value = _digits(text) * (-1 if token["minus"] else 1) * scale
        self._parts, self._end, self._in_digits = [value], token.end(), True
        self._year = text.isdigit() and _YEARS[0] <= value <= _YEARS[1]
        if token["decade"] and self._year and value % 10 == 0:
            self._unit = "decade"
        elif _CENTURY.match(self._text, token.end()):
            self._unit = "century"
        elif token["short"] and len(text) == 2:
            self._unit = "short"
        elif self._text.startswith("月", token.end()):
            self._unit = "month"
        else:
            self._unit = unit_before(self._text, token.start())
            if self._unit and _MILLIONS.match(self._text, token.end()):  # $5m
                self._parts.append(Decimal(10**6))

    def _word(self, word: str, end: int) -> None:
        value = WORDS.get(word)
        if value is None:
            if not (word == "and" and self._parts and self._parts[-1] in (100, 1000)):
                self.close()
            return
        if self._parts and word not in SCALES and (self._in_digits or not value < self._parts[-1] >= 20):
            self.close()
        self._parts.append(Decimal(value))
        self._end = end


_SPANS: dict[str, Callable[[Decimal, Decimal], bool]] = {  # whether a year is in the 1950s, the 20th century, '52
    "decade": lambda value, year: year // 10 == value // 10,
    "century": lambda value, year: (year - 1) // 100 + 1 == value,
    "short": lambda value, year: year % 100 == value,
}


def _date(text: str) -> list[Number]:
    """Return day, month and year of a date in digits; of 5/12 nobody knows which is the month."""
    first, second, third = re.split(r"\D", text)
    day, month, year = (third, second, first) if "-" in text else (first, second, third)
    units = ("date", "date") if "/" in text else ("", "month")
    days = [Number(Decimal(one), unit) for one, unit in zip((day, month), units, strict=True)]
    return [*days, Number(Decimal(year), year=True)]


def _total(parts: list[Decimal]) -> Decimal:
    """Return the value of number words in a row: 2, 100, 5 is 205, and 3.5, 1000000 is 3500000."""
    total = group = Decimal(0)
    for part in parts:
        if part >= 1000 and group:
            total, group = total + group * part, Decimal(0)
        elif part in SCALES.values() and group:
            group *= part
        else:
            group += part
    return total + group


def _digits(text: str) -> Decimal:
    """Return the value of digits: groups of three are thousands, and what follows the last other mark are decimals."""
    if _THOUSANDS.fullmatch(text):
        return Decimal(re.sub(r"\D", "", text))
    at = max(text.rfind("."), text.rfind(","))
    whole, decimals = (text, "") if at < 0 else (text[:at], text[at + 1 :])
    return Decimal(re.sub(r"\D", "", whole) + f".{decimals or 0}")
