"""Source code: its paragraphs are its units (functions, classes, imports), each with its first line as its place.

The lines are kept unchanged, except for trailing white space.
"""

from __future__ import annotations

import itertools
from pathlib import PurePosixPath

from readagent.core.document import Document
from readagent.core.paragraphs import Paragraph
from readagent.loaders.code.languages import language_of
from readagent.loaders.code.units import unit_lines
from readagent.loaders.formats import Options
from readagent.loaders.text.decode import decode
from readagent.loaders.text.lines import lines_of

__all__ = ["document_of", "language_of", "parse"]


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return a file of source code as a document. It has no headings."""
    text, _ = decode(data, name)
    language = language_of(name, text[:300].partition("\n")[0])
    return document_of(text, language, title=PurePosixPath(name.replace("\\", "/")).name)


def document_of(text: str, language: str, *, title: str = "") -> Document:
    """Return lines of text as a document; ``language`` is empty if it is not a known language."""
    lines = lines_of(text)
    while lines and not lines[-1]:
        lines.pop()
    starts = _non_blank(unit_lines(lines, language), lines)
    offsets = list(itertools.accumulate((len(line) + 1 for line in lines), initial=0))
    paragraphs = tuple(
        Paragraph(index, offsets[first], offsets[last], place=f"line {_first_line(lines, first, last)}", lines=True)
        for index, (first, last) in enumerate(itertools.pairwise([*starts, len(lines)]))
    )
    whole = "".join(f"{line}\n" for line in lines)
    return Document(whole, paragraphs, title=title, code=language)


def _non_blank(starts: list[int], lines: list[str]) -> list[int]:
    """Return the starts of the units that contain more than blank lines."""
    spans = itertools.pairwise([*starts, len(lines)])
    kept = [first for first, last in spans if any(lines[first:last])]
    return [0, *kept[1:]] if kept else []


def _first_line(lines: list[str], first: int, last: int) -> int:
    """Return the number, from 1, of the first line of a unit that is not blank."""
    return next((line for line in range(first, last) if lines[line]), first) + 1
