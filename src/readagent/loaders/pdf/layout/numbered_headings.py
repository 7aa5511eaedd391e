"""Headings in the type of the text, as in papers of the IEEE: "II. RELATED WORK" in capitals, below it "B. Data"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from readagent.loaders.pdf.layout.paragraphs import Kind, Passage
from readagent.loaders.text.numerals import number_of

_SECTION = re.compile(r"([IVXL]{1,6})\. +(\S.*)")
_SUBSECTION = re.compile(r"([A-Z])\. +([A-Z0-9“\"].*[^.,;:])")
_UNNUMBERED = re.compile(r"(?i)acknowledge?ments?|references|appendix(?: [A-Z])?|appendices|bibliography")
_MAX_WORDS = 14
_MAX_LINES = 2
_MIN_SECTIONS = 2


def with_numbered(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages with levels for sections in capitals, numbered I, II, ..., and subsections A, B, ..."""
    levels: dict[int, int] = {}
    section, letter = 0, "A"
    for index, passage in enumerate(passages):
        if passage.level or not _is_alone(passage):
            continue
        number = _section_number(passage.text)
        below = _SUBSECTION.fullmatch(passage.text)
        if number == section + 1:
            section, letter = number, "A"
            levels[index] = 1
        elif section and _UNNUMBERED.fullmatch(passage.text) and passage.text.isupper():
            levels[index] = 1
        elif section and below and below[1] == letter:
            letter = chr(ord(letter) + 1)
            levels[index] = 2
    if section < _MIN_SECTIONS:
        return list(passages)
    return [
        replace(passage, kind=Kind.TEXT, level=levels[index]) if index in levels else passage
        for index, passage in enumerate(passages)
    ]


def _is_alone(passage: Passage) -> bool:
    few = len(passage.lines) <= _MAX_LINES and len(passage.text.split()) <= _MAX_WORDS
    return few and passage.kind in (Kind.TEXT, Kind.ITEM)


def _section_number(text: str) -> int:
    """Return the number of a section in capitals, or 0."""
    found = _SECTION.fullmatch(text)
    return number_of(found[1]) if found and found[2].isupper() else 0
