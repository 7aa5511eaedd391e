"""Read from the headers or the text of an error how many seconds a server asks us to wait."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from readagent.core.patterns import lazy_pattern

_LONGEST = 7 * 86400.0
_UNITS = {"ms": 0.001, "milli": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = lazy_pattern(r"(\d{1,12}(?:\.\d{1,12})?)\s*(ms|milli|s|m|h|d)[a-z]*\s*", re.I)
_TOLD = lazy_pattern(
    r"(?:(?:try again|retry)(?: \w+)? (?:in|after)|wait(?: for| at least)?)(?: about)?:? "
    r"((?:\d{1,12}(?:\.\d{1,12})?\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)\b[ ,]*"
    r"|\d{1,6}(?:\.\d{1,12})?[hms](?=\d))+)",
    re.I,
)


def from_headers(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that the headers name: milliseconds, seconds, a date, or the reset of a used-up limit."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        seconds = _number(value, unit)
        seconds = _until_date(value) if seconds is None and value else seconds
        if seconds is not None:
            return seconds
    resets = [
        seconds
        for name in ("", "-requests", "-tokens")
        if headers.get(f"x-ratelimit-remaining{name}", "").strip() == "0"
        and (seconds := _reset(headers.get(f"x-ratelimit-reset{name}", "").strip())) is not None
    ]
    return max(resets, default=None)


def from_fields(fields: Iterable[tuple[str, Any]]) -> float | None:
    """Return the seconds that fields of an error name, such as ``retry_after``, ``retryDelay`` or a copied header."""
    for name, value in fields:
        if name == "x-ratelimit-reset" and (reset := _reset(str(value))) is not None:
            return reset
        key = name.lower().replace("-", "").replace("_", "")
        if key in ("retryafter", "retrydelay", "retryafterseconds", "retryafterms"):
            found = duration(str(value)) if isinstance(value, str | int | float) else None
            if found is not None:
                return found / 1000 if key.endswith("ms") else found
    return None


def from_text(message: str) -> float | None:
    """Return the seconds that a message names: "try again in 6m0s", "retry after 26 seconds"."""
    found = _TOLD.search(message)
    return duration(found[1]) if found else None


def duration(text: str) -> float | None:
    """Return the seconds of "1h2m3.5s", "120ms", "26 seconds" or "34"; None if it is none of these."""
    text = text.strip(" ,.")
    parts = [(float(match[1]), match[2].lower()) for match in _PART.finditer(text)]
    if not parts or _PART.sub("", text).strip(" ,"):
        return _number(text, 1.0)
    return _bounded(sum(number * _UNITS[unit] for number, unit in parts))


def _number(value: str, unit: float) -> float | None:
    return _bounded(float(value) * unit) if re.fullmatch(r"\d{1,12}(?:\.\d{1,12})?", value.strip()) else None


def _reset(value: str) -> float | None:
    """Return the seconds until a limit is reset: a duration, or a time in seconds or milliseconds since 1970."""
    if re.fullmatch(r"\d{10}|\d{13}", value):
        return _bounded(max(0.0, float(value) / (1000 if len(value) == 13 else 1) - time.time()))
    return duration(value)


def _until_date(value: str) -> float | None:
    try:
        when = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return _bounded(max(0.0, (when - datetime.now(UTC)).total_seconds()))


def _bounded(seconds: float) -> float | None:
    return seconds if math.isfinite(seconds) and 0 <= seconds <= _LONGEST else None
