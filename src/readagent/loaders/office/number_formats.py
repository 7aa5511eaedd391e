"""Numbers of a spreadsheet as people see them: decimals, thousands, percentages, currencies, dates and times."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta
from functools import lru_cache

BUILT_IN = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00",
    14: "yyyy-mm-dd", 15: "yyyy-mm-dd", 16: "mm-dd", 17: "yyyy-mm", 18: "hh:mm", 19: "hh:mm:ss", 20: "hh:mm",
    21: "hh:mm:ss", 22: "yyyy-mm-dd hh:mm", 37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00", 45: "mm:ss",
    46: "[h]:mm:ss", 47: "mm:ss.0", 48: "0.0E+0", 49: "@",
    **dict.fromkeys((*range(27, 32), 36, *range(50, 55), 57, 58), "yyyy-mm-dd"),
    **dict.fromkeys(range(32, 36), "hh:mm:ss"),
}  # fmt: skip
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)(?:-[^\]]*)?\]')
_SKIPPED = re.compile(r"\[[^\]]*\]|_.|\*.")  # colours, conditions, and space as wide as a character
_DIGITS = re.compile(r"[#0?](?:[#0?,.]*[#0?])?[.,]*")
_DATE = re.compile(r"[ymdhs]|AM/PM", re.IGNORECASE)
_ELAPSED = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
_CONDITION = re.compile(r"\[\s*[<>=]")  # different formats for small and large numbers
_MAX_DATE = 2_958_465  # 9999-12-31
_LEAP_BUG = 60  # Excel counts 1900-02-29, which did not exist


def shown(value: float, code: str, *, from_1904: bool = False) -> str:
    """Return a number in this format; dates as 2024-03-01, with the time if the format has one."""
    if not math.isfinite(value) or _CONDITION.search(code):
        return general(value)
    section, value = _section(code, value)
    plain = _LITERAL.sub("", section)
    if elapsed := _ELAPSED.search(plain):
        return _elapsed(value, elapsed[1].lower(), plain[elapsed.end() :].lower())
    plain = _SKIPPED.sub("", plain)
    if _DATE.search(plain) and "general" not in plain.lower():
        return _date(value, plain.lower(), from_1904)
    return _number(value, section)


def general(value: float) -> str:
    """Return a number without a format, with at most eleven significant digits."""
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.11g}".replace("e", "E")


def _section(code: str, value: float) -> tuple[str, float]:
    """Return the part of the format for this number, by its sign, and the number to show with it."""
    sections = _sections(code)
    if value < 0 and len(sections) > 1:
        return sections[1], -value
    if value == 0 and len(sections) > 2:
        return sections[2], value
    return sections[0], value


@lru_cache(maxsize=256)
def _sections(code: str) -> tuple[str, ...]:
    parts = re.findall(r'(?:"[^"]*"|\\.|[^;"\\]|["\\])+|(?<=;)(?=;|$)', code)
    return tuple(parts) or ("General",)


def _number(value: float, section: str) -> str:
    text = _SKIPPED.sub("", _LITERAL.sub(_protected, section))
    found = _DIGITS.search(text)
    if not found:
        if re.search("general|@", text, re.IGNORECASE):
            return _unprotected(re.sub("general|@", lambda _: general(value), text, count=1, flags=re.IGNORECASE))
        return _unprotected(text).strip() or general(value)
    digits = found[0]
    text_after = text[found.end() :]
    exponent = re.match(r"E[+-]0+", text_after, re.IGNORECASE)
    rest = text_after[exponent.end() :] if exponent else text_after
    if _DIGITS.search(rest):  # a number in groups such as 000-00
        return general(value)
    decimals = len(re.findall("[0#?]", digits.partition(".")[2]))
    value = value * 100 ** text.count("%") / 1000 ** (len(digits) - len(digits.rstrip(",")))
    kind = "E" if exponent else "f"
    comma = "," if "," in digits.rstrip(",") and not exponent else ""
    written = f"{abs(value):{comma}.{min(decimals, 30)}{kind}}"
    sign = "-" if value < 0 and any(digit in "123456789" for digit in written) else ""
    if "#" in digits.partition(".")[2] and "." in written and not exponent:
        least = digits.partition(".")[2].count("0")
        whole, _, decimal = written.partition(".")
        decimal = decimal[:least] + decimal[least:].rstrip("0")
        written = f"{whole}.{decimal}" if decimal else whole
    if not (comma or exponent):  # such as 00042
        missing = digits.partition(".")[0].count("0") - len(written.partition(".")[0])
        written = "0" * min(missing, 30) + written
    return " ".join(_unprotected(sign + text[: found.start()] + written + rest).split())


def _protected(found: re.Match[str]) -> str:
    """Move literal text out of the way of the signs of a format, to private characters."""
    literal = found[1] or found[2] or found[3] or ""
    return "".join(chr(0xF0000 + ord(one)) if ord(one) < 0xFFFF else "" for one in literal)


def _unprotected(text: str) -> str:
    return "".join(chr(ord(one) - 0xF0000) if ord(one) >= 0xF0000 else one for one in text)


def _elapsed(value: float, unit: str, rest: str) -> str:
    """Return a duration in hours, minutes or seconds, whichever the format counts, and in the smaller units it has."""
    seconds = round(abs(value) * 86_400)
    counted = seconds // {"h": 3600, "m": 60, "s": 1}[unit[0]]
    parts = [f"{counted:0{min(len(unit), 9)}}"]
    parts += [f"{seconds // 60 % 60:02}"] if unit[0] == "h" and "m" in rest else []
    parts += [f"{seconds % 60:02}"] if unit[0] != "s" and "s" in rest else []
    return ("-" if value < 0 else "") + ":".join(parts)


def _date(value: float, code: str, from_1904: bool) -> str:
    if not 0 <= value <= _MAX_DATE:
        return general(value)
    days = value + 1462 if from_1904 else value if value >= _LEAP_BUG else value + 1
    moment = datetime(1899, 12, 30) + timedelta(days=days)
    moment = (moment + timedelta(milliseconds=500)).replace(microsecond=0)
    has_day = "y" in code or "d" in code
    has_time = "h" in code or "s" in code
    if not has_day and not has_time:  # a month alone
        return f"{moment:%B}"
    if not has_day:
        return f"{moment:%H:%M:%S}" if "s" in code else f"{moment:%H:%M}"
    day = moment.date().isoformat()
    if "d" not in code and not has_time:
        return day[:7] if "m" in code else day[:4]
    return f"{day} {moment:%H:%M:%S}" if "s" in code else f"{day} {moment:%H:%M}" if has_time else day
