"""A table for people: one column is wrapped to the terminal, the columns after it are right-aligned."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence

from readagent.cli.screen import echo, style
from readagent.cli.wrapping import width_of

_GAP = "   "
_NARROWEST = 8


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, wide: str, dim: Sequence[bool] = ()) -> None:
    """Print a table that fits the terminal; the ``wide`` column is wrapped, and ``dim`` rows are printed faintly."""
    cells = [[" ".join(cell.split()) for cell in row] for row in rows]
    place, widths = columns.index(wide), _widths(columns, cells)
    others = sum(widths) - widths[place] + len(_GAP) * (len(columns) - 1) + 2
    widths[place] = max(_NARROWEST, min(widths[place], shutil.get_terminal_size().columns - others))
    lines = [style(line, bold=True) for line in _lines(columns, widths, place)]
    lines.append(f" {'─' * (sum(widths) + len(_GAP) * (len(columns) - 1))}")
    for number, row in enumerate(cells):
        faint = number < len(dim) and dim[number]
        lines += [style(line, dim=True) if faint else line for line in _lines(row, widths, place)]
    echo("\n".join(lines))


def _widths(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[int]:
    widths = [width_of(name) for name in columns]
    for row in rows:
        widths = [max(width, width_of(cell)) for width, cell in zip(widths, row, strict=True)]
    return widths


def _lines(row: Sequence[str], widths: Sequence[int], place: int) -> Iterator[str]:
    """Yield the lines of a row: more than one where its wide cell is wrapped."""
    for number, part in enumerate(_wrapped(row[place], widths[place])):
        cells = [part if n == place else "" if number else cell for n, cell in enumerate(row)]
        pads = [" " * (width - width_of(cell)) for cell, width in zip(cells, widths, strict=True)]
        aligned = (
            pad + cell if n > place else cell + pad for n, (cell, pad) in enumerate(zip(cells, pads, strict=True))
        )
        yield f" {_GAP.join(aligned)}".rstrip()


def _wrapped(text: str, width: int) -> list[str]:
    """Return the text in lines of at most this width, broken between words where possible."""
    if width_of(text) <= width:
        return [text]
    lines = [""]
    for word in text.split():
        if lines[-1] and width_of(lines[-1]) + 1 + width_of(word) <= width:
            lines[-1] += f" {word}"
            continue
        lines += [""] if lines[-1] else []
        for character in word:
            if width_of(lines[-1]) + width_of(character) > width:
                lines.append("")
            lines[-1] += character
    return lines
