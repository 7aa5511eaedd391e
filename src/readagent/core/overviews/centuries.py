"""Centuries as texts tell them: "the 18th century", "15th-17th centuries", "XVIIe siècle"."""

from __future__ import annotations

import re

from readagent.core.overviews.date_spans import any_of
from readagent.core.overviews.date_words import BEFORE_CHRIST, ORDINALS, ROMAN
from readagent.core.support.number_words import chinese

CENTURY = (
    rf"(?<!\w)(?:(?P<word>{any_of(ORDINALS)})\s+centur(?:y|ies)|(?P<number>\d{{1,2}})(?:(?:st|nd|rd|th)\s+centur(?:y|ies)"
    r"|\.\s*jahrhunderts?|(?:er|ème|e|ᵉ)\s+siècles?|(?:-го|-м)?\s+век(?:а|е)?|\s*世[纪紀]|\s*세기)"
    r"|(?:siglo|secolo|século)\s+(?:(?P<es>\d{1,2})|(?P<after>[ivxlc]+))|(?P<roman>[ivxlc]+)(?:er|ème|e|ᵉ)?\s+"
    rf"(?:siècles?|secol[oi]|век(?:а|е|ов|ах)?)|(?P<cjk>[一二三四五六七八九十]{{1,3}})世[纪紀])(?![^\W\u4e00-\u9fff])(?:\s*(?P<bc>{BEFORE_CHRIST}))?"
)
_TO = r"(?:\s*[–—-]\s*|\s+(?:to|until|through|and|or|bis|und|oder|au|à|et|ou|a|al|y|по|и)\s+|\s*[至到～]\s*)"
_MORE = r"(?:the\s+|zum\s+|le\s+|el\s+)?(?:(?:early|mid|late)[\s-]+)?"
CENTURIES = (
    rf"(?<!\w)(?:(?:siglos|secoli|séculos)\s+)?(?:(?P<first_word>{any_of(ORDINALS)})|(?P<first_number>\d{{1,2}})(?:st|nd|rd|th|\."
    r"|er|ème|e|ᵉ|-го)?|(?P<first_roman>[ivxlc]+)(?:er|ème|e|ᵉ)?)(?:\s+century)?"
    rf"{_TO}{_MORE}(?:{CENTURY}|(?<=\s)(?P<last_roman>[ivxlc]+)(?!\w))"
)
_SEVERAL = re.compile(r"\W*(?:siglos|secoli|séculos)\b", re.I)


def read_century(match: re.Match[str]) -> str:
    """Return the first and the last year of a century."""
    roman = match["roman"] or match["after"]
    return _years(roman, match["cjk"] or match["word"] or match["number"] or match["es"], bool(match["bc"]))


def read_centuries(match: re.Match[str]) -> str:
    """Return the first year of the first century of a span, and the last year of the last one."""
    if match["last_roman"] and not _SEVERAL.match(match[0]):  # "XV a XVII" may be anything
        return ""
    last = _years(match["last_roman"], None, False) if match["last_roman"] else read_century(match)
    first = _years(match["first_roman"], match["first_word"] or match["first_number"], bool(match["bc"]))
    begins, ends = first.partition("/")[0], last.rpartition("/")[2]
    return f"{begins}/{ends}" if first and last and int(begins) < int(ends) else ""


def _years(roman: str | None, told: str | None, before_christ: bool) -> str:
    number = _roman(roman) if roman else _number(told or "")
    if not 0 < number <= 40:
        return ""
    first, last = (-100 * number, -100 * number + 99) if before_christ else (100 * number - 99, 100 * number)
    return "/".join(f"{'-' if year < 0 else ''}{abs(year):04d}" for year in (first, last))


def _number(told: str) -> int:
    word = re.sub(r"\s+", " ", told.casefold())
    if word in ORDINALS:
        return ORDINALS[word]
    return int(word) if word.isdecimal() else int(chinese(word) or 0)


def _roman(text: str) -> int:
    values = [ROMAN[letter] for letter in text.upper()]
    return sum(-one if one < max(values[at:]) else one for at, one in enumerate(values))
