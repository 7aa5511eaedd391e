"""The text of a part: its extent and headings, the entry that the model wrote, and names that fill what is left."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from readagent.core.document import Document
from readagent.core.fitting import largest
from readagent.core.memory import Page
from readagent.core.words import truncate

_MOST_HEADINGS = 6
_HEADING_WORDS = 10


def heading_line(document: Document, page: Page, entries: int) -> str:
    """Return how much a part has, and its headings: all of them, or the first and the last ones."""
    paragraphs = document.paragraphs
    first = bisect_left(paragraphs, page.start, key=lambda one: one.start)
    titles = list[str]()
    for one in paragraphs[first:]:
        if one.start >= page.end:
            break
        if one.heading:
            titles.append(truncate(" ".join(document.text[one.start : one.end].split()), _HEADING_WORDS))
    if len(titles) > _MOST_HEADINGS:
        half = _MOST_HEADINGS // 2
        titles = [*titles[:half], "…", *titles[-half:]]
    size = f"{page.words:,} words"
    return f"{size}: {'; '.join(titles)}" if titles else size


def compose(head: str, entry: str, names: Sequence[str], tokens: int, count: Callable[[str], int]) -> str:
    """Return the text of a part in at most ``tokens`` tokens: the entry is cut if need be, and names fill the rest."""
    text = f"{head}\n{entry}"
    if count(text) > tokens:
        words = entry.split()
        kept = largest(len(words), lambda kept: count(f"{head}\n{' '.join(words[:kept])} …") <= tokens)
        return f"{head}\n{' '.join(words[:kept])} …" if kept else truncate(f"{head} {entry}", max(1, tokens // 3))
    lowered = entry.lower()
    new = [name for name in names if name.lower() not in lowered]
    kept = largest(len(new), lambda kept: count(_with_names(text, new[:kept])) <= tokens)
    return _with_names(text, new[:kept])


def _with_names(text: str, names: Sequence[str]) -> str:
    return f"{text}\nNames: {', '.join(names)}" if names else text
