"""Tables in plain text (CSV, TSV): one line per row, with the row numbers as places."""

from __future__ import annotations

import csv
from collections import Counter

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import compose
from readagent.loaders.formats import Options
from readagent.loaders.grid import Row, grid_blocks
from readagent.loaders.text.decode import decode

_SEPARATORS = ",;\t|"
_SAMPLE_LINES = 60
_MIN_ALIKE = 0.7  # of the rows of the sample that have the same number of cells
_MAX_CELL = 10_000_000  # characters


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return a table as a document."""
    text, encoding = decode(data, name)
    separator = separator_of(text) or ("\t" if "\t" in text else ",")
    csv.field_size_limit(_MAX_CELL)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[0][:4].lower() == "sep=":  # written by Excel
        del lines[0]
    try:
        rows = [Row(number, cells) for number, cells in enumerate(csv.reader(_ended(lines), delimiter=separator), 1)]
    except csv.Error as error:
        hint = "check its quotation marks, or read it as plain text: --format text"
        raise LoadError(f"{name} is not a valid table: {error}", hint=hint) from error
    return compose(grid_blocks(rows, name), metadata={} if encoding == "utf-8" else {"encoding": encoding})


def separator_of(text: str) -> str:
    """Return what separates the cells of this text, or an empty string if it is not a table."""
    lines = [line for line in text[:200_000].splitlines() if line.strip()][:_SAMPLE_LINES]
    if lines and lines[0][:4].lower() == "sep=" and lines[0][4:5]:
        return lines[0][4]
    best, separator = 0.0, ""
    for candidate in _SEPARATORS:
        try:
            rows = list(csv.reader(_ended(lines), delimiter=candidate))
        except csv.Error:
            continue
        widths = Counter(len(row) for row in rows)
        width, count = widths.most_common(1)[0] if widths else (0, 0)
        alike = count / len(rows) if rows else 0
        if width > 1 and alike >= _MIN_ALIKE and alike + width / 1000 > best:
            best, separator = alike + width / 1000, candidate
    return separator


def _ended(lines: list[str]) -> list[str]:
    return [f"{line}\n" for line in lines]
