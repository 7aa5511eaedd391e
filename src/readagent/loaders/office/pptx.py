"""PowerPoint files (.pptx): each slide is a section with its title, its text and tables, and the speaker's notes.

Slide numbers, dates, footers and images are left out.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose, prefixed
from readagent.loaders.formats import Options
from readagent.loaders.office.charts import chart_blocks
from readagent.loaders.office.opc import main_part, metadata_of, relation_id, relations
from readagent.loaders.office.pptx_shapes import Slide, shape_blocks, slide_of
from readagent.loaders.sandbox.archive import GET_AGAIN, Archive
from readagent.loaders.sandbox.xml import attribute, element_of, local

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
