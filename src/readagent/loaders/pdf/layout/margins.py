"""Remove running headers, footers, page numbers and line numbers.

A row at the top or bottom of a sheet is a header or footer if it repeats on several sheets at the same height, or if it
is only a page number. Rows are removed from the edge inwards, up to the first that is neither.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from readagent.loaders.pdf.layout.edges import MAX_WORDS, Lines, Row, by_height, edge_rows, lines_of
from readagent.loaders.pdf.layout.page_numbers import numbered_rows
from readagent.loaders.pdf.layout.sheet import Sheet, body_size

_MIN_ROWS = 2  # from the top that two steps must have in common
_MIN_SHARE = 0.6  # of the rows of a step that the next one repeats


def slide_numbers(sheets: Sequence[Sheet]) -> list[int]:
    """Return the number of the slide on each sheet: that of the sheet, less the sheets so far that are later steps."""
    steps = [_is_next_step(_rows(before), _rows(after)) for before, after in itertools.pairwise(sheets)]
    so_far = itertools.accumulate(steps, initial=0)
    return [sheet.number - earlier for sheet, earlier in zip(sheets, so_far, strict=False)]


def _is_next_step(before: Sequence[tuple[int, str]], after: Sequence[tuple[int, str]]) -> bool:
    if len(before) < _MIN_ROWS or before[:_MIN_ROWS] != after[:_MIN_ROWS]:
        return False
    return len({*before} & {*after}) >= _MIN_SHARE * len({*before})


def _rows(sheet: Sheet) -> list[tuple[int, str]]:
    """Return the heights and texts of a sheet from the top down, without those that are only a number."""
    return sorted((round(piece.base), piece.text) for piece in sheet.pieces if any(map(str.isalpha, piece.text)))


_MIN_DISTANCE = 1.25  # line heights between a header and the text
_MAX_SIZE = 1.3  # relative to running text
_MIN_LINE_NUMBERS = {1: 15, 5: 6, 10: 6}  # on a sheet, by the step between them; fewer number the items of a list
_LONG_LINE = 35  # characters
_ROMAN = re.compile(r"[\s–—|.\[\]()-]*([ivxlc]{1,7}|[IVXLC]{1,7})[\s–—|.\[\]()-]*")
_NUMBER_ONLY = re.compile(r"(?i)[\s–—|\[\](-]*(?:page|p\.)?\s*(\d{1,4})(?:\s*(?:/|of)\s*\d{1,4})?[\s–—|.\[\])-]*")


def without_running(sheets: Sequence[Sheet], places: Sequence[str]) -> list[Sheet]:
    """Return the sheets without running headers, footers and page numbers. ``places`` are those of all sheets."""
    rows = [row for index, sheet in enumerate(sheets) for row in edge_rows(sheet, index)]
    numbered = _numbered_rows(rows, len(sheets), lines_of(sheets))
    running = numbered | _repeated(rows, numbered, slide_numbers(sheets), body_size(sheets)) | _labels(rows, places)
    running |= _at_same_position(rows, running)
    removed: dict[int, set[int]] = defaultdict(set)
    finished: set[tuple[int, bool]] = set()
    for row in sorted(rows, key=lambda row: row.depth):
        if (row.sheet, row.top) in finished:
            continue
        if row in running:
            removed[row.sheet] |= row.orders
        else:
            finished.add((row.sheet, row.top))
    return [
        replace(sheet, pieces=tuple(piece for piece in sheet.pieces if piece.order not in removed[index]))
        for index, sheet in enumerate(sheets)
    ]


def without_line_numbers(sheet: Sheet) -> Sheet:
    """Return the sheet without line numbers left or right of running text."""
    numbers = [piece for piece in sheet.pieces if piece.text.isdecimal() and len(piece.text) < 5]
    texts = [piece for piece in sheet.pieces if len(piece.text) > _LONG_LINE]
    if min(len(numbers), len(texts)) < min(_MIN_LINE_NUMBERS.values()):
        return sheet
    left, right = median(piece.left for piece in texts), median(piece.right for piece in texts)
    removed: set[int] = set()
    for side in ([n for n in numbers if n.right < left], [n for n in numbers if n.left > right]):
        side.sort(key=lambda piece: piece.base)
        steps = [int(below.text) - int(above.text) for above, below in itertools.pairwise(side)]
        step = max(steps, key=steps.count, default=0)
        if step in _MIN_LINE_NUMBERS and len(side) >= _MIN_LINE_NUMBERS[step] and steps.count(step) > 0.9 * len(steps):
            removed |= {piece.order for piece in side}
    return (
        replace(sheet, pieces=tuple(piece for piece in sheet.pieces if piece.order not in removed))
        if removed
        else sheet
    )


def _numbered_rows(rows: Sequence[Row], sheets: int, lines: Lines) -> set[Row]:
    """Return the rows with a page number: it goes up by one from sheet to sheet, at the same height."""
    found: set[Row] = set()
    numbered: set[int] = set()
    for level in sorted((level for _, level in numbered_rows(rows, sheets, lines)), key=len, reverse=True):
        on = {row.number for row in level}
        if len(on & numbered) * 2 > len(on):  # a second sequence at the bottom numbers notes
            level = [row for row in level if _NUMBER_ONLY.fullmatch(row.text)]
        if len(level) > 1 and _is_set_off(level):
            found.update(level)
            numbered |= on
    return found


def _is_set_off(rows: Sequence[Row]) -> bool:
    """Whether the distance of these rows from the text is more than that between lines."""
    return median(row.from_text for row in rows) > _MIN_DISTANCE


def _repeated(rows: Sequence[Row], counted: set[Row], slides: Sequence[int], body: float) -> set[Row]:
    """Return the rows with the same text, except for page numbers, at the same height on several sheets.

    ``slides`` are those of the sheets: the steps of one slide repeat all of it.
    """
    same: dict[object, list[Row]] = defaultdict(list)
    for row in rows:
        same[row.top, _comparable_text(row, counted=row in counted)].append(row)
    found: set[Row] = set()
    for group in same.values():
        if len(group) > 1:
            for level in by_height(group):
                if _repeats(level, slides, body):
                    found.update(level)
    return found


def _comparable_text(row: Row, *, counted: bool) -> str:
    """Return the text of a row for comparison, without its page number."""
    text = re.sub(r"\W+", " ", row.text.casefold()).strip()
    return re.sub(r"\b(?:\d+|[ivxlc]+)\b", "#", text) if counted else text or row.text


def _repeats(rows: Sequence[Row], slides: Sequence[int], body: float) -> bool:
    """Whether rows with the same text are on sheets near each other, and set off from the text."""
    numbers = sorted({slides[row.sheet] for row in rows})
    steps = [after - before for before, after in itertools.pairwise(numbers)]
    near = sum(step <= 2 for step in steps)
    if not near or 2 * near < len(steps) or rows[0].size > _MAX_SIZE * body:
        return False
    other_type = abs(rows[0].size - body) > 0.08 * body
    if _is_set_off(rows) or (other_type and len(numbers) > 2):
        return True
    return len(numbers) >= max(5, 0.3 * len(slides))


def _at_same_position(rows: Sequence[Row], running: set[Row]) -> set[Row]:
    """Return the rows exactly where other sheets have a header or footer, such as that of a short chapter."""
    positions = Counter((row.top, round(row.from_edge), round(row.size)) for row in running if row.depth == 0)
    return {
        row
        for row in rows
        if row.depth == 0 and row.from_text > _MIN_DISTANCE and len(row.text.split()) <= MAX_WORDS
        if positions[row.top, round(row.from_edge), round(row.size)] > 2
    }


def _labels(rows: Sequence[Row], places: Sequence[str]) -> set[Row]:
    """Return the rows that are only the page label."""
    found: set[Row] = set()
    for row in rows:
        alone = _NUMBER_ONLY.fullmatch(row.text) or _ROMAN.fullmatch(row.text)
        if alone and row.depth == 0 and places[row.number] == f"page {alone[1]}" and row.from_text > 1.5:
            found.add(row)
    return found
