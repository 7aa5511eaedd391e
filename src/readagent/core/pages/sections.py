"""Sections: the parts of a text between headings. No page crosses the beginning of a section."""

from __future__ import annotations

from itertools import pairwise

from readagent.core.document import Document
from readagent.core.words import WordIndex


def section_ends(document: Document, index: WordIndex, min_page_words: int) -> list[int]:
    """Return the offsets where sections end, the last of them the end of the text.

    Chapters are cut first, then their sections, and so on. A section of fewer than ``min_page_words`` words is joined
    to the next one, so that a title stays with its text; the last section of a chapter is joined to the one before.
    """
    ends = [0, len(document.text)]
    levels = sorted({paragraph.heading for paragraph in document.paragraphs} - {0})
    for level in levels:
        starts = [paragraph.start for paragraph in document.paragraphs if paragraph.heading == level]
        ends = _cut(ends, starts, index, min_page_words)
    return ends[1:]


def _cut(ends: list[int], starts: list[int], index: WordIndex, min_page_words: int) -> list[int]:
    """Return the ends of the parts between ``ends``, cut further at ``starts``."""
    kept = [ends[0]]
    following = iter([*starts, ends[-1]])
    start = next(following)
    for begin, end in pairwise(ends):
        while start < end:
            if index.count(kept[-1], start) >= min_page_words:
                kept.append(start)
            start = next(following)
        last_of_text = end == ends[-1] and len(ends) == 2
        if kept[-1] > begin and index.count(kept[-1], end) < min_page_words and not last_of_text:
            kept.pop()
        kept.append(end)
    return kept
