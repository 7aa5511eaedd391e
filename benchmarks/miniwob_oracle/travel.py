"""Policies for calendars, and for searching and booking flights."""

from __future__ import annotations

import re

from .clicking import Policy, ticket
from .seen import Intent, Seen

_MONTHS = "January February March April May June July August September October November December".split()


def picked(seen: Seen, found: re.Match[str]) -> Intent:
    field = seen.tagged("input")[0]  # the only one
    if seen.did(field) and not _calendar(seen):
        return Intent(seen.named("Submit", "button").id)
    return _pick(seen, found[1]) if _calendar(seen) else Intent(field.id)


def _calendar(seen: Seen) -> str:
    """Return the month and year of an open calendar; empty if it is closed."""
    shown = re.findall(rf"\b({'|'.join(_MONTHS)})\b\s*(\d{{4}})", " ".join(seen.lines()))
    return " ".join(shown[0]) if shown else ""


def _pick(seen: Seen, date: str) -> Intent:
    month, day, year = map(int, date.split("/"))
    name, shown_year = _calendar(seen).split()
    ahead = 12 * (year - int(shown_year)) + month - 1 - _MONTHS.index(name)
    if ahead:
        return Intent(next(item for item in seen.tagged("a") if ("Next" if ahead > 0 else "Prev") in item.name).id)
    return Intent(next(item for item in seen.tagged("a") if item.text == str(day)).id)


def flight(seen: Seen, found: re.Match[str]) -> Intent:
    """Fill in the form, with a suggestion for each city, search, and book the best flight."""
    if any("Book flight" in item.text for item in seen.items):
        return ticket(seen, found)
    if _calendar(seen):
        return _pick(seen, found[4])
    start, end, date = seen.tagged("input")[:3]
    for field, city in ((start, found[2].strip()), (end, found[3].strip())):
        if re.search(rf"(?:^|\(){re.escape(city)}(?:\)| \()", field.attributes.get("value", "")):
            continue
        for item in seen.items:
            if item.tag in ("li", "div") and re.search(rf"(?:^|\(){re.escape(city)}(?:\)| \()", item.text):
                return Intent(item.id)
        return Intent(field.id, "type", city)
    if not date.attributes.get("value"):
        return Intent(date.id)
    return Intent(seen.named("Search", "button").id)


POLICIES: tuple[tuple[str, Policy], ...] = (
    (r"^Select (\d+/\d+/\d+) as the date and hit submit", picked),
    (r"^Book the (cheapest|shortest) one-way flight from: (.+?) to: (.+?) on (\d+/\d+/\d+)", flight),
)
