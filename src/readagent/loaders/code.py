"""Source code: its paragraphs are its units (functions, classes, imports), each with the line it begins on.

The lines are kept as they stand, but for white space at their ends.
"""

from __future__ import annotations

import itertools
from pathlib import PurePosixPath

from readagent.core.document import Document, Paragraph
from readagent.loaders.formats import Options
from readagent.loaders.plain import decode
from readagent.loaders.programs.languages import language_of
from readagent.loaders.programs.units import unit_lines
from readagent.loaders.text.lines import lines_of

__all__ = ["document_of", "language_of", "parse"]


def parse(data: bytes, name: str, options: Options) -> Document:
    """The document in a file of source code. It has no headings: a file is a unit of its own."""
    text, _ = decode(data, name)
    language = language_of(name, text[:300].partition("\n")[0])
    return document_of(text, language, title=PurePosixPath(name.replace("\\", "/")).name)


def document_of(text: str, language: str, *, title: str = "") -> Document:
    """The document of a text that is made of lines, in this language or in none."""
    lines = lines_of(text)
    while lines and not lines[-1]:
        lines.pop()
    starts = _filled(unit_lines(lines, language), lines)
    offsets = list(itertools.accumulate((len(line) + 1 for line in lines), initial=0))
    paragraphs = tuple(
        Paragraph(index, offsets[first], offsets[last], place=f"line {_shown(lines, first, last)}", lines=True)
        for index, (first, last) in enumerate(itertools.pairwise([*starts, len(lines)]))
    )
    whole = "".join(f"{line}\n" for line in lines)
    return Document(whole, paragraphs, title=title, code=language)


def _filled(starts: list[int], lines: list[str]) -> list[int]:
    """The starts of units that hold anything but blank lines."""
    spans = itertools.pairwise([*starts, len(lines)])
    kept = [first for first, last in spans if any(lines[first:last])]
    return [0, *kept[1:]] if kept else []


def _shown(lines: list[str], first: int, last: int) -> int:
    """The number, from 1, of the first line of a unit that is not blank."""
    return next((line for line in range(first, last) if lines[line]), first) + 1
