"""Years that stand alone: which numbers of four digits are years, judged by what stands before and after them."""

from __future__ import annotations

import re

from readagent.core.overviews.date_words import COUNTED, IN, LASTING, NEAR, NOT_PLURAL, NUMBERED, UNITS
from readagent.core.patterns import lazy_pattern

_FREE = r"(?:(?<=mid-)|(?<![\w.,$€£¥#§№:/+&'’=°~^-]))"  # nothing before it that makes it part of another number
_ENDS = r"(?!\w|[.,:/'’]\d|(?<=0)['’]s|[-–]\w|\)?\s\d)"
ALONE = rf"{_FREE}(?P<year>1\d{{3}}|20\d{{2}}){_ENDS}"
YEARS = (
    rf"(?:(?<!\w)(?P<from>from|between|von|zwischen|de|entre|с|dal)\s+)?{_FREE}(?P<first>1\d{{3}}|20\d{{2}})"
    r"(?:(?P<dash>\s*[–—-]\s*)|\s+(?:to|till|until|and|bis|und|à|et|a|y|по|al)\s+)(?P<last>1\d{3}|20\d{2}|\d{2})"
    r"(?!\w|[.,:/-]\d)"
)
EARLY = (  # a year of three digits is told so, with a word after it that is none of a count
    r"(?<!\w)(?:[Ii]n|[Ss]ince|[Uu]ntil)\s+(?P<year>[1-9]\d{2})"
    r"(?=,\s+[^\W\d]|\s+(?:the|a|an|he|she|it|they|his|her|its|their)\b|\s+[A-Z][a-z]+\s+[a-z]+ed\b)"
)
_IN = lazy_pattern(
    rf"(?:^|[\W\d])(?:{IN.replace(' ', '|')})\.?\s+$|\b(?:(?:it|this)\s+(?:was|is)|es\s+war|mid-)\s*$", re.I
)
_NEAR = lazy_pattern(rf"(?:^|[\W\d])(?:{NEAR.replace(' ', '|')})\.?\s+$", re.I)
_NUMBERED = lazy_pattern(rf"(?:^|[\W\d])(?:{NUMBERED.replace(' ', '|')})\.?\s*[:(]?\s*$", re.I)
_AGE = lazy_pattern(r"\b(?:aged?|alter|âge|edad|età|возрасте)\s+(?:of|von|de|di)?\s*$", re.I)
_AFTER_NUMBER = lazy_pattern(r"\d[)\s–—]*$")
_OPEN = lazy_pattern(r"(?:^|[,;:(\[\"“„«—–…!?.])[\s*_#]*$")
_CLOSED = lazy_pattern(r"\s*(?:$|[.,;:!?)\]\"”»—–…])")
_UNIT = lazy_pattern(rf"\s*(?:{UNITS}|[$€£¥])", re.I)
_LASTING = lazy_pattern(rf"\s*[-–]?\s*(?:{LASTING})\b(?!\s+(?:and|und)\s+\d)", re.I)
_SECOND = lazy_pattern(r"\s*(?:[–—-]|\b(?:and|to|or|bis|und|oder|à|et|ou|a|y|o)\b)\s*\d[\d.,]*", re.I)
_NEXT = lazy_pattern(r"\s+([^\W\d_]+)")
_COUNTED = lazy_pattern(rf"\s+(?:{COUNTED})\b(?!\s+(?:were|are|had|have|rose|fell|began)\b)", re.I)
_SUBJECT = lazy_pattern(r"\s+[^\W\d_]+\s+(?:he|she|it|they|we|I|you|there)\b")
_DECADE = lazy_pattern(r"\bd[ée]cada\s+de\s+(?:los\s+años\s+)?$", re.I)
_SEVERAL = lazy_pattern(r"\b(?:years|jahren?|années|años|anni|anos|годы|годах)\s+$", re.I)
_PLURAL = lazy_pattern(r"[^\W\d_]{2,}[^siu\W\d_]s")  # no "census" or "crisis"
_YEARS = lazy_pattern(r"\b(?:years|jahren?)\s+$", re.I)  # in French, "années 1840" is a decade
_CONTEXT = 40  # characters before a number that are looked at


def read_alone(match: re.Match[str]) -> str:
    """Return a year, or "" if the number seems to be another."""
    return match["year"] if _is_year(match.string, match.start("year"), match.end("year")) else ""


def read_early(match: re.Match[str]) -> str:
    """Return a year of three digits."""
    return f"{int(match['year']):04d}"


def read_years(match: re.Match[str]) -> str:
    """Return the first and last year of a span such as 1914-18, "" if it is none."""
    first, last = match["first"], match["last"]
    last = first[:2] + last if len(last) == 2 else last
    if int(last) <= int(first) or not (match["from"] or match["dash"]):
        return ""
    start = match.start("first")
    month = match["dash"] == "-" and len(match["last"]) == 2 and int(match["last"]) <= 12
    if month and not follows_years(match.string, start):
        return ""
    before = match.string[max(0, start - _CONTEXT) : start]
    after = match.string[match.end() : match.end() + _CONTEXT]
    several = len(match["last"]) > 2 and counts(after)
    return "" if _NUMBERED.search(before) or several else f"{first}/{last}"


def follows_years(text: str, at: int) -> bool:
    """Return whether a word before an offset says that several years follow: "the years 1801-05"."""
    return bool(_SEVERAL.search(text[max(0, at - _CONTEXT) : at]))


def _is_year(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - _CONTEXT) : start], text[end : end + _CONTEXT]
    if second := _SECOND.match(after):  # "between 1500 and 2000 soldiers"
        rest = after[second.end() :]
        if _LASTING.match(rest) or (counts(rest) and not _IN.search(before)):
            return False
    if _LASTING.match(after) or _UNIT.match(after) or _NUMBERED.search(before) or _AFTER_NUMBER.search(before):
        return False
    if _AGE.search(before):
        return False
    if _COUNTED.match(after) or _DECADE.search(before):
        return False
    if _IN.search(before) or _YEARS.search(before):
        return not (counts(after) and _SUBJECT.match(after))  # "in 1914 troops marched", "in 1914 rows they marched"
    if counts(after):
        return False
    return bool(_NEAR.search(before)) or (bool(_OPEN.search(before)) and _stands(after))


def counts(after: str) -> bool:
    """Return whether a number is one of things: the next word is a unit, or looks like a plural."""
    word = _NEXT.match(after)
    plural = word and word[1].islower() and _PLURAL.fullmatch(word[1]) and word[1] not in NOT_PLURAL
    return bool(_UNIT.match(after) or plural)


def _stands(after: str) -> bool:
    """Whether a number that opens a clause may be a year: a mark or a word in small letters follows."""
    word = _NEXT.match(after)
    return bool(_CLOSED.match(after)) or bool(word and word[1].islower())
