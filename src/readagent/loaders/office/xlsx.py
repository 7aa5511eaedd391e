"""Excel files (.xlsx, .xlsm): each sheet is a section, its rows as people see them. Hidden sheets are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose
from readagent.loaders.formats import MAX_CHARACTERS, NOT_READ, Options, too_long
from readagent.loaders.office.number_formats import BUILT_IN, general, shown
from readagent.loaders.office.opc import chart_blocks, main_part, metadata_of, relation_id, relations
from readagent.loaders.office.pptx import shape_blocks
from readagent.loaders.sandbox.archive import GET_AGAIN, Archive
from readagent.loaders.sandbox.xml import Events, attribute, children, element_of, local, read_events, whole
from readagent.loaders.tables import Row, grid_blocks

_REFERENCE = re.compile(r"([A-Za-z]{1,3})([0-9]{1,7})")
_ESCAPED = re.compile(r"_x((?![Dd][89A-Fa-f])[0-9A-Fa-f]{4})_")
_MAX_COLUMNS = 16_384
_MAX_ROWS = 1_048_576


@dataclass(frozen=True, slots=True)
class Book:
    """What the cells of all sheets refer to: strings and formats by number, and the first day of dates."""

    strings: Sequence[str]
    formats: Sequence[str]
    from_1904: bool = False


def shared_strings(archive: Archive, part: str) -> list[str]:
    """Return the strings that cells refer to by number."""
    strings = _Strings()
    if part:
        read_events(archive.read(part), part, archive.name, strings)
    return strings.found


def number_formats(archive: Archive, part: str) -> list[str]:
    """Return the number format of each cell style."""
    if not part:
        return []
    groups = dict(children(element_of(archive.read(part), part, archive.name)))
    own = {attribute(one, "numFmtId"): attribute(one, "formatCode") for one in groups.get("numFmts", ())}
    ids = [attribute(one, "numFmtId") for one in groups.get("cellXfs", ())]
    built_in = {str(number): code for number, code in BUILT_IN.items()}
    return [own.get(one) or built_in.get(one, "General") for one in ids]


def rows_of(archive: Archive, part: str, book: Book) -> list[Row]:
    """Return the rows of a sheet that have text."""
    sheet = _SheetXml(book, archive.name)
    read_events(archive.read(part), part, archive.name, sheet)
    return sheet.rows


class _Strings(Events):
    """Collects the shared strings. Readings of Japanese words (rPh) are left out."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._pieces: list[str] = []
        self._in_text = False
        self._in_reading = False

    def opened(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "si":
            self._pieces = []
        elif tag == "rPh":
            self._in_reading = True
        elif tag == "t":
            self._in_text = not self._in_reading

    def data(self, text: str) -> None:
        if self._in_text:
            self._pieces.append(text)

    def closed(self, tag: str) -> None:
        if tag == "t":
            self._in_text = False
        elif tag == "rPh":
            self._in_reading = False
        elif tag == "si":
            self.found.append(_unescaped("".join(self._pieces)))


class _SheetXml(Events):
    """Collects the rows of a sheet."""

    def __init__(self, book: Book, name: str) -> None:
        self.rows: list[Row] = []
        self._book = book
        self._name = name
        self._size = 0
        self._number = 0
        self._hidden = False
        self._cells: dict[int, str] = {}
        self._column = -1
        self._kind = self._style = ""
        self._pieces: dict[str, list[str]] = {}
        self._into: list[str] | None = None

    def opened(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "row":
            given = whole(attributes.get("r", "")) or 0
            self._number = given if 0 < given <= _MAX_ROWS else self._number + 1
            self._cells, self._column = {}, -1
            self._hidden = attributes.get("hidden") in ("1", "true")
        elif tag == "c":
            self._column = _column(attributes.get("r", ""), self._column + 1)
            self._kind, self._style = attributes.get("t", "n"), attributes.get("s", "0")
            self._pieces = {}
        elif tag in ("v", "f", "t"):
            self._into = self._pieces.setdefault(tag, [])

    def data(self, text: str) -> None:
        if self._into is not None:
            self._into.append(text)

    def closed(self, tag: str) -> None:
        if tag in ("v", "f", "t"):
            self._into = None
        elif tag == "c":
            pieces = {kind: "".join(found) for kind, found in self._pieces.items()}
            text = self._text(pieces.get("v", ""), pieces.get("t", ""), pieces.get("f", ""))
            if text.strip():
                self._cells[self._column] = text
        elif tag == "row" and self._cells:
            self._size += max(self._cells) + sum(map(len, self._cells.values()))
            if self._size > 2 * MAX_CHARACTERS:
                raise too_long(self._name, MAX_CHARACTERS)
            cells = [self._cells.get(at, "") for at in range(max(self._cells) + 1)]
            self.rows.append(Row(self._number, cells, hidden=self._hidden))

    def _text(self, value: str, inline: str, formula: str) -> str:
        """Return the text of a cell as it is shown; the formula if its result was not stored."""
        if self._kind == "s":
            index, strings = whole(value), self._book.strings
            return strings[index] if index is not None and index < len(strings) else ""
        if self._kind == "inlineStr":
            return _unescaped(inline)
        if not value:
            return f"={formula}" if formula else ""
        if self._kind == "b":
            return "TRUE" if value == "1" else "FALSE"
        if self._kind == "n":
            return self._number_text(value)
        return _unescaped(value).removesuffix("T00:00:00") if self._kind == "d" else _unescaped(value)

    def _number_text(self, value: str) -> str:
        try:
            number = float(value)
        except ValueError:
            return value
        formats, style = self._book.formats, whole(self._style) or 0
        code = formats[style] if style < len(formats) else "General"
        return shown(number, code, from_1904=self._book.from_1904) if code != "General" else general(number)


def _column(reference: str, otherwise: int) -> int:
    """Return the number of a column, from 0; cells need not say where they are."""
    found = _REFERENCE.fullmatch(reference)
    number = 0
    for letter in found[1].upper() if found else "":
        number = 26 * number + ord(letter) - 64
    return min(number - 1 if found else otherwise, _MAX_COLUMNS - 1)


def _unescaped(text: str) -> str:
    """Return the text with characters that XML does not allow, such as ``_x000D_`` for a line end, as themselves."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A sheet of the workbook: its name, its path in the archive, and whether it is hidden."""

    name: str
    path: str
    hidden: bool


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return an Excel file as a document; ``whole`` keeps hidden sheets."""
    archive = Archive(data, name)
    path = main_part(archive) or "xl/workbook.xml"
    parts = relations(archive, path)
    workbook = element_of(archive.read(path), path, name)
    paths = {one.kind: one.path for one in parts.values()}
    book = Book(
        shared_strings(archive, paths.get("sharedStrings", "")),
        number_formats(archive, paths.get("styles", "")),
        from_1904=any(attribute(one, "date1904") in ("1", "true") for one in workbook.iter()),
    )
    sheets = [
        _Sheet(attribute(one, "name"), parts[key].path, attribute(one, "state") in ("hidden", "veryHidden"))
        for kind, group in children(workbook)
        if kind == "sheets"
        for _, one in children(group)
        if (key := relation_id(one)) in parts and parts[key].kind == "worksheet"
    ]
    if not sheets:
        raise LoadError(f"{name} contains no sheet with cells", hint=GET_AGAIN)
    shown = [one for one in sheets if options.whole or not one.hidden]
    left_out = ", ".join(f"hidden sheet {one.name}" for one in sheets if one not in shown)
    metadata = {**metadata_of(archive), NOT_READ: left_out}
    return compose(_blocks(archive, shown, book), title=metadata.pop("title"), metadata=metadata)


def _blocks(archive: Archive, sheets: list[_Sheet], book: Book) -> Iterator[Block]:
    for sheet in sheets:
        blocks = grid_blocks(rows_of(archive, sheet.path, book), archive.name)
        blocks += [*_drawn(archive, sheet.path), *_comments(archive, sheet.path)]
        if blocks:
            yield Block(sheet.name, heading=1)
            yield from blocks


def _drawn(archive: Archive, sheet: str) -> Iterator[Block]:
    """Yield the text of the shapes that are drawn on a sheet, and the titles of its charts."""
    for one in relations(archive, sheet).values():
        if one.kind == "drawing":
            yield from shape_blocks(element_of(archive.read(one.path), one.path, archive.name))
            yield from chart_blocks(archive, one.path, values=False)


def _comments(archive: Archive, sheet: str) -> Iterator[Block]:
    """Yield the comments on the cells of a sheet."""
    for one in relations(archive, sheet).values():
        if one.kind == "comments":
            for comment in element_of(archive.read(one.path), one.path, archive.name).iter():
                text = "".join(piece.text or "" for piece in comment.iter() if local(piece) == "t")
                if local(comment) == "comment" and text.strip():
                    yield Block(f"Comment on {attribute(comment, 'ref')}: {text}")
