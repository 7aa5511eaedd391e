"""OpenDocument files, zipped (.odt, .ods, .odp) or flat: texts with their notes last, spreadsheets, presentations.

Deleted text, comments, tables of contents, images, page headers and footers are left out.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import replace

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose, prefixed, with_notes
from readagent.loaders.formats import NOT_READ, Options
from readagent.loaders.office.ods import sheet_blocks
from readagent.loaders.office.odt_text import blocks_in
from readagent.loaders.office.styles import AUTHOR, DATE, TITLE, Opening, formula_text
from readagent.loaders.sandbox.archive import Archive
from readagent.loaders.sandbox.xml import attribute, children, day_of, element_of, local, text_in

_FURNITURE = frozenset({"page-number", "date-time", "footer", "header", "page"})

Read = Callable[[ET.Element], list[Block]]


def slide_blocks(body: ET.Element, read: Read) -> Iterator[Block]:
    """Yield the blocks of all slides; ``read`` gives those of a frame."""
    pages = [child for kind, child in children(body) if kind == "page"]
    for number, page in enumerate(pages, start=1):
        title, blocks = _slide(page, read)
        place = f"slide {number}" if title else ""
        if title or blocks:
            yield Block(title or f"Slide {number}", heading=1, place=place)
        yield from (replace(block, place=place, heading=0) for block in blocks)


def _slide(page: ET.Element, read: Read) -> tuple[str, list[Block]]:
    """Return the title of a slide or a notes page, and its other blocks."""
    title, blocks = "", list[Block]()
    for kind, shape in children(page):
        role = attribute(shape, "class")
        if kind == "notes":
            blocks += prefixed("Notes: ", _slide(shape, read)[1])
        elif role == "title" and not title:
            title = " ".join(block.text for block in read(shape))
        elif role not in _FURNITURE:
            blocks += read(shape)
    return title, blocks


_BODIES = ("office:1.0}text", "office:1.0}spreadsheet", "office:1.0}presentation")
_OUTER_TYPE = re.compile(rb"<!DOCTYPE[^\[>]*>")  # of old formulas; one that declares nothing itself
_MANIFEST = "META-INF/manifest.xml"


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return an OpenDocument file as a document."""
    archive = Archive(data, name) if data.startswith(b"PK") else None
    roots = _roots(archive, name) if archive else [element_of(data, "content", name)]
    body = next((one for one in roots[0].iter() if one.tag.endswith(_BODIES)), None)
    if body is None:
        hint = "save it as a text, a spreadsheet or a presentation: .odt, .ods or .odp"
        raise LoadError(f"{name} is not an OpenDocument file with text", hint=hint)

    not_read: list[str] = []

    def formula(path: str) -> str:
        part = f"{path.removeprefix('./').rstrip('/')}/content.xml"
        if not archive or part not in archive:
            return ""
        try:
            return formula_text(element_of(_OUTER_TYPE.sub(b"", archive.read(part), count=1), part, name))
        except LoadError as error:
            not_read.append(str(error))
            return ""

    opening = Opening()
    notes: list[Block] = []
    if local(body) == "spreadsheet":
        blocks = list(sheet_blocks(body, name))
    elif local(body) == "presentation":
        blocks = list(slide_blocks(body, lambda frame: blocks_in(frame, roots, formula)[0]))
    else:
        blocks, notes, opening = blocks_in(body, roots, formula)
    meta = next(
        (one for root in roots for one in root.iter() if one.tag.endswith("office:1.0}meta")), ET.Element("none")
    )
    fields = {
        "author": opening.get(AUTHOR) or text_in(meta, "initial-creator", "creator"),
        "date": opening.get(DATE) or day_of(text_in(meta, "creation-date", "date")),
        "language": text_in(meta, "language"),
        NOT_READ: "; ".join(dict.fromkeys(not_read)),
    }
    return compose(with_notes(blocks, notes), title=opening.get(TITLE) or text_in(meta, "title"), metadata=fields)


def _roots(archive: Archive, name: str) -> list[ET.Element]:
    """Return the root elements of the relevant parts, the text first."""
    if _MANIFEST in archive and b"encryption-data" in archive.read(_MANIFEST):
        raise LoadError(f"{name} is protected by a password", hint="save it without a password and read that")
    parts = ["content.xml", *(part for part in ("styles.xml", "meta.xml") if part in archive)]
    return [element_of(archive.read(part), part, name) for part in parts]
