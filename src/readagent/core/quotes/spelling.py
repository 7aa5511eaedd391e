"""Capitals and ß, where they make another word."""

from __future__ import annotations

import unicodedata

from readagent.core.patterns import lazy_pattern
from readagent.core.quotes.letters import INVISIBLE

_CAPITALS = lazy_pattern(r"\b(?:US|IT|WHO|AIDS)\b")  # words that are others in small letters
_SHARP_S = lazy_pattern(r"\w*ß\w*")
_OTHER_WITH_SS = frozenset("masse massen masses busse bussen russe russen flosse flossen geschosse geschossen".split())
_UNSEEN = lazy_pattern(f"[{INVISIBLE}*_]")


def same_letters(there: str, here: str) -> bool:
    """Return whether "US" is not quoted as "us", nor "Maße" as "Masse"; a quote may be all in one case."""
    there, here = (unicodedata.normalize("NFKC", _UNSEEN.sub("", one)) for one in (there, here))
    sharp = set(_SHARP_S.findall(there.lower())) ^ set(_SHARP_S.findall(here.lower()))
    if here != here.upper() and any(word.casefold() in _OTHER_WITH_SS for word in sharp):
        return False
    if here in (here.lower(), here.upper()) or there == there.upper():
        return True
    return _CAPITALS.findall(there) == _CAPITALS.findall(here)
