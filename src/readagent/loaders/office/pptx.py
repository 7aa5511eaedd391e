"""PowerPoint files (.pptx): each slide is a section with its title, its text and tables, and the speaker's notes.

Slide numbers, dates, footers and images are left out.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose, prefixed
from readagent.loaders.formats import Options
from readagent.loaders.office.opc import chart_blocks, main_part, metadata_of, relation_id, relations
from readagent.loaders.office.styles import formula_text
from readagent.loaders.sandbox.archive import GET_AGAIN, Archive
from readagent.loaders.sandbox.xml import attribute, children, element_of, local
from readagent.loaders.tables import Table, table_blocks

_TITLES = frozenset({"title", "ctrTitle"})
_FURNITURE = frozenset({"sldNum", "dt", "ftr", "hdr", "sldImg"})
_BULLETS = ("- ", "– ", "· ")  # of the levels of a list
_MATH = frozenset({"oMath", "oMathPara"})


@dataclass(slots=True)
class Slide:
    """The title of a slide, the blocks of its other shapes, and the ids of the diagrams it shows."""

    title: str = ""
    blocks: list[Block] = field(default_factory=list)
    diagrams: list[str] = field(default_factory=list)


def slide_of(root: ET.Element, *, listed: bool = True) -> Slide:
    """Return the text of a slide, whose main text is a list, or of a notes page, with ``listed`` false."""
    slide = Slide()
    tree = next((one for one in root.iter() if local(one) == "spTree"), None)
    for shape in _shapes(tree) if tree is not None else ():
        if local(shape) == "graphicFrame":
            _read_frame(shape, slide)
            continue
        role = _role(shape)
        body = next((child for kind, child in children(shape) if kind == "txBody"), None)
        if body is None or role in _FURNITURE:
            continue
        if role in _TITLES and not slide.title:
            slide.title = " ".join(" ".join(_text(one).split()) for one in _paragraphs(body)).strip()
        else:
            slide.blocks += _text_blocks(body, listed=listed and role in ("body", "obj"))
    return slide


def shape_blocks(root: ET.Element) -> list[Block]:
    """Return the text of a diagram (SmartArt), or of the shapes on a sheet."""
    texts = (one for one in root.iter() if local(one) == "txBody" or (local(one) == "t" and "diagram" in one.tag))
    return [block for text in texts for block in _text_blocks(text, listed=False)]


def _shapes(element: ET.Element) -> Iterator[ET.Element]:
    """Yield the shapes in the order of the file; of alternative contents, only the first that has any."""
    for kind, child in children(element):
        if kind in ("sp", "graphicFrame", "cxnSp"):
            yield child
        elif kind in ("grpSp", "Choice", "Fallback"):
            yield from _shapes(child)
        elif kind == "AlternateContent":
            versions = ([*_shapes(version)] for _, version in children(child))
            yield from next((shapes for shapes in versions if shapes), [])


def _role(shape: ET.Element) -> str:
    """Return the type of a placeholder, ``obj`` if it has none, and an empty string for other shapes."""
    for kind, child in children(shape):
        if kind == "nvSpPr":
            return next((attribute(one, "type") or "obj" for one in child.iter() if local(one) == "ph"), "")
    return ""


def _read_frame(frame: ET.Element, slide: Slide) -> None:
    for element in frame.iter():
        if local(element) == "tbl":
            rows = [one for kind, one in children(element) if kind == "tr"]
            cells = [[cell for kind, cell in children(row) if kind == "tc"] for row in rows]
            slide.blocks += table_blocks(Table(rows=[[_cell_blocks(cell) for cell in row] for row in cells]))
        elif local(element) == "relIds":
            slide.diagrams.append(attribute(element, "dm"))


def _cell_blocks(cell: ET.Element) -> list[Block]:
    texts = (_text(one) for kind, body in children(cell) if kind == "txBody" for one in _paragraphs(body))
    return [Block(text) for text in texts if text.strip()]


def _text_blocks(body: ET.Element, *, listed: bool) -> list[Block]:
    """Return the paragraphs of a shape; those of a list with bullets or numbers. ``listed`` shapes are lists."""
    paragraphs = [one for one in _paragraphs(body) if _text(one).strip()]
    blocks = []
    number = 0
    for paragraph in paragraphs:
        fields = dict(children(paragraph))
        properties = fields.get("pPr", ET.Element("none"))
        marks = {kind for kind, _ in children(properties)}
        level = int(attribute(properties, "lvl")) if attribute(properties, "lvl") in tuple("12345678") else 0
        number = number + 1 if "buAutoNum" in marks and not level else 0 if not level else number
        is_item = "buNone" not in marks and ("buChar" in marks or (listed and len(paragraphs) > 1))
        marker = f"{number}. " if number and not level else _BULLETS[min(level, 2)] if is_item or level else ""
        text = _text(paragraph)
        blocks.append(Block(marker + text, lines="\n" in text.strip()))
    return blocks


def _paragraphs(body: ET.Element) -> list[ET.Element]:
    return [child for kind, child in children(body) if kind == "p"]


def _text(paragraph: ET.Element) -> str:
    """Return the text of a paragraph with its line breaks."""
    pieces = []
    for kind, child in children(paragraph):
        if kind in ("r", "fld"):
            pieces.append("".join(one.text or "" for name, one in children(child) if name == "t"))
        elif kind == "br":
            pieces.append("\n")
        elif kind in _MATH or kind in ("m", "AlternateContent"):
            formula = next((one for one in child.iter() if local(one) in _MATH), None)
            pieces.append(formula_text(formula) if formula is not None else "")
    return "".join(pieces)


_NO_TITLES = ("PowerPoint Presentation", "Presentation")  # what programs write by themselves


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return a PowerPoint file as a document."""
    archive = Archive(data, name)
    slides = _slide_paths(archive)
    if not slides:
        raise LoadError(f"{name} contains no slides", hint=GET_AGAIN)
    blocks = [block for number, path in enumerate(slides, start=1) for block in _slide_blocks(archive, path, number)]
    metadata = metadata_of(archive)
    title = metadata.pop("title")
    return compose(blocks, title="" if title in _NO_TITLES else title, metadata=metadata)


def _slide_paths(archive: Archive) -> list[str]:
    """Return the paths of the slides in the order of the presentation."""
    path = main_part(archive) or "ppt/presentation.xml"
    parts = relations(archive, path)
    root = element_of(archive.read(path), path, archive.name)
    ids = [relation_id(one) for one in root.iter() if local(one) == "sldId"]
    return [parts[key].path for key in ids if key in parts and parts[key].kind == "slide"]


def _slide_blocks(archive: Archive, path: str, number: int) -> Iterator[Block]:
    """Yield the blocks of a slide: its title as a heading, its text, and its notes."""
    parts = relations(archive, path)
    root = element_of(archive.read(path), path, archive.name)
    slide = slide_of(root)
    blocks = list(slide.blocks)
    for key in slide.diagrams:
        if key in parts:
            blocks += shape_blocks(element_of(archive.read(parts[key].path), parts[key].path, archive.name))
    blocks += chart_blocks(archive, path, values=True)
    notes = next((one.path for one in parts.values() if one.kind == "notesSlide"), "")
    spoken = slide_of(element_of(archive.read(notes), notes, archive.name), listed=False).blocks if notes else []
    blocks += prefixed("Notes: ", spoken)
    for one in parts.values():
        if one.kind == "comments":
            blocks += _comments(element_of(archive.read(one.path), one.path, archive.name))
    yield from _placed(Slide(slide.title, blocks), number, hidden=attribute(root, "show") in ("0", "false"))


def _comments(root: ET.Element) -> Iterator[Block]:
    """Yield the comments on a slide, which older and newer versions of PowerPoint store differently."""
    for one in root.iter():
        if local(one) in ("text", "txBody"):
            pieces = (piece.text or "" for piece in one.iter() if local(piece) in ("text", "t"))
            if text := " ".join(pieces).strip():
                yield Block(f"Comment: {text}")


def _placed(slide: Slide, number: int, *, hidden: bool) -> Iterator[Block]:
    """Yield the blocks under their heading, with the slide as place; a slide without a title has its number as such."""
    place = ", ".join(filter(None, (f"slide {number}" if slide.title else "", "hidden" if hidden else "")))
    if slide.title or slide.blocks:
        yield Block(slide.title or f"Slide {number}", heading=1, place=place)
    for block in slide.blocks:
        yield replace(block, place=place)
