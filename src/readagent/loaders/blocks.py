"""Blocks: what a loader finds in a file, one after the other, and the Document they make."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from readagent.core.document import Document, Paragraph

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f\ufeff\u00ad]")  # soft hyphens too: nobody reads them
_LINE_ENDS = re.compile(r"\r\n?|\x0c|\u2028|\u2029")


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph to be: its text, and what a Paragraph says of itself (heading, place, lines)."""

    text: str
    heading: int = 0
    place: str = ""
    lines: bool = False


def compose(
    blocks: Iterable[Block], *, title: str = "", source: str = "", metadata: Mapping[str, str] | None = None
) -> Document:
    """The document made of these blocks, a blank line between two; blocks without text are left out.

    White space inside running text is made single spaces; blocks made of lines keep theirs.
    """
    text: list[str] = []
    paragraphs: list[Paragraph] = []
    start = 0
    for block in blocks:
        tidied = tidy(block)
        if not tidied:
            continue
        end = start + len(tidied) + 2
        paragraphs.append(Paragraph(len(paragraphs), start, end, block.heading, block.place, block.lines))
        text.append(tidied + "\n\n")
        start = end
    known = {name: " ".join(value.split()) for name, value in (metadata or {}).items() if value.strip()}
    return Document("".join(text), tuple(paragraphs), title=" ".join(title.split()), source=source, metadata=known)


def tidy(block: Block) -> str:
    """The text of a block without characters nobody reads, and without needless white space."""
    text = _CONTROL.sub("", _LINE_ENDS.sub("\n", block.text))
    if not block.lines:
        return " ".join(text.split())
    return "\n".join(line.rstrip() for line in text.strip("\n").rstrip().split("\n"))
