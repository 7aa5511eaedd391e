"""Words and Chinese numerals for numbers, with their values."""

from __future__ import annotations

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
SCALES = {
    "hundred": 100, "thousand": 1000, "dozen": 12, "тыс": 1000, "тысяч": 1000, "тысячи": 1000,
    **dict.fromkeys("million millions millionen mio millón millones milione milioni milhão milhões млн миллион "
                    "миллиона миллионов".split(), 10**6),
    **dict.fromkeys("billion billions milliarde milliarden mrd milliard milliards miliardo miliardi млрд миллиард "
                    "миллиарда миллиардов".split(), 10**9),
    "trillion": 10**12,
}  # fmt: skip
SUFFIXES = {"k": 1000, "mn": 10**6, "bn": 10**9}
WORDS: dict[str, int] = {
    **{word: value for value, word in enumerate(_ENGLISH)},
    **{word: 10 * value for value, word in enumerate(_TENS, 2)},
    **{word: value for value, word in enumerate(_ORDINALS, 3)},
    **{word: value for value, words in _OTHERS.items() for word in words.casefold().split()},
    **SCALES,
    "twentieth": 20,
}
_CJK = {**{mark: value for value, mark in enumerate("零一二三四五六七八九")}, "〇": 0, "两": 2, "兩": 2}
CJK_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}


def chinese(text: str) -> Decimal:
    """Return the value of Chinese numerals: 三十二, 一九二〇 or 两万."""
    if not any(mark in CJK_SCALES for mark in text):
        return Decimal("".join(str(_CJK[mark]) for mark in text))
    total = section = digit = 0
    for mark in text:
        scale = CJK_SCALES.get(mark)
        if scale is None:
            digit = _CJK[mark]
        elif scale >= 10**4:
            total, section, digit = total + (section + digit or 1) * scale, 0, 0
        else:
            section, digit = section + (digit or 1) * scale, 0
    return Decimal(total + section + digit)
