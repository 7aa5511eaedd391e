"""The text on a slide, on its notes page and in its diagrams: shapes, groups and tables in reading order."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field

from readagent.loaders.blocks import Block
from readagent.loaders.office.formula import formula_text
from readagent.loaders.sandbox.xml import attribute, children, local
from readagent.loaders.table import Table, table_blocks

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
