"""A terminal's screen: text with control sequences goes in, rows of styled characters come out.

It knows what a command line program sends: line ends, moves of the cursor, erasing, and styles. It never scrolls: rows
are added below.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import groupby

_TOKEN = re.compile(
    r"\x1b\[(?P<values>[0-9;?]*)(?P<final>[A-Za-z])|\x1b.|(?P<control>[\r\n\b\a])|(?P<text>[^\x1b\r\n\b\a]+)"
)
_COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


@dataclass(frozen=True, slots=True)
class Style:
    """How a character looks."""

    colour: str = ""
    bold: bool = False
    dim: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of one style in a row: their text, and the column they begin in."""

    column: int
    text: str
    style: Style


class Screen:
    """A screen of a fixed width; ``rows`` are lists of characters with their styles."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.rows: list[list[tuple[str, Style]]] = [[]]
        self._row = self._column = 0
        self._style = Style()

    def feed(self, data: str) -> None:
        """Show what a program printed."""
        for token in _TOKEN.finditer(data):
            if token["text"]:
                for character in token["text"]:
                    self._put(character)
            elif token["control"]:
                self._control(token["control"])
            elif token["final"]:
                self._sequence(token["values"], token["final"])

    def runs(self) -> list[tuple[Run, ...]]:
        """Return every row as runs of one style; what is blank at its end is left out."""
        return [_runs(row) for row in self.rows]

    def _put(self, character: str) -> None:
        if self._column == self.columns:
            self._control("\r")
            self._control("\n")
        row = self.rows[self._row]
        row.extend((" ", Style()) for _ in range(self._column + 1 - len(row)))
        row[self._column] = (character, self._style)
        self._column += 1

    def _control(self, character: str) -> None:
        if character == "\r":
            self._column = 0
        elif character == "\b":
            self._column = max(0, self._column - 1)
        elif character == "\n":
            self._move(self._row + 1)

    def _move(self, row: int) -> None:
        self._row = max(0, row)
        self.rows.extend([] for _ in range(self._row + 1 - len(self.rows)))

    def _sequence(self, values: str, final: str) -> None:
        number = int(values) if values.isdecimal() else 0
        if final in "AB":
            self._move(self._row + (max(1, number) if final == "B" else -max(1, number)))
        elif final == "G":
            self._column = max(1, number) - 1
        elif final == "K":
            row = self.rows[self._row]
            row[0 if number else self._column :] = []
        elif final == "J":
            self.rows[self._row][self._column :] = []
            self.rows[self._row + 1 :] = []
        elif final == "m":
            for value in map(int, filter(None, (values or "0").split(";"))):
                self._style = _styled(self._style, value)


def _styled(style: Style, value: int) -> Style:
    """Return the style after one value of a sequence; what is not known here changes nothing."""
    if value == 0:
        return Style()
    if value in (1, 2):
        return replace(style, bold=value == 1 or style.bold, dim=value == 2 or style.dim)
    if value == 22:
        return replace(style, bold=False, dim=False)
    if value == 39:
        return replace(style, colour="")
    base = value - 90 if value >= 90 else value - 30
    return replace(style, colour=_COLOURS[base]) if 0 <= base < len(_COLOURS) else style


def _runs(row: list[tuple[str, Style]]) -> tuple[Run, ...]:
    found, column = [], 0
    for style, cells in groupby(row, key=lambda cell: cell[1]):
        text = "".join(character for character, _ in cells)
        if text.strip():
            found.append(Run(column + len(text) - len(text.lstrip()), text.strip(), style))
        column += len(text)
    return tuple(found)
