"""Names of months, and Chinese numerals, for the dates of a timeline."""

from __future__ import annotations

from decimal import Decimal

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
