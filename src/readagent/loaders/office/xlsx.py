"""Excel files (.xlsx, .xlsm): each sheet is a section, its rows as people see them. Hidden sheets are left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose
from readagent.loaders.formats import Options
from readagent.loaders.grid import grid_blocks
from readagent.loaders.office.charts import chart_blocks
from readagent.loaders.office.opc import main_part, metadata_of, relation_id, relations
from readagent.loaders.office.pptx_shapes import shape_blocks
from readagent.loaders.office.xlsx_cells import Book, number_formats, rows_of, shared_strings
from readagent.loaders.sandbox.archive import GET_AGAIN, Archive
from readagent.loaders.sandbox.xml import attribute, children, element_of, local


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
    metadata = {**metadata_of(archive), "left out": left_out}
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
