"""Timestamps: ``00:12:31,500`` to seconds, and seconds to ``0:12:31``."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_PART = re.compile(r"\d+")


def seconds_of(time: str) -> float:
    """Return the seconds in a time of hours, minutes and seconds; the first parts may be missing."""
    whole, _, fraction = time.strip().replace(",", ".").partition(".")
    total = 0
    for part in _PART.findall(whole)[:3]:
        total = total * 60 + int(part[:9])
    return total + (float(f"0.{fraction}") if fraction.isdecimal() else 0.0)


def clock(seconds: float) -> str:
    """Return a time such as ``0:41:07``."""
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def date_time(stamp: float) -> str:
    """Return the date and time of a Unix timestamp in seconds or milliseconds; empty if it is out of range."""
    if 1e11 < stamp < 1e15:
        stamp /= 1000
    if not 1e8 <= stamp < 1e11:
        return ""
    try:
        return datetime.fromtimestamp(stamp, UTC).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, OSError, ValueError):
        return ""
