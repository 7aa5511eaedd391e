"""Numbers in words: a quote must not begin or end inside "three hundred and five" or between 3.5 and "million"."""

from __future__ import annotations

import re

from readagent.core.patterns import lazy_pattern

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
_GERMAN = lazy_pattern(r"\w*(?:hundert|tausend)\w*|\w+und(?:zwan|drei|vier|fünf|sech|sieb|acht|neun)[zß]ig")
_AMOUNTS = frozenset(  # numbers that another number or "half a" may stand before
    (
        "hundred thousand million billion trillion hundreds thousands millions billions dozen hundert tausend million "
        "millionen milliarde milliarden тысяч тысяча тысячи миллион миллиона миллионов миллиард миллиарда миллиардов "
        "cent cents mille million millions milliard milliards cien ciento mil millón millones mila milione milioni"
    ).split()
)
_AFTER = frozenset(  # words that belong to the number before them
    (
        "hundred thousand million millions billion billions trillion dozen percent per pct am pm bc ad bce ce "
        "hundert tausend million millionen milliarde milliarden prozent uhr "
        "тысяч тысяча тысячи миллион миллиона миллионов миллиард миллиарда миллиардов процент процента процентов "
        "cent mille millions milliard milliards pour mil miles millón millones por milliers "
        "mio mrd mrdn tsd mln mld mn bn млн млрд тыс usd eur gbp chf jpy cny rub inr aud cad sek nok dkk "
        "kg km cm mm mg ml ha mph kmh ft lb lbs oz feet foot miles mile metres meters pounds dollars euros "
        "h hr hrs min sec std kilometres kilometers kilometer inches degrees grams litres liters tonnes tons minutes "
        "seconds hectares acres "
        "hours days weeks months years stunden tage wochen monate jahre часов дней недель месяцев лет рублей "
        "horas días semanas meses años euros pesos"
    ).split()
)
_AND = frozenset(("and", "und", "et", "y", "e"))
_PARTS = lazy_pattern(
    r"(?:\b(?:a|an|half|quarter|third|tens|hundreds|dozens|eine|halbe|un|une|demi|medio|mezzo)|s of)\s+$", re.I
)
_AND_A = lazy_pattern(r"\band an?\s+$", re.I)
_RANGE = lazy_pattern(r"\s+(?:to|or|bis|oder|à|ou|a|o|до|или)\s+", re.I)
_BETWEEN_TWO = lazy_pattern(r"\b(?:between|zwischen|entre|между|tra)\s+[^.!?\n]{1,30}\s(?:and|und|et|y|и|e)\s+$", re.I)
_FRACTIONS = frozenset("¼½¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞")
_HAN = frozenset("〇零一二三四五六七八九十百千万萬億亿兆两兩")
_LAST, _FIRST = lazy_pattern(r"(?:(\d)|([^\W\d_]+))\W*$"), lazy_pattern(r"\W*(?:(\d)|([^\W\d_]+))")
_BETWEEN = lazy_pattern(r"(?:(?!\n\s*\n)[\s-])*")


def is_inside_number(text: str, left: int, right: int) -> bool:
    """Return whether ``text[left:right]``, which is no word, is between two parts of one number."""
    if not _BETWEEN.fullmatch(text[left:right]):
        return False
    if (text[left - 1] in _HAN or text[left - 1].isdecimal()) and text[right] in _HAN and left == right:
        return True
    before, after = _LAST.search(text, max(0, left - 20), left), _FIRST.match(text, right, right + 20)
    if before is None or after is None:
        return False
    digits, word, following = bool(before[1]), (before[2] or "").lower(), (after[2] or "").lower()
    if _is_cut_range(text, left, right, before, after):
        return True
    if following in _AMOUNTS and _PARTS.search(text, max(0, left - 20), right):
        return True  # half a million
    if following in ("half", "quarter") and _AND_A.search(text, max(0, left - 20), right):
        return True  # one and a half
    if word in _AMOUNTS and following in _AND and (later := _FIRST.match(text, after.end(), after.end() + 20)):
        return bool(later[1]) or _is_number((later[2] or "").lower())  # two hundred and fifty
    if word in _AND and (earlier := _LAST.search(text, max(0, left - 40), before.start())):
        word = (earlier[2] or "").lower()  # a hundred and five
    if following in _AFTER:
        return digits or _is_number(word) or word in _AFTER
    if digits and text[right] in _FRACTIONS:
        return True
    return (_is_number(word) or word in _AFTER) and (_is_number(following) or bool(after[1]))


def _is_number(word: str) -> bool:
    return word in _WORDS or word in _AMOUNTS or _GERMAN.fullmatch(word) is not None


def _is_cut_range(text: str, left: int, right: int, before: re.Match[str], after: re.Match[str]) -> bool:
    """Return whether this is inside "5 to 10" or "between 5 and 10"."""
    if after[1] and _BETWEEN_TWO.search(text, max(0, left - 45), right):
        return True
    if after[1] and (word := _RANGE.search(text, max(0, before.start(2) - 1), right)) and before[2]:
        return word.end() == right and text[word.start() - 1].isdecimal()
    if before[1] and after[2] and (word := _RANGE.match(text, left)):
        return text[word.end() : word.end() + 1].isdecimal()
    return False
