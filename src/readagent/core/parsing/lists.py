"""Numbers and lists of numbers, in digits or words, with ranges."""

from __future__ import annotations

import re

_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_WORD = rf"(?<![a-z])(?:(?:{'|'.join(_TENS)})(?:[\s-](?:{'|'.join(_UNITS[1:10])}))?|{'|'.join(reversed(_UNITS))})\b"
NUMBER = rf"(?:(?<!\d\.)(?<!\d)\d{{1,9}}(?!\d|\s?%|\.\d)|{_WORD})"
TO = r"(?:-|–|—|〜|～|~|\.\.\.?|…|to\b|through\b|thru\b|until\b|bis\b|à\b|a\b|al\b|hasta\b|até\b|до\b|по\b|到|至|から)"
_AND = (
    r"(?:[,;&+/|、，；]|(?:,\s*)?(?:and then|and also|and|then|plus|und|sowie|et|puis|y|e|и|en|i|och|og|ve|và|और)\b"
    r"|和|跟|及|と|및|와|과|و)"
)
_MARK = r"[\s\"'“”„«»<>()\[\]#.]"
_MOST_IN_RANGE = 50


def listed(cue: str, after: str) -> str:
    """Return a pattern for a list of numbers. ``cue`` may precede each of them, and ``after`` may follow each."""
    one = rf"{_MARK}{{0,3}}(?:(?:{cue})\W{{0,3}}|第)?\s?{NUMBER}(?:{_MARK}{{0,2}}(?:{after}))?"
    return rf"(?>{one})(?>{_MARK}{{0,3}}(?:{TO}|{_AND}(?:\s+(?:the|la|die)\s)?)\s*{one})*+"


def numbers_in(text: str) -> list[str]:
    """Return the numbers of a list, with ranges such as 2-4 or "2 to 4" expanded."""
    numbers: list[str] = []
    between = rf"{_MARK}{{0,3}}(?:页|頁|ページ目?|페이지|쪽)?\s*{TO}[^\d,;]{{0,12}}?"
    for first, last in re.findall(rf"({NUMBER})(?:{between}({NUMBER}))?", text, re.I):
        start, end = value_of(first), value_of(last or first)
        whole = start <= end < start + _MOST_IN_RANGE
        numbers += [str(n) for n in range(start, end + 1)] if whole else [str(start), str(end)]
    return numbers


def strict_numbers(content: str, cue: str) -> list[str] | None:
    """Return the numbers of a list in which nothing else stands but reasons in brackets or after a colon; or None."""
    bare = re.sub(r"\([^()]*\)", " ", content)
    bare = re.sub(rf"({NUMBER})\s*(?::|\s[-–—]\s)\s*[^\d,;][^,;]*", r"\1", bare, flags=re.I)
    one = rf"{_MARK}*(?:(?:{cue})\W{{0,3}}|第)?{NUMBER}(?:页|頁|ページ|쪽)?{_MARK}*"
    if not re.fullmatch(rf"(?>{one})(?>(?:{TO}|{_AND}|\s)*{one})*+[,;]?\s*", bare, re.I):
        return None
    return numbers_in(bare)


def value_of(number: str) -> int:
    """Return the value of a number in digits or words."""
    if number.isdecimal():
        return int(number)
    tens, _, unit = re.sub(r"[\s-]", " ", number.lower()).partition(" ")
    if tens in _TENS:
        return 20 + 10 * _TENS.index(tens) + (_UNITS.index(unit) if unit else 0)
    return _UNITS.index(tens)
