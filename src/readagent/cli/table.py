"""A table for people: cells are wrapped where it is wider than the terminal, first those of one column."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from readagent.cli.screen import echo, style
from readagent.cli.wrapping import fold, padded, width_of

_GAP = "   "
_NARROWEST = 8


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, wide: str, dim: Sequence[bool] = ()) -> None:
    """Print a table that fits the terminal; ``dim`` rows are printed faintly.

    The ``wide`` column is wrapped first. The columns after it are aligned right.
    """
    cells = [[" ".join(cell.split()) for cell in row] for row in rows]
    place = columns.index(wide)
    widths = _fitted(_widths(columns, cells), place, shutil.get_terminal_size().columns)
    lines = [style(line, bold=True) for line in _lines(columns, widths, place)]
    lines.append(f" {'─' * (sum(widths) + len(_GAP) * (len(columns) - 1))}")
    for number, row in enumerate(cells):
        faint = number < len(dim) and dim[number]
        lines += [style(line, dim=True) if faint else line for line in _lines(row, widths, place)]
    echo("\n".join(lines), wrap=False)


def _widths(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[int]:
    widths = [width_of(name) for name in columns]
    for row in rows:
        widths = [max(width, width_of(cell)) for width, cell in zip(widths, row, strict=True)]
    return widths


def _fitted(widths: Sequence[int], place: int, columns: int) -> list[int]:
    """Return widths that fit the terminal, if possible: the column at ``place`` is narrowed first, then the widest."""
    fitted = [*widths]
    excess = sum(widths) + len(_GAP) * (len(widths) - 1) + 2 - columns
    for number in [place, *sorted(range(len(widths)), key=lambda number: -widths[number])]:
        less = max(0, min(excess, fitted[number] - _NARROWEST))
        fitted[number], excess = fitted[number] - less, excess - less
    return fitted


def _lines(row: Sequence[str], widths: Sequence[int], place: int) -> Iterator[str]:
    """Yield the lines of a row: more than one where a cell is wrapped."""
    parts = (fold(cell, width) for cell, width in zip(row, widths, strict=True))
    for line in zip_longest(*parts, fillvalue=""):
        cells = (padded(cell, width, right=n > place) for n, (cell, width) in enumerate(zip(line, widths, strict=True)))
        yield f" {_GAP.join(cells)}".rstrip()
