"""Compare symbols that are no punctuation of prose: in ``x != 5``, ``rm -rf /tmp``, ``a * b`` and ``5!``, each counts.

A quote must not lose or gain one. A dash between words, a pair of asterisks around emphasised words, and a bullet or
dash at the beginning of a line are prose.
"""

from __future__ import annotations

import re

from readagent.core.patterns import lazy_pattern
from readagent.core.quotes.letters import Letters

_AT_A_WORD = lazy_pattern(  # -rf, "-c", !enabled, *p; and --stop, but not a dash after quotation marks: ”--she said
    r"[\s\"'“”„«»‘’`(\[{「『、，。：（](?P<mark>-|!|\*{1,2})$|(?:\s[\"'“„«`]*|[(\[{])(?P<long>--)$"
)
_AT_THE_END = lazy_pattern(r"(-{1,2}|!|\*{1,2})$")
_PAIRED = {
    "-": lazy_pattern(r"[^\n]{0,80}?[\w.,!?]--?(?=[\s,.;:!?])"),  # dashes: he -and Ann too- left
    "*": lazy_pattern(r"(?:(?!\n\s*\n).){0,500}?[^\s*]\*", re.S),
}
_OPERATORS = frozenset("=<>")
_BEFORE_OPERATOR = lazy_pattern(r"[!?:~*/|^%&.-]+$")
_BETWEEN_SPACES = lazy_pattern(r"[^\S\n]([*/^~\\])[^\S\n]")
_DASH_OR_STAR = lazy_pattern(r"[-\u2010-\u2015*\n]")


def same_symbols(text: Letters, i: int, quote: Letters, j: int) -> bool:
    """Return whether the joints before letter i of a text and letter j of a quote have the same symbols."""
    raw, copied = text.joint(i), quote.joint(j)
    if text.text[i - 1].isdecimal() and (raw[:1] == "!") != (copied[:1] == "!"):  # 5! is a factorial
        return False
    if text.text[i] in _OPERATORS:
        return _found(_BEFORE_OPERATOR, raw) == _found(_BEFORE_OPERATOR, copied)
    there, here = _at_word(text, i, raw), _at_word(quote, j, copied)
    here = here or (there and _found(_AT_THE_END, copied))  # in the quote it may begin a line
    if there != here and (there or not _DASH_OR_STAR.search(raw)):
        return False
    between, copied_between = (_BETWEEN_SPACES.search(one) if "\n" not in one else None for one in (raw, copied))
    if between:
        return between[1] in copied
    return not copied_between or copied_between[1] in raw or "\n" in raw  # "/" may stand for the end of a line


def begins_alike(text: Letters, i: int, quote: Letters) -> bool:
    """Return whether a quote that begins with letter i of a text has the symbol right before it: the - of -rf."""
    there = _at_word(text, i, text.joint(i)) if i else ""
    return not there or there == _found(_AT_THE_END, quote.source[: quote.starts[0]])


def _at_word(letters: Letters, i: int, joint: str) -> str:
    """Return a symbol right before the word that begins with letter i, unless it is a mark of prose."""
    mark = _AT_A_WORD.search(joint) if joint[-1:] in ("-", "!", "*") else None
    if mark is None or "\n" in joint or not letters.text[i].isalnum():
        return ""
    found = mark["mark"] or mark["long"]
    paired = _PAIRED.get(found[0])
    return "" if paired and paired.match(letters.source, letters.starts[i]) else found


def _found(pattern: re.Pattern[str], joint: str) -> str:
    found = pattern.search(joint)
    return found[0] if found else ""
