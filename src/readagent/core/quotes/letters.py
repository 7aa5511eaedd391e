"""The letters, digits and meaningful signs of a text in one form, each with its offsets, and the marks between them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from readagent.core.patterns import lazy_pattern
from readagent.core.words import is_unspaced

INVISIBLE = (
    "\u00ad\u034f\u061c\u0640\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u0652\u0670"  # vowel points of Hebrew and Arabic
)
FOOTNOTE = lazy_pattern(r"(?<=[^\W\d_]{3})\[\d{1,3}\](?=[.,;:!?\])]|\s+[^\W_]|\s*$)|(?<=[.,;:!?])\[\d{1,3}\](?=\s|$)")
_ACCENTS = "\u0300-\u036f\u1ab0-\u1aff\u20d0-\u20ff\u3099\u309a"
_PLAIN = lazy_pattern(f"(?:[^\\W\\d_]+|[0-9]+)(?![{_ACCENTS}])|[\\s,.;:!?\"')]+")
_CHARACTER = lazy_pattern(f"[\u1100-\u115f][\u1160-\u11ff]+|.[{_ACCENTS}]*", re.S)
_UNSEEN = lazy_pattern(f"[{INVISIBLE}]")
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"
_SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"
_SHORT_WORD = lazy_pattern(r"(?<![^\W\d_])[^\W\d_]{1,3}$|[\d)]$|[⁰¹²³⁴-⁹⁺⁻]$")
_BRACKETED = lazy_pattern(r"[(（](?!(?:1\d|20)\d\d[)）])\d[\d.,]*[)）]")  # (1,200) may be a loss; (1921) is a year
_SIGNS = frozenset("%‰‱°§&@+=<>±×÷√∞≤≥≠≈¬∂∑∏∫∈∉⊂∪∩∧∨")
_UNDERLINE = lazy_pattern(r"[ \t]*=+[ \t]*(?:\n|$)")  # of a heading
_MINUS = frozenset("-\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d")


@dataclass(frozen=True, slots=True)
class Letters:
    """``text`` has the letters of a part of ``source``; number i is from ``source[starts[i]:ends[i]]``.

    ``notes`` is whether it has the numbers in brackets that may be those of footnotes.
    """

    source: str
    text: str
    starts: list[int]
    ends: list[int]
    notes: bool = True

    def joint(self, index: int) -> str:
        """Return what is between a letter and the one before it."""
        return self.source[self.ends[index - 1] : self.starts[index]]


def letters_of(source: str, start: int = 0, end: int | None = None, *, notes: bool = True) -> Letters:
    """Return the letters of a part of a text, in lower case and composed, without marks of emphasis.

    Without ``notes``, numbers in brackets that may be those of footnotes are left out.
    """
    text: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    last = len(source) if end is None else end
    at = start
    while at < last:
        run = _PLAIN.match(source, at, last)
        if run and (plain := _run(run[0])) is not None:
            text.append(plain)
            if plain:
                starts.extend(range(at, run.end()))
                ends.extend(range(at + 1, run.end() + 1))
            at = run.end()
        elif not notes and (note := FOOTNOTE.match(source, at)):
            at = note.end()
        else:
            found = _CHARACTER.match(source, at, last)
            assert found is not None  # the pattern matches any character
            written = _written(found[0], source, at)
            text.append(written)
            starts.extend([at] * len(written))
            ends.extend([found.end()] * len(written))
            at = found.end()
    return Letters(source, "".join(text), starts, ends, notes)


def fold(text: str) -> str:
    """Return a text in lower case, with one spelling for letters that may be written otherwise."""
    return text.casefold().replace("ё", "е").replace("œ", "oe").replace("æ", "ae")


def _run(run: str) -> str | None:
    """Return the letters of a run that has one for each of its characters, or "" for marks; None for other runs."""
    if not run[0].isalnum():
        return ""
    folded = fold(run)
    return folded if len(folded) == len(run) and unicodedata.is_normalized("NFKC", run) else None


def _written(piece: str, source: str, at: int) -> str:
    """Return the letters that stand for a character with its accents; "" for a mark that has none."""
    first = piece[0]
    if _UNSEEN.match(first):
        return ""
    if first in _SUPERSCRIPTS:
        meant = _SHORT_WORD.search(source, max(0, at - 4), at)
        return f"^{unicodedata.normalize('NFKC', first)}" if meant else ""  # else the mark of a footnote
    if first in _SUBSCRIPTS:
        return ("" if source[at - 1 : at].isalpha() else "_") + unicodedata.normalize("NFKC", first)
    if unicodedata.category(first) == "No":  # ½, ①: their digits must not join those around them
        return first
    normal = unicodedata.normalize("NFKC", piece)
    if len(normal) == 1 and not normal.isalnum():
        return _sign(first, normal, source, at)
    return "".join(one for one in fold(normal) if is_letter(one) or one == "°")


def is_letter(character: str) -> bool:
    """Return whether a character is a letter, a digit, or a mark that belongs to the letter before it."""
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def is_sign(character: str) -> bool:
    """Return whether one of ``Letters.text`` is a sign such as $ or %, which is neither letter nor digit."""
    return not is_letter(character)


def _sign(raw: str, sign: str, source: str, at: int) -> str:
    """Return a sign if it has a meaning where it stands: $, %, a minus before a number, * between numbers."""
    category = unicodedata.category(sign)
    if category[0] == "M" or category == "Sc":
        return sign
    before, after = source[at - 1 : at], source[at + 1 : at + 2]
    if raw in _MINUS:
        return "-" if _is_minus(raw, before, source[at + 1 : at + 3]) else ""
    near = _digit(source[max(0, at - 3) : at].rstrip()[-1:]) and _digit(source[at + 1 : at + 4].lstrip()[:1])
    tight = before.isalnum() and after.isalnum()
    match sign:
        case "*":
            doubled = (
                "*" in (before, after)
                and re.search(r"\d\*?$", source[max(0, at - 2) : at])
                and re.match(r"\*?\d", source[at + 1 : at + 3])
            )
            return "*" if near or doubled or (tight and (_digit(before) or _digit(after))) else ""
        case "_" | "^":
            return sign if tight else ""
        case "/":
            return "" if not near and not before.strip() and not after.strip() else sign
        case "(":
            return sign if _BRACKETED.match(source, at) else ""
        case "#":
            return sign if after.isalnum() or before.isalpha() else ""
        case "~":
            return sign if (_digit(after) or after == "/") and before != "~" else ""
        case "+" | ">":
            bullet = not source[source.rfind("\n", 0, at) + 1 : at].strip(" \t>") and (after.isspace() or not after)
            return "" if bullet else sign
        case "=":
            return "" if _UNDERLINE.match(source, source.rfind("\n", 0, at) + 1) else sign
    return sign if sign in _SIGNS else ""


def _is_minus(raw: str, before: str, after: str) -> bool:
    """Return whether a hyphen is the sign of a number: right before it, and not after a word or a number."""
    amount = after[1:] if after[:1] and unicodedata.category(after[0]) == "Sc" else after
    after_word = before.isalnum() and not is_unspaced(before)
    if raw == "\u2212" and not after_word:
        return _digit(amount.lstrip()[:1])
    return _digit(amount[:1]) and not after_word and before not in (*_MINUS, ")", "]", ".", ",", ":", "/")


def _digit(character: str) -> bool:
    return character.isdecimal()
