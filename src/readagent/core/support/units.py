"""Units, currencies, months and words for numbers in several languages, as values that can be compared."""

from __future__ import annotations

import re
from decimal import Decimal

from readagent.core.patterns import lazy_pattern

_WORDS = {
    "$": "dollar dollars dollari dólar dólares доллар* usd us-dollar us-dollars 美元 ドル",
    "€": "euro euros eur евро 欧元 ユーロ",
    "£": "pound pounds gbp pfund livres libras фунт* 英镑 ポンド",
    "¥": "yen jpy yuan rmb cny иен* юан* 日元 人民币 元",
    "₽": "rouble roubles ruble rubles rub rubel рубл* руб 卢布",
    "₹": "rupee rupees rupien inr рупи*",
    "kr": "kroner krone kronor krona kr nok sek dkk crown crowns kronen couronne couronnes coronas coroas corone крон* "
    "克朗 クローネ",
    "fr.": "franc francs franken chf франк* 法郎 フラン",
    "%": "percent prozent procent por_ciento pour_cent per_cent per_cento por_cento процент* проц % ％ パーセント",
    "°": "degrees degree grad градус* °",
    "mm": "mm millimetre millimetres millimeter millimeters",
    "cm": "cm centimetre centimetres centimeter centimeters zentimeter",
    "m": "m metre metres meter meters metern mètre mètres metro metros metri метр* メートル 米",
    "km": "km kilometre kilometres kilometer kilometers kilometern kilomètre kilomètres kilómetros chilometri "
    "километр* 公里 キロメートル キロ",
    "mi": "mile miles meile meilen mi",
    "ft": "foot feet ft fuß",
    "in": "inch inches",
    "yd": "yard yards",
    "g": "g gram grams gramm grammes gramos грамм*",
    "kg": "kg kilo kilos kilogram kilograms kilogramm килограмм* キログラム 公斤",
    "t": "tonne tonnes ton tons tonnen тонн*",
    "s": "seconds sekunde sekunden secondes segundos секунд*",
    "min": "minute minutes minuten minutos minuti минут*",
    "h": "hour hours stunde stunden heures horas ore час часа часов 小时",
    "d": "day days tag tage tagen jours días dias giorni день дня дней",
    "w": "week weeks woche wochen semaines semanas settimane недел*",
    "mo": "months monate monaten meses mesi месяц*",
    "y": "years jahre jahren ans années años anos anni лет",
    "people": "people persons menschen personen personnes personas persone человек",
}
_MONTHS = (
    "january jan januar janvier enero gennaio janeiro января январь января januari stycznia ledna",
    "february feb februar février febrero febbraio fevereiro февраля февраль februari lutego února",
    "march mar märz mars marzo março марта март maart marca března",
    "april apr avril abril aprile апреля апрель kwietnia dubna",
    "may mai mayo maggio maio мая май mei maja května maj",
    "june jun juni juin junio giugno junho июня июнь czerwca června",
    "july jul juli juillet julio luglio julho июля июль lipca července",
    "august aug août agosto августа август augusti augustus sierpnia srpna",
    "september sep sept septembre septiembre settembre setembro сентября сентябрь września září",
    "october oct oktober octobre octubre ottobre outubro октября октябрь października října",
    "november nov novembre noviembre novembro ноября ноябрь listopada listopadu",
    "december dec dezember décembre diciembre dicembre dezembro декабря декабрь december grudnia prosince",
)
MONTHS = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_MONTH = "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True))
MONTH_BESIDE = lazy_pattern(  # a month that a number stands beside
    rf"(?<=\d)(?:st|nd|rd|th)?[.,]?\s+(?:of\s+|de\s+|di\s+)?(?P<after>{_MONTH})\b(?!['’])|\b(?P<before>{_MONTH})\b"
    r"\.?(?=,?\s+(?:de\s+|of\s+|the\s+)?\d)",
    re.I,
)
PRECISE = frozenset("$ € £ ¥ ₽ ₹ kr fr. % °".split())  # a year never stands with one of these


def _pattern(word: str) -> str:
    escaped = re.escape(word.rstrip("*")).replace("_", r"[\s-]+")
    if word.endswith("*"):
        return rf"{escaped}\w*"
    return escaped if not word[0].isalnum() or word[0] > "\u3000" else rf"{escaped}\b"


_UNITS = {unit: lazy_pattern("|".join(map(_pattern, words.split())), re.I) for unit, words in _WORDS.items()}
_SIGNS = {sign: sign for sign in "$€£¥₽₹"}
_ANY = lazy_pattern("|".join(f"(?:{one.pattern})" for one in _UNITS.values()), re.I)
_BEFORE = lazy_pattern(r"(?:[$€£¥₽₹]|\b(?:usd|eur|gbp|jpy|cny|nok|sek|dkk|chf|inr|kr)\.?)\s?$", re.I)
_BETWEEN = lazy_pattern(r"[\s-]?(?:(?:de|d['’]|of)\s?)?(?:[A-Z]\w+\s)?")
_FURTHEST = 60  # characters after a number that may name its unit


def unit_before(text: str, start: int) -> str:
    """Return the currency that stands right before a number; "" for none."""
    found = _BEFORE.search(text, max(0, start - 5), start)
    return _SIGNS.get(found[0].strip()) or _named(found[0].strip(" .")) if found else ""


def unit_after(text: str, end: int) -> str:
    """Return the unit that stands right after a number; "" for none. One adjective may stand between."""
    if text[end : end + 1] in _SIGNS:
        return _SIGNS[text[end]]
    rest = text[end : end + _FURTHEST]
    between = _BETWEEN.match(rest)
    for at in dict.fromkeys((len(rest) - len(rest.lstrip(" -\u00a0\u202f")), between.end() if between else 0)):
        if rest[at : at + 1] in _SIGNS:
            return _SIGNS[rest[at]]
        if found := _ANY.match(rest, at):
            return _named(found[0])
    return ""


def _named(word: str) -> str:
    return next((unit for unit, words in _UNITS.items() if words.fullmatch(word)), "")


def is_unit(word: str) -> bool:
    """Return whether a word names a unit, a currency or a month."""
    return bool(_named(word)) or word in MONTHS


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
