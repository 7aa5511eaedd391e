"""Numbers in words: a quote must not begin or end inside "three hundred and five" or between 3.5 and "million"."""

from __future__ import annotations

import re

_WORDS = frozenset(
    (
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety "
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig sechzig "
        "siebzig "
        "achtzig neunzig "
        "два две три четыре пять шесть семь восемь девять десять двадцать тридцать сорок пятьдесят шестьдесят "
        "семьдесят "
        "восемьдесят девяносто сто двести триста четыреста пятьсот "
        "deux trois quatre cinq sept huit neuf dix vingt trente quarante cinquante soixante "
        "dos tres cuatro cinco seis siete ocho nueve diez veinte treinta cuarenta cincuenta sesenta setenta "
        "ochenta noventa "
        "cien ciento doscientos trescientos quinientos"
    ).split()
)
_AFTER = frozenset(  # words that belong to the number before them
    (
        "hundred thousand million millions billion billions trillion dozen percent per pct am pm bc ad bce ce "
        "hundert tausend million millionen milliarde milliarden prozent uhr "
        "тысяч тысяча тысячи миллион миллиона миллионов миллиард миллиарда миллиардов процент процента процентов "
        "cent mille millions milliard milliards pour mil miles millón millones por milliers "
        "kg km cm mm mg ml ha mph kmh ft lb lbs oz feet foot miles mile metres meters pounds dollars euros "
        "hours days weeks months years stunden tage wochen monate jahre часов дней недель месяцев лет рублей "
        "horas días semanas meses años euros pesos"
    ).split()
)
_AND = frozenset(("and", "und", "et", "y"))
_HAN = frozenset("〇零一二三四五六七八九十百千万萬億亿兆两兩")
_LAST, _FIRST = re.compile(r"(?:(\d)|([^\W\d_]+))\W*$"), re.compile(r"\W*(?:(\d)|([^\W\d_]+))")
_BETWEEN = re.compile(r"[\s\u00a0-]*")


def is_inside_number(text: str, left: int, right: int) -> bool:
    """Return whether ``text[left:right]``, which is no word, is between two parts of one number."""
    if not _BETWEEN.fullmatch(text[left:right]):
        return False
    if (text[left - 1] in _HAN or text[left - 1].isdecimal()) and text[right] in _HAN and left == right:
        return True
    before, after = _LAST.search(text, max(0, left - 20), left), _FIRST.match(text, right, right + 20)
    if before is None or after is None:
        return False
    digits, word = bool(before[1]), (before[2] or "").lower()
    if word in _AND and (earlier := _LAST.search(text, max(0, left - 40), before.start())):
        word = (earlier[2] or "").lower()  # a hundred and five
    following = (after[2] or "").lower()
    if following in _AFTER:
        return digits or word in _WORDS or word in _AFTER
    return (word in _WORDS or word in _AFTER) and (following in _WORDS or bool(after[1]))
