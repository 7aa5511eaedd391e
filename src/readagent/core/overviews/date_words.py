"""The words of dates in several languages, and spans, centuries and years that stand alone."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable

from readagent.core.patterns import lazy_pattern
from readagent.core.support.units import MONTHS as _COMMON_MONTHS
from readagent.core.support.units import chinese

_MORE_MONTHS = (
    "يناير январе", "fevrier فبراير феврале", "مارس марте", "أبريل ابريل апреле", "مايو мае", "يونيو июне",
    "يوليو июле", "aout أغسطس августе", "سبتمبر сентябре", "okt أكتوبر октябре", "نوفمبر ноябре",
    "dez decembre ديسمبر декабре",
)  # fmt: skip
MONTHS = {**_COMMON_MONTHS, **{name: at for at, names in enumerate(_MORE_MONTHS, 1) for name in names.split()}}

_SEASONS = {  # by the first of their three months
    3: "spring frühling frühlings frühjahr printemps primavera весна весной весны",
    6: "summer sommer sommers été verano estate verão лето летом лета",
    9: "autumn fall herbst herbsts automne otoño autunno outono осень осенью осени",
    12: "winter winters hiver invierno inverno зима зимой зимы",
}
SEASONS = {name: month for month, names in _SEASONS.items() for name in names.split()}
CJK_SEASONS = {"春": 3, "夏": 6, "秋": 9, "冬": 12}

HOLIDAYS = {  # by name; the month and day, or only the month where it moves or lasts for days
    "christmas day": (12, 25), "christmas eve": (12, 24), "boxing day": (12, 26), "christmas": (12, 0),
    "christmastide": (12, 0), "new year's day": (1, 1), "new year’s day": (1, 1), "new year's eve": (12, 31),
    "new year’s eve": (12, 31), "new year": (1, 0), "epiphany": (1, 6), "candlemas": (2, 2), "lady day": (3, 25),
    "midsummer": (6, 0), "midsummer day": (6, 24), "michaelmas": (9, 29), "halloween": (10, 31),
    "hallowe'en": (10, 31), "hallowe’en": (10, 31), "all saints' day": (11, 1), "all saints’ day": (11, 1),
    "martinmas": (11, 11), "thanksgiving": (11, 0), "easter": (0, 0), "easter sunday": (0, 0), "easter monday": (0, 0),
    "good friday": (0, 0), "whitsun": (0, 0), "pentecost": (0, 0), "passover": (0, 0),
    "ramadan": (0, 0), "weihnachten": (12, 0), "heiligabend": (12, 24), "silvester": (12, 31), "neujahr": (1, 1),
    "ostern": (0, 0), "pfingsten": (0, 0), "noël": (12, 0), "pâques": (0, 0), "navidad": (12, 0),
    "nochebuena": (12, 24), "natale": (12, 0), "pasqua": (0, 0), "рождество": (0, 0),
}  # fmt: skip

_UNITS = "first second third fourth fifth sixth seventh eighth ninth".split()
_TEENS = "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split()
ORDINALS = {
    **{name: at for at, name in enumerate([*_UNITS, *_TEENS, "twentieth"], 1)},
    **{f"twenty{mark}{name}": 20 + at for at, name in enumerate(_UNITS, 1) for mark in "- "},
    "thirtieth": 30, "thirty-first": 31, "thirty first": 31,
}  # fmt: skip

JAPANESE_ERAS = {"明治": 1868, "大正": 1912, "昭和": 1926, "平成": 1989, "令和": 2019}  # the year 1 of each, in Japan
ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}

BEFORE_CHRIST = (
    r"(?:(?i:B\.? ?C\.?(?: ?E\.?)?)|(?i:v\. ?Chr\.?|v\. ?u\. ?Z\.)|av\. J\.-C\.|avant J\.-C\.|a\. ?(?:de )?C\."
    r"|до н\. ?э\.|ق\.? ?م\.?)(?!\w)"
)
AFTER_CHRIST = (
    r"(?:A\.? ?D\.?|C\.?E\.?|(?i:n\. ?Chr\.?|n\. ?u\. ?Z\.)|ap(?:r|rès)?\.? J\.-C\.|d\. ?(?:de )?C\.|н\. ?э\.)(?!\w)"
)

YEAR_WORDS = r"year|jahre?s?|l['’]an(?:née)?|année|año|anno|ano|год[ау]?|سنة|عام"
IN = (  # words before a year that are rarely before another number
    "in since until till during anno circa ca mid early late born died dated copyright im seit bis ab anfang mitte ende"
    " en depuis dès jusqu'en desde hasta em até nel nell' dal sinds в с до к"
)
NEAR = (  # words before a year that are before other numbers, too
    "of by for from to before after around about between and or the this that last next c von vom vor nach um für"
    " und oder de du pour para à vers avant après hacia antes después y o del al e van voor na tot для от после около и"
)
NUMBERED = (  # words before a number that is none of a year
    "room rooms page pages p pp no nos nr number numbers numéro número chapter chapters ch verse verses v vv line lines"
    " psalm hymn canto act scene section sections sec article articles art paragraph paragraphs para § route highway"
    " road flight train bus model mark type version windows channel box suite apartment apt flat floor gate key house"
    " unit item items lot case file folio fol sheet plate figure fig table vol volume volumes issue step ext extension"
    " phone telephone tel fax dial call zip code account ticket seat locker cell cabin ward platform zimmer seite"
    " seiten kapitel vers zeile chambre numero página pagina capítulo страница стр глава комната номер isbn id"
)
UNITS = (
    r"%|°|(?:[kcm]?m|[km]?g|lbs?|ft|mph|hp|kw|mb|gb|percent|per|men|women|people|children|persons|souls|feet|foot|head"
    r"|horse|sheep|cattle|hundred|thousand|million|mann|menschen|meter|kilometer|hommes|hombres|человек|рублей|руб)\b"
)
LASTING = (  # after a number: how long it lasts, or a time of day
    r"years?|days?|hours?|hrs?|weeks?|months?|minutes?|mins?|seconds?|secs?|nights?|local time|o['’]clock"
    r"|(?-i:GMT|UTC|BST|CEST|CET|EST|EDT|PST|PDT)|uhr|jahren?|tagen?|stunden?|ans|années|jours|heures|años|días|horas"
    r"|лет|дней|часов"
)
COUNTED = (  # after "in" and a number: that many of these
    "cases|copies|words|rooms|pages|lines|verses|volumes|places|instances|fällen|exemplaren"
    "|wörtern|zimmern|räumen|seiten|zeilen|bänden|orten|städten|dörfern|häusern|cas|exemplaires|mots|pièces|endroits"
    "|casos|ejemplares|palabras|habitaciones|páginas|lugares|pueblos|случаях|экземплярах|словах|комнатах|страницах"
    "|местах|городах"
)
NOT_PLURAL = frozenset("was is has his its this as us plus yes perhaps always besides towards versus thus does".split())


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for any of these words."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_NAMES = any_of(MONTHS)
_OF = r"(?:of\s+|de\s+|del\s+|di\s+)?"
_TO = r"(?:\s*[–—-]\s*|\s+(?:to|until|till|through|and|bis|und|au|et|al|a|y|e|по|и)\s+)(?:the\s+|el\s+|le\s+|zum\s+)?"
_ENDING = r"(?:st|nd|rd|th|er|\.|º|-го)?"
_YEAR = r"[12]\d{3}(?!\w|[.,:/-]\d)"
DAYS = (
    rf"(?<![\w.,/-])(?P<day>\d{{1,2}}){_ENDING}\s*{_OF}(?P<month>{_NAMES})(?!\w)\.?(?:,?\s+{_OF}(?P<from>{_YEAR}))?{_TO}"
    rf"(?P<last>\d{{1,2}}){_ENDING}\s*{_OF}(?P<until>{_NAMES})(?!\w)\.?,?\s+{_OF}(?P<year>{_YEAR})"
)
DAYS_AFTER_MONTHS = (
    rf"(?<!\w)(?P<month>{_NAMES})(?!\w)\.?\s+(?P<day>\d{{1,2}}){_ENDING}(?:,?\s+(?P<from>{_YEAR}))?,?{_TO}"
    rf"(?P<until>{_NAMES})(?!\w)\.?\s+(?P<last>\d{{1,2}}){_ENDING},?\s+(?P<year>{_YEAR})"
)
MONTHS_ALONE = (
    rf"(?:(?<!\w)(?P<between>from|between|von|zwischen|de|entre|с|между)\s+)?(?<![\w.])(?P<month>{_NAMES})(?!\w)\.?"
    rf"(?:\s+{_OF}(?P<from>{_YEAR}))?(?:(?P<mark>\s*[/–—-]\s*)|\s+(?P<word>to|until|till|through|and|bis|und|à|et|a|y|по|и)\s+)"
    rf"(?P<until>{_NAMES})(?!\w)\.?\s+{_OF}(?P<year>{_YEAR})"
)
SLASHED_YEARS = r"(?<![\w.,/$€£-])(?P<year>[12]\d{3})/(?P<last>[12]\d{3}|\d{2})(?!\w|[./:-]\d|/)"
_EARLY = r"\d{1,2},\d{3}|[1-9]\d{0,4}"  # a year with its era after it
_AFTER = r"A\.? ?D\.?\s+"
YEARS_WITH_ERAS = (
    rf"(?:(?<!\w)(?P<between>from|between|von|zwischen|de|entre)\s+)?(?<![\w.,-])"
    rf"(?:(?P<first>{_EARLY})(?:\s*(?:(?P<bc>{BEFORE_CHRIST})|(?P<ad>{AFTER_CHRIST})))?|{_AFTER}(?P<early>[1-9]\d{{0,3}}))"
    r"(?:\s*[–—-]\s*|\s+(?:to|until|till|through|bis|à|a|al)\s+|\s+(?P<and>and|und|et|y)\s+)"
    rf"(?:(?P<last>{_EARLY})\s*(?:(?P<until_bc>{BEFORE_CHRIST})|{AFTER_CHRIST})|{_AFTER}(?P<late>[1-9]\d{{0,3}}))"
)
_ONE_DECADE = r"(?:mid-|(?:early|mid|late)\s+)?(?P<{}>1\d{{2}}0|20\d0)(?:['’]?s|ern?)(?!\w)"
DECADES = (
    rf"(?<![\w.,$€£-]){_ONE_DECADE.format('first')}"
    rf"(?:\s*[–—-]\s*|\s+(?:to|until|through|and|or|into|bis|und|oder)\s+)(?:the\s+|die\s+)?{_ONE_DECADE.format('last')}"
)
_AND = frozenset(("and", "und", "et", "y", "и"))
_NUMBERED = lazy_pattern(rf"(?:^|[\W\d])(?:{NUMBERED.replace(' ', '|')})\.?\s*[:(]?\s*$", re.I)


def numbered(text: str, at: int) -> bool:
    """Return whether a word before an offset says that a number is none of a date: "room", "page"."""
    return bool(_NUMBERED.search(text[max(0, at - 40) : at]))


def read_days(match: re.Match[str]) -> str:
    """Return the first and the last day of a span."""
    year, month, until = int(match["year"]), MONTHS[match["month"].casefold()], MONTHS[match["until"].casefold()]
    first = int(match["from"]) if match["from"] else year - (month > until)
    start, end = (first, month, int(match["day"])), (year, until, int(match["last"]))
    if start >= end or not all(0 < day <= monthrange(2000, month)[1] for _, month, day in (start, end)):
        return ""
    return "/".join(f"{one[0]:04d}-{one[1]:02d}-{one[2]:02d}" for one in (start, end))


def read_months(match: re.Match[str]) -> str:
    """Return the first and the last month of a span. Two with "and" are one only if they follow each other."""
    year, month, until = int(match["year"]), MONTHS[match["month"].casefold()], MONTHS[match["until"].casefold()]
    first = int(match["from"]) if match["from"] else year - (month > until)
    months = 12 * (year - first) + until - month
    two = (match["word"] or "").casefold() in _AND and not match["between"]
    return "" if months <= 0 or (two and months > 1) else f"{first:04d}-{month:02d}/{year:04d}-{until:02d}"


def read_slashed(match: re.Match[str]) -> str:
    """Return 1939/40 as two years, and 2021/07 as a month."""
    if numbered(match.string, match.start()):
        return ""
    year, last = int(match["year"]), match["last"]
    if int(last) in (year + 1, (year + 1) % 100):
        return f"{year:04d}/{year + 1:04d}"
    return f"{year:04d}-{int(last):02d}" if 1 <= int(last) <= 12 else ""


def read_eras(match: re.Match[str]) -> str:
    """Return the first and the last year of a span before or after Christ."""
    if match["and"] and not match["between"]:
        return ""
    named = match["bc"] or match["ad"] or match["early"]
    if not (named or match["between"]):
        return ""
    first, last = (int((one or two).replace(",", "")) for one, two in
                   ((match["first"], match["early"]), (match["last"], match["late"])))  # fmt: skip
    last = -last if match["until_bc"] else last
    first = -first if match["bc"] or (not named and match["until_bc"]) else first
    return f"{_era_year(first)}/{_era_year(last)}" if first < last and last <= 9999 else ""


def _era_year(year: int) -> str:
    return f"{'-' if year < 0 else ''}{abs(year):04d}"


def read_decades(match: re.Match[str]) -> str:
    """Return the first and the last year of several decades."""
    first, last = int(match["first"]), int(match["last"])
    return f"{first:04d}/{last + (9 if last % 100 else 99 if first % 100 == 0 else 9):04d}" if first < last else ""


CENTURY = (
    rf"(?<!\w)(?:(?P<word>{any_of(ORDINALS)})\s+centur(?:y|ies)|(?P<number>\d{{1,2}})(?:(?:st|nd|rd|th)\s+centur(?:y|ies)"
    r"|\.\s*jahrhunderts?|(?:er|ème|e|ᵉ)\s+siècles?|(?:-го|-м)?\s+век(?:а|е)?|\s*世[纪紀]|\s*세기)"
    r"|(?:siglo|secolo|século)\s+(?:(?P<es>\d{1,2})|(?P<after>[ivxlc]+))|(?P<roman>[ivxlc]+)(?:er|ème|e|ᵉ)?\s+"
    rf"(?:siècles?|secol[oi]|век(?:а|е|ов|ах)?)|(?P<cjk>[一二三四五六七八九十]{{1,3}})世[纪紀])(?![^\W\u4e00-\u9fff])(?:\s*(?P<bc>{BEFORE_CHRIST}))?"
)
_TO_CENTURY = r"(?:\s*[–—-]\s*|\s+(?:to|until|through|and|or|bis|und|oder|au|à|et|ou|a|al|y|по|и)\s+|\s*[至到～]\s*)"
_MORE = r"(?:the\s+|zum\s+|le\s+|el\s+)?(?:(?:early|mid|late)[\s-]+)?"
CENTURIES = (
    rf"(?<!\w)(?:(?:siglos|secoli|séculos)\s+)?(?:(?P<first_word>{any_of(ORDINALS)})|(?P<first_number>\d{{1,2}})(?:st|nd|rd|th|\."
    r"|er|ème|e|ᵉ|-го)?|(?P<first_roman>[ivxlc]+)(?:er|ème|e|ᵉ)?)(?:\s+century)?"
    rf"{_TO_CENTURY}{_MORE}(?:{CENTURY}|(?<=\s)(?P<last_roman>[ivxlc]+)(?!\w))"
)
_CENTURIES = re.compile(r"\W*(?:siglos|secoli|séculos)\b", re.I)


def read_century(match: re.Match[str]) -> str:
    """Return the first and the last year of a century."""
    roman = match["roman"] or match["after"]
    return _years(roman, match["cjk"] or match["word"] or match["number"] or match["es"], bool(match["bc"]))


def read_centuries(match: re.Match[str]) -> str:
    """Return the first year of the first century of a span, and the last year of the last one."""
    if match["last_roman"] and not _CENTURIES.match(match[0]):  # "XV a XVII" may be anything
        return ""
    last = _years(match["last_roman"], None, False) if match["last_roman"] else read_century(match)
    first = _years(match["first_roman"], match["first_word"] or match["first_number"], bool(match["bc"]))
    begins, ends = first.partition("/")[0], last.rpartition("/")[2]
    return f"{begins}/{ends}" if first and last and int(begins) < int(ends) else ""


def _years(roman: str | None, told: str | None, before_christ: bool) -> str:
    number = _roman(roman) if roman else _number(told or "")
    if not 0 < number <= 40:
        return ""
    first, last = (-100 * number, -100 * number + 99) if before_christ else (100 * number - 99, 100 * number)
    return "/".join(f"{'-' if year < 0 else ''}{abs(year):04d}" for year in (first, last))


def _number(told: str) -> int:
    word = re.sub(r"\s+", " ", told.casefold())
    if word in ORDINALS:
        return ORDINALS[word]
    return int(word) if word.isdecimal() else int(chinese(word) or 0)


def _roman(text: str) -> int:
    values = [ROMAN[letter] for letter in text.upper()]
    return sum(-one if one < max(values[at:]) else one for at, one in enumerate(values))


_FREE = r"(?:(?<=mid-)|(?<![\w.,$€£¥#§№:/+&'’=°~^-]))"  # nothing before it that makes it part of another number
_ENDS = r"(?!\w|[.,:/'’]\d|(?<=0)['’]s|[-–]\w|\)?\s\d)"
ALONE = rf"{_FREE}(?P<year>1\d{{3}}|20\d{{2}}){_ENDS}"
YEARS = (
    rf"(?:(?<!\w)(?P<from>from|between|von|zwischen|de|entre|с|dal)\s+)?{_FREE}(?P<first>1\d{{3}}|20\d{{2}})"
    r"(?:(?P<dash>\s*[–—-]\s*)|\s+(?:to|till|until|and|bis|und|à|et|a|y|по|al)\s+)(?P<last>1\d{3}|20\d{2}|\d{2})"
    r"(?!\w|[.,:/-]\d)"
)
EARLY = (  # a year of three digits is told so, with a word after it that is none of a count
    r"(?<!\w)(?:[Ii]n|[Ss]ince|[Uu]ntil)\s+(?P<year>[1-9]\d{2})"
    r"(?=,\s+[^\W\d]|\s+(?:the|a|an|he|she|it|they|his|her|its|their)\b|\s+[A-Z][a-z]+\s+[a-z]+ed\b)"
)
_IN = lazy_pattern(
    rf"(?:^|[\W\d])(?:{IN.replace(' ', '|')})\.?\s+$|\b(?:(?:it|this)\s+(?:was|is)|es\s+war|mid-)\s*$", re.I
)
_NEAR = lazy_pattern(rf"(?:^|[\W\d])(?:{NEAR.replace(' ', '|')})\.?\s+$", re.I)
_AGE = lazy_pattern(r"\b(?:aged?|alter|âge|edad|età|возрасте)\s+(?:of|von|de|di)?\s*$", re.I)
_AFTER_NUMBER = lazy_pattern(r"\d[)\s–—]*$")
_OPEN = lazy_pattern(r"(?:^|[,;:(\[\"“„«—–…!?.])[\s*_#]*$")
_CLOSED = lazy_pattern(r"\s*(?:$|[.,;:!?)\]\"”»—–…])")
_UNIT = lazy_pattern(rf"\s*(?:{UNITS}|[$€£¥])", re.I)
_LASTING = lazy_pattern(rf"\s*[-–]?\s*(?:{LASTING})\b(?!\s+(?:and|und)\s+\d)", re.I)
_SECOND = lazy_pattern(r"\s*(?:[–—-]|\b(?:and|to|or|bis|und|oder|à|et|ou|a|y|o)\b)\s*\d[\d.,]*", re.I)
_NEXT = lazy_pattern(r"\s+([^\W\d_]+)")
_COUNTED = lazy_pattern(rf"\s+(?:{COUNTED})\b(?!\s+(?:were|are|had|have|rose|fell|began)\b)", re.I)
_SUBJECT = lazy_pattern(r"\s+[^\W\d_]+\s+(?:he|she|it|they|we|I|you|there)\b")
_BEFORE_DECADE = lazy_pattern(r"\bd[ée]cada\s+de\s+(?:los\s+años\s+)?$", re.I)
_BEFORE_YEARS = lazy_pattern(r"\b(?:years|jahren?|années|años|anni|anos|годы|годах)\s+$", re.I)
_PLURAL = lazy_pattern(r"[^\W\d_]{2,}[^siu\W\d_]s")  # no "census" or "crisis"
_YEARS = lazy_pattern(r"\b(?:years|jahren?)\s+$", re.I)  # in French, "années 1840" is a decade
_CONTEXT = 40  # characters before a number that are looked at


def read_alone(match: re.Match[str]) -> str:
    """Return a year, or "" if the number seems to be another."""
    return match["year"] if _is_year(match.string, match.start("year"), match.end("year")) else ""


def read_early(match: re.Match[str]) -> str:
    """Return a year of three digits."""
    return f"{int(match['year']):04d}"


def read_years(match: re.Match[str]) -> str:
    """Return the first and last year of a span such as 1914-18, "" if it is none."""
    first, last = match["first"], match["last"]
    last = first[:2] + last if len(last) == 2 else last
    if int(last) <= int(first) or not (match["from"] or match["dash"]):
        return ""
    start = match.start("first")
    month = match["dash"] == "-" and len(match["last"]) == 2 and int(match["last"]) <= 12
    if month and not follows_years(match.string, start):
        return ""
    before = match.string[max(0, start - _CONTEXT) : start]
    after = match.string[match.end() : match.end() + _CONTEXT]
    several = len(match["last"]) > 2 and counts(after)
    return "" if _NUMBERED.search(before) or several else f"{first}/{last}"


def follows_years(text: str, at: int) -> bool:
    """Return whether a word before an offset says that several years follow: "the years 1801-05"."""
    return bool(_BEFORE_YEARS.search(text[max(0, at - _CONTEXT) : at]))


def _is_year(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - _CONTEXT) : start], text[end : end + _CONTEXT]
    if second := _SECOND.match(after):  # "between 1500 and 2000 soldiers"
        rest = after[second.end() :]
        if _LASTING.match(rest) or (counts(rest) and not _IN.search(before)):
            return False
    if _LASTING.match(after) or _UNIT.match(after) or _NUMBERED.search(before) or _AFTER_NUMBER.search(before):
        return False
    if _AGE.search(before):
        return False
    if _COUNTED.match(after) or _BEFORE_DECADE.search(before):
        return False
    if _IN.search(before) or _YEARS.search(before):
        return not (counts(after) and _SUBJECT.match(after))  # "in 1914 troops marched", "in 1914 rows they marched"
    if counts(after):
        return False
    return bool(_NEAR.search(before)) or (bool(_OPEN.search(before)) and _stands(after))


def counts(after: str) -> bool:
    """Return whether a number is one of things: the next word is a unit, or looks like a plural."""
    word = _NEXT.match(after)
    plural = word and word[1].islower() and _PLURAL.fullmatch(word[1]) and word[1] not in NOT_PLURAL
    return bool(_UNIT.match(after) or plural)


def _stands(after: str) -> bool:
    """Whether a number that opens a clause may be a year: a mark or a word in small letters follows."""
    word = _NEXT.match(after)
    return bool(_CLOSED.match(after)) or bool(word and word[1].islower())
