"""Numbers as headings write them: 12, XII, twelve, the twelfth, 十二."""

from __future__ import annotations

import re

_ROMAN = re.compile(r"(?i)M{0,3}(?:CM|CD|D?C{0,4})(?:XC|XL|L?X{0,4})(?:IX|IV|V?I{0,4})")
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_SIGNS = (
    ("m", 1000), ("cm", 900), ("d", 500), ("cd", 400), ("c", 100), ("xc", 90), ("l", 50), ("xl", 40), ("x", 10),
    ("ix", 9), ("v", 5), ("iv", 4), ("i", 1),
)  # fmt: skip
_UNITS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()  # fmt: skip  # noqa: E501
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split()  # fmt: skip  # noqa: E501
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = {
    **{word: value for value, word in enumerate(_UNITS, 1)},
    **{word: value for value, word in enumerate(_ORDINALS, 1)},
    **{word: 10 * value for value, word in enumerate(_TENS, 2)},
    **{word[:-1] + "ieth": 10 * value for value, word in enumerate(_TENS, 2)},
}
_HAN = {mark: value for value, mark in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_HAN_TENS = {"十": 10, "百": 100, "千": 1000}

WORDS = "|".join(sorted(_WORDS, key=len, reverse=True))
HAN = "".join([*_HAN, *_HAN_TENS])


def number_of(text: str) -> int:
    """Return the number that a numeral stands for, or 0 if it is none."""
    text = text.strip()
    if text.isdecimal():
        return int(text) if len(text) <= 4 else 0
    if text[:1] in HAN:
        return _of_han(text)
    return _of_roman(text.upper()) or _of_words(text.lower())


def _of_roman(text: str) -> int:
    if not text or len(text) > 15 or not _ROMAN.fullmatch(text):
        return 0
    total = 0
    for letter, following in zip(text, [*text[1:], ""], strict=True):
        value = _VALUES[letter]
        total += -value if value < _VALUES.get(following, 0) else value
    return total


def _of_words(text: str) -> int:
    """Return the number in words up to ninety-nine: the tens and the last word."""
    parts = [part for part in re.split(r"[\s-]+", text) if part]
    values = [_WORDS.get(part, 0) for part in parts]
    if len(values) == 1:
        return values[0]
    return sum(values) if len(values) == 2 and values[0] >= 20 and 0 < values[1] < 10 else 0


def _of_han(text: str) -> int:
    total = digit = 0
    for character in text:
        if character in _HAN:
            digit = digit * 10 + _HAN[character] if digit else _HAN[character]
        elif character in _HAN_TENS:
            total += (digit or 1) * _HAN_TENS[character]
            digit = 0
        else:
            return 0
    return total + digit


def roman(value: int, *, capital: bool = False) -> str:
    """Return a number from 1 to 3999 in Roman numerals."""
    found = ""
    for sign, worth in _SIGNS:
        found += sign * (value // worth)
        value %= worth
    return found.upper() if capital else found
