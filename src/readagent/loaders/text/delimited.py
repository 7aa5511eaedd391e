"""Tables in plain text (CSV, TSV): one line per row, with the row numbers as places."""

from __future__ import annotations

import csv
from collections import Counter

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import compose
from readagent.loaders.formats import Options
from readagent.loaders.tables import Row, grid_blocks
from readagent.loaders.text.decode import decode

_SEPARATORS = ",;\t|"
_SAMPLE_LINES = 60
_MIN_ALIKE = 0.7  # of the rows of the sample that have the same number of cells
_MIN_ALIKE_UNDECLARED = 0.9  # the same, in a file whose name does not say that it is a table
_MIN_ROWS = 3  # of such a file
_MAX_CELL = 10_000_000  # characters


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return a table as a document."""
    text, encoding = decode(data, name)
    separator = separator_of(text, ragged=True) or ("\t" if "\t" in text else ",")
    csv.field_size_limit(_MAX_CELL)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[0][:4].lower() == "sep=":  # written by Excel
        del lines[0]
    try:
        rows = [Row(number, cells) for number, cells in enumerate(csv.reader(_ended(lines), delimiter=separator), 1)]
    except csv.Error as error:
        hint = 'check its quotation marks, or read it as plain text: `format="text"`'
        raise LoadError(f"{name} is not a valid table: {error}", hint=hint) from error
    return compose(grid_blocks(rows, name), metadata={} if encoding == "utf-8" else {"encoding": encoding})


def separator_of(text: str, *, ragged: bool = False) -> str:
    """Return what separates the cells of this text, or an empty string if it is not a table.

    The rows of a ``ragged`` table have different lengths; no space follows its separators, as it does in prose.
    """
    lines = _sample(text)
    if lines and lines[0][:4].lower() == "sep=" and lines[0][4:5]:
        return lines[0][4]
    likeness = {one: _likeness(lines, one) for one in _SEPARATORS}
    found = [one for one, (alike, width) in likeness.items() if width > 1 and alike >= _MIN_ALIKE]
    if found:
        return max(found, key=lambda one: likeness[one][0] + likeness[one][1] / 1000)
    return next((one for one in _SEPARATORS if ragged and _separates(lines, one)), "")


def is_table(text: str) -> bool:
    """Whether a text that is not declared as a table is one: its rows have the same number of cells, without spaces."""
    lines = _sample(text)
    separator = separator_of(text)
    return (
        len(lines) >= _MIN_ROWS
        and _separates(lines, separator)
        and _likeness(lines, separator)[0] >= _MIN_ALIKE_UNDECLARED
    )


def _sample(text: str) -> list[str]:
    return [line for line in text[:200_000].splitlines() if line.strip()][:_SAMPLE_LINES]


def _likeness(lines: list[str], separator: str) -> tuple[float, int]:
    """Return the share of the rows that have the most frequent number of cells, and that number."""
    try:
        widths = Counter(map(len, csv.reader(_ended(lines), delimiter=separator)))
    except csv.Error:
        return 0, 0
    width, count = widths.most_common(1)[0] if widths else (0, 0)
    return count / max(1, widths.total()), width


def _separates(lines: list[str], separator: str) -> bool:
    """Whether the first line and half of the others have this separator, mostly without a space after it."""
    if not separator or not lines or separator not in lines[0]:
        return False
    times = sum(line.count(separator) for line in lines)
    spaced = sum(line.count(f"{separator} ") for line in lines)
    return 5 * spaced <= times and 2 * sum(separator in line for line in lines) >= len(lines)


def _ended(lines: list[str]) -> list[str]:
    return [f"{line}\n" for line in lines]
