"""The filled-in fields of a PDF form, and where their values go on a page: next to their labels."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as pdfium

from readagent.loaders.pdf.boxes import Box, upright
from readagent.loaders.pdf.layout.sheet import Piece

_MAX_BYTES = 200_000  # of one value
_MAX_FIELDS = 2000  # on a page
_TICKS = {pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON}
_TEXTS = {pdfium.FPDF_FORMFIELD_TEXTFIELD, pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX}


@dataclass(frozen=True, slots=True)
class Field:
    """A field with its value, and its box as left, bottom, right, top. A field that is ticked has the value ``[x]``."""

    value: str
    box: Box


def fields_of(form: Any, page: Any) -> Iterator[Field]:
    """Yield the filled-in fields of a page; ``form`` and ``page`` are handles of PDFium."""
    for index in range(min(_MAX_FIELDS, pdfium.FPDFPage_GetAnnotCount(page))):
        note = pdfium.FPDFPage_GetAnnot(page, index)
        if not note:
            continue
        try:
            if pdfium.FPDFAnnot_GetSubtype(note) == pdfium.FPDF_ANNOT_WIDGET:
                yield from _filled_in(form, note)
        finally:
            pdfium.FPDFPage_CloseAnnot(note)


def _filled_in(form: Any, note: Any) -> Iterator[Field]:
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, note)
    value = ""
    if kind in _TICKS:
        value = "[x]" if pdfium.FPDFAnnot_IsChecked(form, note) else ""
    elif kind in _TEXTS:
        value = _value(form, note)
    rectangle = pdfium.FS_RECTF()
    if value.strip() and pdfium.FPDFAnnot_GetRect(note, rectangle):
        yield Field(value, (rectangle.left, rectangle.bottom, rectangle.right, rectangle.top))


def _value(form: Any, note: Any) -> str:
    size = pdfium.FPDFAnnot_GetFormFieldValue(form, note, None, 0)
    if not 2 < size <= _MAX_BYTES:
        return ""
    buffer = ctypes.create_string_buffer(size)
    pdfium.FPDFAnnot_GetFormFieldValue(form, note, ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR)), size)
    return buffer.raw[: size - 2].decode("utf-16-le", "ignore")


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
