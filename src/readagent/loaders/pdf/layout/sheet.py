"""The elements of a printed page: pieces of text, lines and columns. Coordinates are points from the top left."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace

Span = tuple[int, int]

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_MARK_PUNCTUATION = " .)(,[]"
_BODY_RANGE = (4.0, 40.0)  # points; running text is never smaller or larger
_SENTENCE_END = re.compile(r"[.!?…:;。！？][\"'”’»)\]*\d]*$")


@dataclass(frozen=True, slots=True)
class Piece:
    """Words on one line without a wide gap between them.

    ``base`` is the baseline. ``raised`` are the spans of its text that are superscript, such as the marks of notes.
    ``order`` is its number in the file.
    """

    text: str
    left: float
    right: float
    base: float
    size: float
    bold: bool = False
    mono: bool = False
    raised: tuple[Span, ...] = ()
    order: int = 0

    @property
    def top(self) -> float:
        """The approximate top of its capital letters."""
        return self.base - 0.75 * self.size

    @property
    def bottom(self) -> float:
        """The approximate bottom of its descenders."""
        return self.base + 0.25 * self.size


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a column; ``cells`` are its pieces separated by wide gaps, ``sheet`` is the number of its sheet."""

    text: str
    left: float
    right: float
    base: float
    size: float
    bold: bool = False
    mono: bool = False
    raised: tuple[Span, ...] = ()
    cells: tuple[Piece, ...] = ()
    sheet: int = 0

    @property
    def ends_sentence(self) -> bool:
        """Whether a sentence may end with this line."""
        return bool(_SENTENCE_END.search(self.text))

    def without(self, marks: Container[str]) -> Line:
        """Return the line without the superscripts in ``marks``; other raised digits become characters such as ²."""
        text = self.text
        for start, end in reversed(self.raised):
            raised = text[start:end]
            if unicodedata.normalize("NFKC", raised).strip(_MARK_PUNCTUATION) in marks:
                raised = ""
            elif raised.isdecimal():
                raised = raised.translate(_SUPERSCRIPTS)
            text = text[:start] + raised + text[end:]
        return self if text == self.text else replace(self, text=text, raised=())


@dataclass(frozen=True, slots=True)
class Sheet:
    """The text of a page that runs in one direction: its number from 0, its size, and its pieces."""

    number: int
    width: float
    height: float
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """Lines one below the other, on one sheet; ``left`` and ``right`` are the edges of the column."""

    sheet: int
    left: float
    right: float
    lines: tuple[Line, ...]

    @property
    def width(self) -> float:
        """The distance between the edges."""
        return self.right - self.left


def line_of(pieces: Sequence[Piece]) -> Line:
    """Return the line made of pieces on one baseline."""
    pieces = sorted(pieces, key=lambda piece: piece.left)
    cells = _cells(pieces)
    main = max(cells, key=lambda cell: len(cell.text))
    whole = joined(cells)
    letters = max(1, sum(len(cell.text) for cell in cells))
    bold = sum(len(cell.text) for cell in cells if cell.bold) > 0.8 * letters
    mono = sum(len(cell.text) for cell in cells if cell.mono) > 0.8 * letters
    return Line(whole.text, whole.left, whole.right, main.base, main.size, bold, mono, whole.raised, tuple(cells))


def _cells(pieces: Sequence[Piece]) -> list[Piece]:
    """Join pieces that are close to each other."""
    cells: list[Piece] = []
    for piece in pieces:
        if cells and piece.left - cells[-1].right < 0.8 * max(piece.size, cells[-1].size):
            cells[-1] = joined([cells[-1], piece])
        else:
            cells.append(piece)
    return cells


def joined(pieces: Sequence[Piece]) -> Piece:
    """Join pieces, given from left to right, into one."""
    text, raised, end = "", list[Span](), pieces[0].left
    for piece in pieces:
        if text and piece.left - end > 0.12 * piece.size and not text.endswith(" ") and not _is_initial(text, piece):
            text += " "
        raised += [(start + len(text), stop + len(text)) for start, stop in piece.raised]
        text += piece.text
        end = max(end, piece.right)
    main = max(pieces, key=lambda piece: len(piece.text))
    bold, mono = all(piece.bold for piece in pieces), all(piece.mono for piece in pieces)
    return replace(main, text=text, left=pieces[0].left, right=end, bold=bold, mono=mono, raised=tuple(raised))


def _is_initial(text: str, piece: Piece) -> bool:
    """Whether a text is the large first letter of a word in capitals, as at the beginning of a paper."""
    return len(text) == 1 and text.isupper() and piece.text[:2].isupper()


def body_size(sheets: Iterable[Sheet]) -> float:
    """Return the font size of most of the text."""
    sizes: Counter[float] = Counter()
    for sheet in sheets:
        for piece in sheet.pieces:
            if _BODY_RANGE[0] <= piece.size <= _BODY_RANGE[1]:
                sizes[round(piece.size, 1)] += len(piece.text)
    return sizes.most_common(1)[0][0] if sizes else 10.0


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
