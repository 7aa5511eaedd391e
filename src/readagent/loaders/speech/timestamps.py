"""Times of recordings: ``00:12:31,500`` as seconds, and seconds as a person says them, ``0:12:31``."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_PART = re.compile(r"\d+")


def seconds_of(time: str) -> float:
    """Hours, minutes and seconds, of which the first may be missing."""
    whole, _, fraction = time.strip().replace(",", ".").partition(".")
    total = 0
    for part in _PART.findall(whole)[:3]:
        total = total * 60 + int(part[:9])
    return total + (float(f"0.{fraction}") if fraction.isdecimal() else 0.0)


def clock(seconds: float) -> str:
    """``0:41:07``."""
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def moment(stamp: float) -> str:
    """The date and time of a stamp in seconds since 1970, or in thousandths of them; nothing where it is none."""
    if 1e11 < stamp < 1e15:
        stamp /= 1000
    if not 1e8 <= stamp < 1e11:
        return ""
    try:
        return datetime.fromtimestamp(stamp, UTC).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, OSError, ValueError):
        return ""
