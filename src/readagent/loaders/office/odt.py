"""OpenDocument files, zipped (.odt, .ods, .odp) or flat: texts with their notes last, spreadsheets, presentations.

Deleted text, comments, tables of contents, images, page headers and footers are left out.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose, with_notes
from readagent.loaders.formats import Options
from readagent.loaders.office.formula import formula_text
from readagent.loaders.office.odp import slide_blocks
from readagent.loaders.office.ods import sheet_blocks
from readagent.loaders.office.odt_text import blocks_in
from readagent.loaders.office.styles import AUTHOR, DATE, TITLE, Opening
from readagent.loaders.sandbox.archive import Archive
from readagent.loaders.sandbox.xml import day_of, element_of, local, text_in

_BODIES = ("office:1.0}text", "office:1.0}spreadsheet", "office:1.0}presentation")
_MANIFEST = "META-INF/manifest.xml"


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return an OpenDocument file as a document."""
    archive = Archive(data, name) if data.startswith(b"PK") else None
    roots = _roots(archive, name) if archive else [element_of(data, "content", name)]
    body = next((one for one in roots[0].iter() if one.tag.endswith(_BODIES)), None)
    if body is None:
        hint = "save it as a text, a spreadsheet or a presentation: .odt, .ods or .odp"
        raise LoadError(f"{name} is not an OpenDocument file with text", hint=hint)

    def formula(path: str) -> str:
        part = f"{path.removeprefix('./').rstrip('/')}/content.xml"
        return formula_text(element_of(archive.read(part), part, name)) if archive and part in archive else ""

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
    }
    return compose(with_notes(blocks, notes), title=opening.get(TITLE) or text_in(meta, "title"), metadata=fields)


def _roots(archive: Archive, name: str) -> list[ET.Element]:
    """Return the root elements of the relevant parts, the text first."""
    if _MANIFEST in archive and b"encryption-data" in archive.read(_MANIFEST):
        raise LoadError(f"{name} is protected by a password", hint="save it without a password and read that")
    parts = ["content.xml", *(part for part in ("styles.xml", "meta.xml") if part in archive)]
    return [element_of(archive.read(part), part, name) for part in parts]
