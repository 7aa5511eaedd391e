"""The numbers of a text as values, so that 1,500 and "fifteen hundred", 25 and "twenty-five" are equal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

_ENGLISH = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = (
    "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
    "seventeenth eighteenth nineteenth"
).split()
_OTHERS = {  # in other languages, without those that are also words of another kind, such as "elf" and "once"
    2: "zwei deux dos два две двух", 3: "drei trois tres три трёх", 4: "vier quatre cuatro четыре",
    5: "fünf cinq cinco пять", 6: "sechs seis шесть", 7: "sieben siete семь", 8: "acht huit ocho восемь",
    9: "neun neuf nueve девять", 10: "zehn dix diez десять", 11: "onze одиннадцать", 12: "zwölf douze doce двенадцать",
    20: "zwanzig vingt veinte двадцать", 30: "dreißig trente treinta тридцать", 40: "vierzig quarante cuarenta сорок",
    50: "fünfzig cinquante cincuenta пятьдесят", 60: "sechzig soixante sesenta шестьдесят", 70: "siebzig setenta",
    80: "achtzig ochenta", 90: "neunzig noventa", 100: "hundert cien сто", 1000: "tausend mille mil тысяча тысяч",
}  # fmt: skip
_SCALES = {
    "hundred": 100, "thousand": 1000, "million": 10**6, "millions": 10**6, "billion": 10**9, "billions": 10**9,
    "trillion": 10**12, "dozen": 12,
}  # fmt: skip
_SUFFIXES = {"k": 1000, "m": 10**6, "mn": 10**6, "bn": 10**9}
_WORDS: dict[str, int] = {
    **{word: value for value, word in enumerate(_ENGLISH)},
    **{word: 10 * value for value, word in enumerate(_TENS, 2)},
    **{word: value for value, word in enumerate(_ORDINALS, 3)},
    **{word: value for value, words in _OTHERS.items() for word in words.casefold().split()},
    **_SCALES,
    "twentieth": 20,
}
_CJK = {**{mark: value for value, mark in enumerate("零一二三四五六七八九")}, "〇": 0, "两": 2, "兩": 2}
_CJK_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_UNITS = {
    **{sign: sign for sign in "$€£¥₽₹%°"}, "％": "%", "dollar": "$", "dollars": "$", "usd": "$", "euro": "€",
    "euros": "€", "eur": "€", "pound": "£", "pounds": "£", "gbp": "£", "yen": "¥", "percent": "%", "prozent": "%",
    "cent": "¢", "cents": "¢", "rubles": "₽", "roubles": "₽", "degrees": "°",
}  # fmt: skip
_TOKEN = re.compile(
    r"(?P<sign>[$€£¥₽₹]\s?)?(?P<minus>(?<![\w.])[-−])?(?P<digits>\d+(?:[,.'’\u00a0\u202f]\d{3})*(?:[.,]\d+)?)"
    r"(?:st|nd|rd|th)?(?P<after>\s?[%％°€£¥₽]|(?:k|m|mn|bn)\b)?"
    r"|(?P<cjk>[零一二三四五六七八九〇两兩十百千万萬亿億]{2,})|per[ -]cent\b|(?P<word>[^\W\d_]+)",
    re.I,
)
_THOUSANDS = re.compile(r"\d{1,3}(?:[,.'’\u00a0\u202f]\d{3})+")


@dataclass(frozen=True, slots=True)
class Number:
    """A value with its currency or unit, if a sign or a common word names it."""

    value: Decimal
    unit: str = ""

    def same(self, other: Number) -> bool:
        """Return whether two numbers are equal and their units do not differ."""
        return self.value == other.value and (not self.unit or not other.unit or self.unit == other.unit)


def numbers(text: str) -> list[Number]:
    """Return the numbers of a text, in digits or words. "One", "first" and "second" are no numbers here."""
    reader = _Reader()
    for token in _TOKEN.finditer(text):
        if token["digits"]:
            value = _digits(token["digits"]) * (-1 if token["minus"] else 1)
            after = (token["after"] or "").strip().lower()
            reader.start(value * _SUFFIXES.get(after, 1), _UNITS.get((token["sign"] or "").strip() or after, ""))
        elif token["cjk"]:
            reader.start(_cjk(token["cjk"]))
        elif token["word"] is None:
            reader.close("%")
        else:
            reader.word(token["word"].casefold())
    reader.close()
    return [one for one in reader.found if one.value != 1 or one.unit]


class _Reader:
    """Reads numbers token by token; a number may have several: 3.5 million, two hundred and five."""

    def __init__(self) -> None:
        self.found: list[Number] = []
        self._parts: list[Decimal] = []
        self._unit = ""
        self._in_digits = False

    def start(self, value: Decimal, unit: str = "") -> None:
        self.close()
        self._parts, self._unit, self._in_digits = [value], unit, True

    def word(self, word: str) -> None:
        value = _WORDS.get(word)
        if value is None:
            if not (word == "and" and self._parts and self._parts[-1] in (100, 1000)):
                self.close(_UNITS.get(word, ""))
            return
        if self._parts and word not in _SCALES and (self._in_digits or not value < self._parts[-1] >= 20):
            self.close()
        self._parts.append(Decimal(value))

    def close(self, unit: str = "") -> None:
        """End the number that is being read; ``unit`` is what the word after it names."""
        if self._parts:
            self.found.append(Number(_total(self._parts), self._unit or unit))
        self._parts, self._unit, self._in_digits = [], "", False


def _total(parts: list[Decimal]) -> Decimal:
    """Return the value of number words in a row: 2, 100, 5 is 205, and 3.5, 1000000 is 3500000."""
    total = group = Decimal(0)
    for part in parts:
        if part >= 1000 and group:
            total, group = total + group * part, Decimal(0)
        elif part in _SCALES.values() and group:
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


def _cjk(text: str) -> Decimal:
    """Return the value of Chinese numerals: 三十二, 一九二〇 or 两万."""
    if not any(mark in _CJK_SCALES for mark in text):
        return Decimal("".join(str(_CJK[mark]) for mark in text))
    total = section = digit = 0
    for mark in text:
        scale = _CJK_SCALES.get(mark)
        if scale is None:
            digit = _CJK[mark]
        elif scale >= 10**4:
            total, section, digit = total + (section + digit or 1) * scale, 0, 0
        else:
            section, digit = section + (digit or 1) * scale, 0
    return Decimal(total + section + digit)
