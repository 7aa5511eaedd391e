"""The text of a part: its headings, the entry that the model wrote, and names that fill what is left."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from readagent.core.document import Document
from readagent.core.fitting import largest
from readagent.core.memory import Page
from readagent.core.words import truncate

_MOST_HEADINGS = 6
_HEADING_WORDS = 10
_NAMES = "\nNames: "


def heading_line(document: Document, page: Page) -> str:
    """Return the headings in a part: all of them, or the first and the last ones."""
    paragraphs = document.paragraphs
    first, last = (bisect_left(paragraphs, at, key=lambda one: one.start) for at in (page.start, page.end))
    found = (document.text[one.start : one.end] for one in paragraphs[first:last] if one.heading)
    titles = [truncate(" ".join(title.split()), _HEADING_WORDS) for title in found]
    if len(titles) > _MOST_HEADINGS:
        half = _MOST_HEADINGS // 2
        titles = [*titles[:half], "…", *titles[-half:]]
    return "; ".join(titles)


def compose(head: str, entry: str, names: Sequence[str], tokens: int, count: Callable[[str], int]) -> str:
    """Return the text of a part in at most ``tokens`` tokens: the entry is cut if need be, and names fill the rest."""
    text = f"{head}\n{entry}" if head else entry
    if count(text) > tokens:
        words = text.split()
        kept = largest(len(words), lambda kept: count(f"{' '.join(words[:kept])} …") <= tokens)
        return f"{' '.join(words[:kept])} …"
    lowered = entry.lower()
    new = [name for name in names if name.lower() not in lowered]
    kept = largest(len(new), lambda kept: count(_with_names(text, new[:kept])) <= tokens)
    return _with_names(text, new[:kept])


def without_names(text: str) -> str:
    """Return the text of a part, or any other gist, without the names that were added to it."""
    return text.partition(_NAMES)[0]


def _with_names(text: str, names: Sequence[str]) -> str:
    return f"{text}{_NAMES}{', '.join(names)}" if names else text
