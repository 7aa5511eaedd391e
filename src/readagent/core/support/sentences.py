"""Split an answer into sentences: not at dates, initials and abbreviations, and not inside quotation marks."""

from __future__ import annotations

import re

from readagent.core.patterns import lazy_pattern
from readagent.core.support.units import MONTHS
from readagent.core.words import sentences

_ABBREVIATED = lazy_pattern(
    r"(?:^|[\s(])(?:[^\W\d_]|approx|ca|circa|incl|max|min|est|dept|inc|ltd|co|corp|jan|feb|mar|apr|jun|jul|aug|sept?|oct"
    r"|nov|dec|secs?|par|art|chap|app|ref|pp?|bzw|z\. ?B|d\. ?h|u\. ?a|Nr|Abs|Kap|Bd|S|Hr|Fr|Hl|vgl|geb|gest|env|av|mme"
    r"|mlle|sra?|srta|dra?|ud|núm|pág|EE|sig|dott|т\. ?е|т\. ?д|гг?|им|ул|руб|стр|рис|см|св|проф)\.$",
    re.I,
)
_ONE_LETTER = lazy_pattern(r"(?:^|[\s(.])([^\W\d_])\.$")
_VERDICT = lazy_pattern(
    r"^(?:yes|no|true|false|correct|ja|nein|oui|non|sí|si|да|нет|是的?|不是|はい|いいえ)[.!。]$", re.I
)
_ORDINAL = lazy_pattern(r"(?P<before>[^\W\d_]+)?\s*\b(?:\d{1,2}|[IVX]{1,5})\.$")
_BEFORE_ORDINAL = frozenset(
    "am der dem den des im zum zur vom die das bis seit ab nach und den dne ze od do".split()
)  # in languages that write 12. for 12th
_AFTER_GERMAN_QUOTE = lazy_pattern(r"(?<=[.!?]“)\s+(?=[A-ZÄÖÜ])")
_FIRST = lazy_pattern(r"[^\W\d_]+")
_MARKS = {"“": "”", "„": "“”", "«": "»", "「": "」", "『": "』"}


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text. A bare yes or no belongs to the sentence after it."""
    pieces = [piece for sentence in sentences(text) for piece in _AFTER_GERMAN_QUOTE.split(sentence)]
    found: list[str] = []
    for at, piece in enumerate(pieces):
        if found and (_goes_on(found[-1], piece) or (_is_open(found[-1]) and _closes(found[-1], pieces[at:]))):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return found


def _goes_on(before: str, after: str) -> bool:
    """Return whether the point that ends one piece does not end the sentence."""
    if _VERDICT.match(before):
        return True
    if single := _ONE_LETTER.search(before):
        return single[1].isupper() or bool(_ABBREVIATED.search(before))
    if _ABBREVIATED.search(before):
        return True
    ordinal, first = _ORDINAL.search(before), _FIRST.match(after)
    if ordinal is None or first is None:
        return False
    return first[0].casefold() in MONTHS or (ordinal["before"] or "").casefold() in _BEFORE_ORDINAL


def _is_open(text: str) -> bool:
    """Return whether a quotation begins in a text and does not end there."""
    if text.count('"') % 2:
        return True
    marks = (mark for mark in _MARKS if mark in text and not (mark == "“" and "„" in text))
    return any(text.count(mark) > sum(map(text.count, _MARKS[mark])) for mark in marks)


def _closes(text: str, pieces: list[str]) -> bool:
    """Return whether the quotation that is open ends in one of the next pieces."""
    return any(not _is_open(f"{text} {' '.join(pieces[: end + 1])}") for end in range(len(pieces)))
