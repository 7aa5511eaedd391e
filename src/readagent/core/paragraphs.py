"""Paragraph, and where the paragraphs of a plain text begin.

Plain text has a few layouts: one or two blank lines between paragraphs, lines wrapped at a fixed width, indented first
lines, one paragraph per line, or no line breaks at all. The layout is recognised separately for each block between
blank lines.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from readagent.core.patterns import lazy_pattern

_BLANKS = lazy_pattern(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_CLOSED = lazy_pattern(r"[.!?…:;。！？\"'”’»)\]*_—-]\s*$")
_WIDEST_WRAP = 110  # characters; text is not wrapped by hand beyond this
_LONG_BLOCK = 120  # words; shorter blocks (a stanza, an address, a list) stay together
_SEPARATORS = (",", ";", "\t", "|")  # of the fields in a row
_TIME = lazy_pattern(r"[\[<(]?(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.:]\d\d?[-/.:]\d\d|[A-Z][a-z]{2} {1,2}\d\d? \d\d:)")
_LEAST_ROWS = 8
_ROWS = 0.8  # of the lines that must look alike

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph is ``text[start:end]`` of its document, including the white space after it.

    ``heading`` is 0 for running text, or the level of a heading, from 1. ``place`` is its position in the source, for
    people, if known: ``page 12``, ``0:41:07``. ``lines`` is True for code, tables and verse, which are only cut
    between lines. ``marks`` are the places that begin inside it, each with its offset from ``start``: the next page of
    a PDF, for a paragraph across a page break.
    """

    index: int
    start: int
    end: int
    heading: int = 0
    place: str = ""
    lines: bool = False
    marks: tuple[tuple[int, str], ...] = ()


def paragraph_starts(text: str) -> list[int]:
    """Return the offsets at which paragraphs begin, the first of them 0."""
    starts = [start for block in _blocks(text) for start in _split(text, block)]
    return [0, *starts[1:]] if starts else ([0] if text else [])


def has_rows(text: str) -> bool:
    """Return whether a paragraph consists of rows: lines with the same separators, or lines that begin with a time."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < _LEAST_ROWS:
        return False
    counts = (Counter(line.count(mark) for line in lines).most_common(1)[0] for mark in _SEPARATORS)
    if any(marks and rows >= _ROWS * len(lines) for marks, rows in counts):
        return True
    return sum(bool(_TIME.match(line)) for line in lines) >= _ROWS * len(lines)


def _blocks(text: str) -> list[Span]:
    """Return the blocks between blank lines, or between double ones if single ones separate wrapped lines."""
    single = list(_between(text, _BLANKS.finditer(text)))
    wide = [gap for gap in _BLANKS.finditer(text) if gap.group().count("\n") > 2]
    if not wide or len(single) < 8:
        return single
    inner = [block for block in single if text[block[1] : block[1] + 4].count("\n") <= 2]
    unfinished = sum(1 for a, b in inner if not _CLOSED.search(text, a, b))
    return list(_between(text, iter(wide))) if unfinished > len(single) / 2 else single


def _between(text: str, gaps: Iterator[re.Match[str]]) -> Iterator[Span]:
    start = 0
    for gap in gaps:
        if text[start : gap.start()].strip():
            yield start, gap.start()
            start = _line_start(text, gap.end())
    if text[start:].strip():
        yield start, len(text)


def _line_start(text: str, offset: int) -> int:
    """Return the start of a line's indent, so that the indent belongs to the paragraph."""
    while offset > 0 and text[offset - 1] in " \t\u3000":
        offset -= 1
    return offset


def _lines(text: str, block: Span) -> list[Span]:
    """Return the lines of a block that are not blank, without line ends."""
    spans, start = [], block[0]
    while start < block[1]:
        newline = text.find("\n", start, block[1])
        end = newline if newline >= 0 else block[1]
        if text[start:end].strip():
            spans.append((start, end))
        start = end + 1
    return spans


def _split(text: str, block: Span) -> list[int]:
    """Return where the paragraphs of a block begin."""
    lines = _lines(text, block)
    starts = [start for start, _ in lines]
    if len(lines) < 2:
        return starts[:1] or [block[0]]
    indented = [start for start in starts if text[start] in " \t\u3000"]
    if 0 < len([start for start in indented if start != starts[0]]) <= len(lines) * 0.6 and len(indented) < len(lines):
        return [starts[0], *(start for start in indented if start != starts[0])]
    widths = [end - start for start, end in lines]
    if max(widths) > _WIDEST_WRAP:
        return starts
    if len(text[block[0] : block[1]].split()) < _LONG_BLOCK:
        return starts[:1]
    if median(widths) < 0.7 * max(widths):
        return starts
    return [starts[0], *_after_short_lines(text, lines, max(widths))]


def _after_short_lines(text: str, lines: list[Span], width: int) -> Iterator[int]:
    """Return the lines after short ones: in wrapped text, a short line at a sentence end closes its paragraph."""
    for (start, end), (following, _) in itertools.pairwise(lines):
        if end - start < 0.75 * width and _CLOSED.search(text, start, end):
            yield following
