"""Markup to blocks: what a person reads in a tree of HTML, in order; its notes apart. Linear, without recursion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from readagent.loaders.blocks import Block
from readagent.loaders.html.notes import NONE, Notes, find_notes, survey
from readagent.loaders.html.tree import Element, Levels, Skip, tree_of, walk
from readagent.loaders.html.walker import Walker


@dataclass(frozen=True, slots=True)
class Marked:
    """What stands in a tree: its blocks, its notes, and before which block each named place stands."""

    blocks: list[Block]
    notes: list[Block]
    places: Mapping[str, int]


def blocks_of(html: str | bytes, *, images: bool = False) -> list[Block]:
    """The blocks of a page or a fragment, its notes at the end under a heading. ``images`` keeps their descriptions."""
    root = tree_of(html)
    marked = read(root, notes_in(root), images=images)
    return with_notes(marked.blocks, marked.notes)


def with_notes(blocks: list[Block], notes: list[Block]) -> list[Block]:
    """The blocks, and the notes under a heading of their own, if there are any."""
    return [*blocks, Block("Notes", heading=1), *notes] if notes else blocks


def notes_in(root: Element) -> Notes:
    """The notes of a document that stands alone."""
    return find_notes([survey(root)])


def read(
    root: Element,
    notes: Notes = NONE,
    *,
    skip: Skip | None = None,
    looks: Levels | None = None,
    images: bool = False,
) -> Marked:
    """What stands in the tree below ``root``, without the elements that ``skip`` names.

    ``looks`` gives a level to paragraphs that are set like headings; ``images`` keeps the descriptions of pictures.
    """
    reader = Walker(notes, skip, looks, images)
    walk(root, reader.enter, reader.leave)
    return Marked(reader.flow.finish(), reader.notes, reader.places)
