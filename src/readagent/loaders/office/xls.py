"""Old Excel files (.xls), read with xlrd: each sheet is a section, its rows as people see them.

The only module that uses xlrd, which is an extra. Hidden sheets are left out.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from typing import Any

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose
from readagent.loaders.formats import MAX_CHARACTERS, NOT_READ, Options, too_long
from readagent.loaders.office.number_formats import general, shown
from readagent.loaders.sandbox.archive import GET_AGAIN
from readagent.loaders.tables import Row, grid_blocks
from readagent.loaders.unsupported import old_office_file

_ERRORS = (
    ArithmeticError, AssertionError, AttributeError, LookupError, OSError, TypeError, ValueError, struct.error,
)  # fmt: skip
_TEXT, _NUMBERS, _BOOLEAN, _ERROR = 1, (2, 3), 4, 5  # kinds of cells


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return an old Excel file as a document; ``whole`` keeps hidden sheets."""
    try:
        import olefile
        import xlrd
    except ImportError:
        raise old_office_file(data, name, "readagent[office]") from None
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as ole:  # which, unlike xlrd, ends where sectors form a circle
            stream = ole.openstream("Workbook" if ole.exists("Workbook") else "Book").read()
        book = xlrd.open_workbook(file_contents=stream, formatting_info=True, ragged_rows=True, logfile=io.StringIO())
        return _document(book, name, whole=options.whole)
    except xlrd.XLRDError as error:
        if "encrypted" in str(error):
            raise LoadError(f"{name} is protected by a password", hint="save it without a password") from None
        raise LoadError(f"{name} is damaged: {' '.join(str(error).split())}", hint=GET_AGAIN) from error
    except _ERRORS as error:
        raise LoadError(f"{name} is damaged: its sheets could not be read", hint=GET_AGAIN) from error


def _document(book: Any, name: str, *, whole: bool) -> Document:
    sheets = [sheet for sheet in book.sheets() if whole or not sheet.visibility]
    hidden = (f"hidden sheet {sheet.name}" for sheet in book.sheets() if sheet not in sheets)
    return compose(_blocks(book, sheets, name), metadata={NOT_READ: ", ".join(hidden)})


def _blocks(book: Any, sheets: list[Any], name: str) -> Iterator[Block]:
    for sheet in sheets:
        if blocks := grid_blocks(_rows(book, sheet, name), name):
            yield Block(sheet.name, heading=1)
            yield from blocks


def _rows(book: Any, sheet: Any, name: str) -> Iterator[Row]:
    size = 0
    for at in range(sheet.nrows):
        cells = [_text(book, cell) for cell in sheet.row(at)]
        size += len(cells) + sum(map(len, cells))
        if size > 2 * MAX_CHARACTERS:
            raise too_long(name, MAX_CHARACTERS)
        info = sheet.rowinfo_map.get(at)
        yield Row(at + 1, cells, hidden=bool(info and info.hidden))


def _text(book: Any, cell: Any) -> str:
    """Return the text of a cell as it is shown."""
    if cell.ctype == _TEXT:
        return str(cell.value)
    if cell.ctype in _NUMBERS:
        code = book.format_map[book.xf_list[cell.xf_index].format_key].format_str
        return shown(cell.value, code, from_1904=bool(book.datemode)) if code != "General" else general(cell.value)
    if cell.ctype == _BOOLEAN:
        return "TRUE" if cell.value else "FALSE"
    return _CODES.get(cell.value, "") if cell.ctype == _ERROR else ""


_CODES = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}
