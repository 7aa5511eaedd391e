"""A table for people: cells are wrapped where it is wider than the terminal, first those of one column."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest

from readagent.cli.screen import echo, style
from readagent.cli.wrapping import fold, padded, width_of

_GAPS = ("   ", "  ")  # between columns, where there is room and where there is less
_ROOM = 16  # cells that the column that is wrapped first keeps while others can be narrowed,
_WORD = 20  # and those of a long word in it


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, wide: str, dim: Sequence[bool] = ()) -> None:
    """Print a table that fits the terminal; ``dim`` rows are printed faintly.

    The ``wide`` column is wrapped first. The columns after it are aligned right.
    """
    cells = [[" ".join(cell.split()) for cell in row] for row in rows]
    place, room = columns.index(wide), shutil.get_terminal_size().columns
    whole, words = _widths(columns, cells, width_of), _widths(columns, cells, _longest_word)
    for gap in _GAPS:
        between = len(gap) * (len(columns) - 1)
        widths = _fitted(whole, words, place, room - 2 - between)
        if sum(widths) + between <= room - 2:
            break
    lines = [style(line, bold=True) for line in _lines(columns, widths, place, gap)]
    lines.append(f" {'─' * (sum(widths) + between)}")
    for number, row in enumerate(cells):
        faint = number < len(dim) and dim[number]
        lines += [style(line, dim=True) if faint else line for line in _lines(row, widths, place, gap)]
    echo("\n".join(lines), wrap=False)


def _widths(columns: Sequence[str], rows: Iterable[Sequence[str]], measure: Callable[[str], int]) -> list[int]:
    widths = [measure(name) for name in columns]
    for row in rows:
        widths = [max(width, measure(cell)) for width, cell in zip(widths, row, strict=True)]
    return widths


def _longest_word(cell: str) -> int:
    return max(map(width_of, cell.split()), default=0)


def _fitted(widths: Sequence[int], words: Sequence[int], place: int, room: int) -> list[int]:
    """Return widths that together fit, if that can be, and are not below those of the longest ``words``.

    The column at ``place`` is narrowed first, then the others, and then that column again. Long words in it are broken.
    """
    fitted = [*widths]
    excess = sum(widths) - room
    others = sorted((number for number in range(len(widths)) if number != place), key=lambda number: -widths[number])
    word = min(_WORD, words[place])
    least = [(place, max(_ROOM, word)), *((number, words[number]) for number in others), (place, word)]
    for number, width in least:
        less = max(0, min(excess, fitted[number] - width))
        fitted[number], excess = fitted[number] - less, excess - less
    return fitted


def _lines(row: Sequence[str], widths: Sequence[int], place: int, gap: str) -> Iterator[str]:
    """Yield the lines of a row: more than one where a cell is wrapped."""
    parts = (fold(cell, width) for cell, width in zip(row, widths, strict=True))
    for line in zip_longest(*parts, fillvalue=""):
        cells = (padded(cell, width, right=n > place) for n, (cell, width) in enumerate(zip(line, widths, strict=True)))
        yield f" {gap.join(cells)}".rstrip()
