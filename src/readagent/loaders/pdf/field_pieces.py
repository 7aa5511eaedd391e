"""Where the values of form fields go on a page: next to their labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from readagent.loaders.pdf.boxes import Box, upright
from readagent.loaders.pdf.forms import Field
from readagent.loaders.pdf.layout.sheet import Piece

_MIN_FIELD_SIZE, _MAX_FIELD_SIZE = 6.0, 11.0  # points, of the text in a field


def field_pieces(fields: Iterable[Field], bounds: Box, pieces: Sequence[Piece] = ()) -> Iterator[Piece]:
    """Yield the values of the fields of a form; one line of text goes next to its label."""
    order = len(pieces)
    for field in fields:
        left, top, right, bottom = upright(field.box, 0, bounds)
        lines = [line.strip() for line in field.value.splitlines() if line.strip()]
        size = max(_MIN_FIELD_SIZE, min(_MAX_FIELD_SIZE, 0.7 * (bottom - top) / max(1, len(lines))))
        base = bottom - 0.25 * size - 1.2 * size * (len(lines) - 1)
        label = _label(left, top, right, bottom, pieces) if len(lines) == 1 else None
        if label:
            base, size = label.base, label.size
            left = label.right + 0.4 * size if label.right <= left else label.left - 0.5 * size * (len(lines[0]) + 1)
        for line in lines:
            yield Piece(line, left, left + 0.5 * size * len(line), base, size, order=order)
            base += 1.2 * size
            order += 1


def _label(left: float, top: float, right: float, bottom: float, pieces: Sequence[Piece]) -> Piece | None:
    """Return the nearest text on the line of a field; a box to tick may come before its label."""
    beside = [piece for piece in pieces if top - 2 < piece.base < bottom + 2]
    narrow = right - left < 2 * (bottom - top)
    near = [(left - piece.right, piece) for piece in beside if piece.right <= left + piece.size]
    near += [(piece.left - right, piece) for piece in beside if narrow and piece.left >= right - piece.size]
    return min(near, key=lambda one: one[0], default=(0.0, None))[1]
