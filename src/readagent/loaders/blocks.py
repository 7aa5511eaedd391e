"""Blocks: what a parser finds in a file, one after the other, and the Document made from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from readagent.core.document import Document
from readagent.core.escaping import TURNING
from readagent.core.words import Paragraph

_INVISIBLE = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\u00ad]")  # controls and soft hyphens
_TURNING = re.compile(f"[{TURNING}]")
_LINE_ENDS = re.compile(r"\r\n?|\x0c|\x85|\u2028|\u2029")


@dataclass(frozen=True, slots=True)
class Block:
    """A future paragraph: its text, and the fields of Paragraph (heading, place, lines, marks, speaker)."""

    text: str
    heading: int = 0
    place: str = ""
    lines: bool = False
    marks: tuple[tuple[int, str], ...] = ()
    speaker: str = ""


def compose(
    blocks: Iterable[Block], *, title: str = "", source: str = "", metadata: Mapping[str, str] | None = None
) -> Document:
    """Return a document made of these blocks, separated by blank lines; blocks without text are left out.

    White space in running text becomes single spaces; blocks made of lines keep theirs.
    """
    text: list[str] = []
    paragraphs: list[Paragraph] = []
    start = 0
    for block in blocks:
        tidied = one_line(block.text) if block.heading else tidy(block)
        if not tidied:
            continue
        end = start + len(tidied) + 2
        place, marks = one_line(block.place), tuple(_tidied_marks(block, len(tidied)))
        speaker = tidy(Block(block.speaker))
        paragraphs.append(Paragraph(len(paragraphs), start, end, block.heading, place, block.lines, marks, speaker))
        text.append(tidied + "\n\n")
        start = end
    known = {name: line for name, value in (metadata or {}).items() if (line := one_line(value))}
    return Document("".join(text), tuple(paragraphs), title=one_line(title), source=source, metadata=known)


def _tidied_marks(block: Block, length: int) -> Iterator[tuple[int, str]]:
    """Yield the marks of a block with their offsets in its tidied text, which has this length."""
    for offset, place in block.marks:
        rest = len(tidy(replace(block, text=block.text[offset:])))
        if rest:
            yield length - rest, one_line(place)


def with_notes(blocks: Sequence[Block], notes: Iterable[Block]) -> list[Block]:
    """Return the blocks, followed by the notes under a heading if there are any."""
    last = list(notes)
    return [*blocks, Block("Notes", heading=1), *last] if last else [*blocks]


def prefixed(prefix: str, blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with a prefix, such as the number of a note, before the first one."""
    return [replace(one, text=prefix + one.text) for one in blocks[:1]] + [*blocks[1:]]


def one_line(text: str) -> str:
    """Return a heading, place, title or field of the metadata as one line; no character in it turns other text."""
    return tidy(Block(_TURNING.sub("", text))) if text else ""


def tidy(block: Block) -> str:
    """Return the text of a block without invisible characters and without superfluous white space."""
    text = _INVISIBLE.sub("", _LINE_ENDS.sub("\n", block.text))
    if not block.lines:
        return " ".join(text.split())
    return "\n".join(line.rstrip() for line in text.strip("\n").rstrip().split("\n"))
