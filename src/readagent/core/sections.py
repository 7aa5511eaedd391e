"""Sections: the parts of a text across whose beginnings no page runs, from the headings its paragraphs carry."""

from __future__ import annotations

from readagent.core.document import Document, Paragraph
from readagent.core.words import WordIndex


def section_ends(document: Document, index: WordIndex, min_words: int) -> list[int]:
    """Where the sections end, the last at the end of the text.

    A heading begins one if what stands under it, its own subsections included, has at least ``min_words`` words; what
    is shorter belongs to the section before it. Headings that follow one another directly begin one together.
    """
    starts: set[int] = set()
    under = _under(document)
    opening = 0
    for before, paragraph in zip((None, *document.paragraphs), document.paragraphs, strict=False):
        if not paragraph.heading:
            continue
        if before is None or not before.heading:
            opening = paragraph.start
        if index.count(paragraph.start, under[paragraph.index]) >= min_words:
            starts.add(opening)
    return [*sorted(starts - {0}), len(document.text)]


def _under(document: Document) -> dict[int, int]:
    """For each heading the end of what stands under it: the next heading of its own or a higher level."""
    ends: dict[int, int] = {}
    open_headings: list[Paragraph] = []
    for paragraph in document.paragraphs:
        while paragraph.heading and open_headings and open_headings[-1].heading >= paragraph.heading:
            ends[open_headings.pop().index] = paragraph.start
        if paragraph.heading:
            open_headings.append(paragraph)
    return ends | {paragraph.index: len(document.text) for paragraph in open_headings}
