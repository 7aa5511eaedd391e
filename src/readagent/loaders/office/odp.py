"""OpenDocument presentations: each slide is a section with its title, its text and tables, and the speaker's notes."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import replace

from readagent.loaders.blocks import Block, prefixed
from readagent.loaders.sandbox.xml import attribute, children

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
