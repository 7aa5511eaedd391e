"""Read statements that name their pages at their end: "She leaves the island [Page 3]. Nobody follows [Pages 3, 4].".

What names no page is no statement: an introduction, a courtesy, a message of failure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from readagent.core.form import Form, strip_thinking, unfenced
from readagent.core.overviews.points import Point
from readagent.core.patterns import lazy_pattern
from readagent.core.rows import NUMBERS, expanded
from readagent.core.words import sentences

NOT_IN_THE_TEXT = "NOT IN THE TEXT"
_NAMED = lazy_pattern(rf"[\[(]\s*(?:pages?|pp?\.?)\s*({NUMBERS})\s*[\])]", re.I)
_BARE = lazy_pattern(rf"\[\s*({NUMBERS})\s*\]")
_BETWEEN = " ,;"  # of marks that belong together
_BULLET = lazy_pattern(r"^\s*(?:[-*+\u2022]\s+|\d{1,3}[.)]\s+|#{1,6}\s+)+")
_MARKUP = lazy_pattern(r"\*\*|__")


def says_only(reply: str, word: str) -> bool:
    """Return whether a reply is this word of its own, such as NONE."""
    found = Form((), (word,)).parse(reply)
    return found is not None and found.word == word


def points_in(reply: str, allowed: Collection[int]) -> list[Point]:
    """Return the statements of a reply that name an allowed page, one for each sentence. It never raises."""
    points: list[Point] = []
    text = unfenced(strip_thinking(reply))
    mark = _NAMED if _NAMED.search(text) else _BARE
    for paragraph in re.split(r"\n\s*\n", text):
        begins = True
        for line in _lines(paragraph, mark):
            for said, pages in _cited(line, mark, allowed):
                for sentence in sentences(said) or [said]:
                    if pages and any(map(str.isalnum, sentence)):
                        points.append(Point(" ".join(sentence.split()), pages, begins=begins))
                        begins = False
    return points


def _lines(paragraph: str, mark: re.Pattern[str]) -> Iterator[str]:
    """Yield the lines with a mark. One without is joined to the next if it breaks off, unless it is a heading."""
    waiting = ""
    for raw in paragraph.splitlines():
        line = f"{waiting} {_MARKUP.sub('', _BULLET.sub('', raw)).strip()}".strip()
        if mark.search(line):
            yield line
            waiting = ""
        else:
            head = raw.lstrip().startswith(("#", "**"))
            waiting = line if not head and (line[-1:].isalnum() or line[-1:] in ",;") else ""


def _cited(line: str, mark: re.Pattern[str], allowed: Collection[int]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the pieces of a line with the pages that are named after each."""
    said, pages, at = "", tuple[int, ...](), 0
    for match in mark.finditer(line):
        text = line[at : match.start()]
        if said and text.strip(_BETWEEN):
            yield said, pages
            said, pages = "", ()
            text = text.lstrip()
        at = match.end()
        closing = re.match(r"\s*([.!?\u3002])", line[at:])
        if text.strip(_BETWEEN):
            said = text.strip()
        if closing:
            at += closing.end()
            said = said if said[-1:] in ".!?\u3002" else said + closing[1]
        pages = tuple(sorted({*pages, *expanded(match[1], allowed)}))
    yield said, pages
