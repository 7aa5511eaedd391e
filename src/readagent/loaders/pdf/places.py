"""The place of a sheet for people: the page that it is in print, or else its number in the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

_LISTED = 20


def places_of(labels: Sequence[str], printed: Mapping[int, str]) -> list[str]:
    """Return the place of each sheet: page 57, or sheet 1 for one without a number among others that have one.

    ``labels`` are those of the file, and ``printed`` the numbers in headers and footers. Labels that contradict most
    of these are not used, nor are those that several sheets have, such as 1 for the cover and for the first page.
    """
    if not printed:
        return [f"page {label or sheet + 1}" for sheet, label in enumerate(labels)]
    agreeing = sum(labels[sheet] == number for sheet, number in printed.items())
    times = Counter(labels)
    unique = [label if times[label] == 1 and 2 * agreeing >= len(printed) else "" for label in labels]
    found = []
    for sheet, label in enumerate(unique):
        number = printed.get(sheet, "")
        page = label or (number if number not in unique else "")
        found.append(f"page {page}" if page else f"sheet {sheet + 1}")
    return found


def listed(places: Sequence[str]) -> str:
    """Return places in words: page 3; pages 3, 5; sheets 1, 2; page 3, sheet 9."""
    nouns = {place.partition(" ")[0] for place in places}
    shown = ", ".join(place.partition(" ")[2] if len(nouns) == 1 else place for place in places[:_LISTED])
    more = f" and {len(places) - _LISTED} more" if len(places) > _LISTED else ""
    noun = f"{nouns.pop()}{'s' if len(places) > 1 else ''} " if len(nouns) == 1 else ""
    return f"{noun}{shown}{more}"
