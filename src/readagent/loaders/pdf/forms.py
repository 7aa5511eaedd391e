"""The filled-in fields of a PDF form: PDFium does not count them as text of the page."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as pdfium

from readagent.loaders.pdf.boxes import Box

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
