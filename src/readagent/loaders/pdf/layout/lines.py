"""Join pieces on one baseline into lines; a drop cap goes with the first line next to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from readagent.loaders.pdf.layout.sheet import Line, Piece, line_of

_MAX_COMPARED = 100  # pieces of one row


def lines_of(pieces: Sequence[Piece]) -> list[Line]:
    """Return the lines of one column from top to bottom; a drop cap goes to the first line next to it."""
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: (piece.base, piece.left)):
        row = next((row for row in rows[-3:] if _is_on_line(row, piece)), None)
        if row is None:
            rows.append([piece])
        else:
            row.append(piece)
    return [line_of(row) for row in _with_drop_caps(rows)]


def _is_on_line(row: Sequence[Piece], piece: Piece) -> bool:
    """Whether a piece is on the line of this row."""
    row = row[-_MAX_COMPARED:]
    main = max(row, key=lambda other: len(other.text))
    large, small = max(main.size, piece.size), min(main.size, piece.size)
    if abs(main.base - piece.base) > (0.3 if small > 0.8 * large else 0.5) * large or large > 2.5 * small:
        return False
    return all(min(piece.right, other.right) - max(piece.left, other.left) < 0.5 * small for other in row)


def _with_drop_caps(rows: list[list[Piece]]) -> list[list[Piece]]:
    """Join each drop cap, two or three lines high, with the first line next to it."""
    for index, row in enumerate(rows):
        drop_cap = row[0]
        if len(row) > 1 or len(drop_cap.text) > 2 or not drop_cap.text[-1:].isalpha():
            continue
        rows_next_to = [
            other for other in rows[max(0, index - 4) : index + 5] if other and _is_next_to(other, drop_cap)
        ]
        for number, other in enumerate(sorted(rows_next_to, key=lambda other: other[0].base)):
            head = min(other, key=lambda piece: piece.left)
            other[other.index(head)] = _with_drop_cap(drop_cap if number == 0 else replace(drop_cap, text=""), head)
            rows[index] = []
    return [row for row in rows if row]


def _is_next_to(row: Sequence[Piece], drop_cap: Piece) -> bool:
    """Whether a row of smaller text begins right of a drop cap, not above or below it."""
    first = min(row, key=lambda piece: piece.left)
    high = drop_cap.top - 0.2 * first.size < first.base <= drop_cap.base + 0.6 * first.size
    return high and drop_cap.size > 1.8 * first.size and -2 <= first.left - drop_cap.right < 1.5 * first.size


def _with_drop_cap(drop_cap: Piece, head: Piece) -> Piece:
    """Return the piece with the drop cap before it."""
    length = len(drop_cap.text)
    raised = tuple((start + length, end + length) for start, end in head.raised)
    return replace(head, text=drop_cap.text + head.text, left=drop_cap.left, raised=raised)
