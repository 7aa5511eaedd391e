"""Lines: pieces that stand on one baseline put together, a large initial with the first line beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from readagent.loaders.pdf.layout.page import Line, Piece, line_of

_ABREAST = 100  # pieces beside one another that are compared


def lines_of(pieces: Sequence[Piece]) -> list[Line]:
    """Pieces of one column put into lines, from top to bottom; a large initial goes to the first line beside it."""
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: (piece.base, piece.left)):
        row = next((row for row in rows[-3:] if _level(row, piece)), None)
        if row is None:
            rows.append([piece])
        else:
            row.append(piece)
    return [line_of(row) for row in _with_initials(rows)]


def _level(row: Sequence[Piece], piece: Piece) -> bool:
    """Whether a piece stands on the line that the row makes."""
    row = row[-_ABREAST:]
    main = max(row, key=lambda other: len(other.text))
    large, small = max(main.size, piece.size), min(main.size, piece.size)
    if abs(main.base - piece.base) > (0.3 if small > 0.8 * large else 0.5) * large or large > 2.5 * small:
        return False
    return all(min(piece.right, other.right) - max(piece.left, other.left) < 0.5 * small for other in row)


def _with_initials(rows: list[list[Piece]]) -> list[list[Piece]]:
    """An initial two or three lines high is read with the first of them."""
    for index, row in enumerate(rows):
        initial = row[0]
        if len(row) > 1 or len(initial.text) > 2 or not initial.text[-1:].isalpha():
            continue
        beside = [other for other in rows[max(0, index - 4) : index + 5] if other and _stands_beside(other, initial)]
        for number, other in enumerate(sorted(beside, key=lambda other: other[0].base)):
            head = min(other, key=lambda piece: piece.left)
            other[other.index(head)] = _with_initial(initial if number == 0 else replace(initial, text=""), head)
            rows[index] = []
    return [row for row in rows if row]


def _stands_beside(row: Sequence[Piece], initial: Piece) -> bool:
    """Whether a row of smaller type begins right of an initial, not above and not below it."""
    first = min(row, key=lambda piece: piece.left)
    high = initial.top - 0.2 * first.size < first.base <= initial.base + 0.6 * first.size
    return high and initial.size > 1.8 * first.size and -2 <= first.left - initial.right < 1.5 * first.size


def _with_initial(initial: Piece, head: Piece) -> Piece:
    """A piece that begins with the initial, and where it does."""
    length = len(initial.text)
    raised = tuple((start + length, end + length) for start, end in head.raised)
    return replace(head, text=initial.text + head.text, left=initial.left, raised=raised)
