"""The words of dates in several languages: months, seasons, ordinals, eras, and what stands before and after years."""

from __future__ import annotations

from readagent.core.support.units import MONTHS as _COMMON_MONTHS

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

ERAS = {"明治": 1868, "大正": 1912, "昭和": 1926, "平成": 1989, "令和": 2019}  # the year 1 of each, in Japan
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
