"""Slides that are shown in steps, a sheet for each: what repeats on these is the slide itself, not a header."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from readagent.loaders.pdf.layout.sheet import Sheet

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
