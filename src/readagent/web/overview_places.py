"""Where the statements and names of an overview are in the text, for a page that shows one place of each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from readagent.core.memory import GistMemory
from readagent.core.overviews.records import Point
from readagent.core.overviews.where import place_at, places_of


def quote_first(point: Point, memory: GistMemory) -> list[str]:
    """Return the places of a statement, that of its quote first."""
    quote = point.quote
    if quote is None:
        return places_of(point, memory)
    others = (memory.pages[page].start for page in point.pages if page != quote.page)
    return list(dict.fromkeys(place_at(memory, offset) for offset in (quote.start, *others)))


def name_end(names: Sequence[str], text: str, start: int) -> int:
    """Return where the name that stands at an offset ends: one of these names, or a word of one."""
    forms = {*names, *(word for name in names for word in name.split())}
    for form in sorted(forms, key=len, reverse=True):
        match = re.compile(r"\s+".join(map(re.escape, form.split()))).match(text, start)
        if match and match.end() > start:
            return match.end()
    word = re.compile(r"[\w'’-]+").match(text, start)
    return word.end() if word else start
