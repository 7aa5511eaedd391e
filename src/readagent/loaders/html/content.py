"""From an HTML tree to blocks: the readable text in order, with its notes separate. Linear, without recursion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from readagent.loaders.blocks import Block, with_notes
from readagent.loaders.html.notes import NO_NOTES, Notes, find_notes, survey
from readagent.loaders.html.tree import Element, HeadingLevel, Skip, tree_of, walk
from readagent.loaders.html.walker import Walker


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a tree: its blocks, its notes, and the index of the block at each anchor."""

    blocks: list[Block]
    notes: list[Block]
    anchors: Mapping[str, int]


NO_CONTENT = Content([], [], {})


def blocks_of(html: str | bytes, *, images: bool = False) -> list[Block]:
    """Return the blocks of a page or fragment, its notes at the end. ``images`` keeps the alternative texts."""
    root = tree_of(html)
    content = read(root, notes=notes_in(root), images=images)
    return with_notes(content.blocks, content.notes)


def notes_in(root: Element) -> Notes:
    """Find the notes of a single document."""
    return find_notes([survey(root)])


def read(
    *roots: Element,
    notes: Notes = NO_NOTES,
    skip: Skip | None = None,
    heading_style: HeadingLevel | None = None,
    images: bool = False,
    hidden: bool = False,
) -> Content:
    """Return the content of the trees below the roots, in their order, without the elements that ``skip`` selects.

    ``heading_style`` gives a level to paragraphs that look like headings; ``images`` keeps the alternative texts,
    ``hidden`` the elements that are not displayed.
    """
    walker = Walker(notes, skip, heading_style, images, hidden)
    for root in roots:
        walk(root, walker.enter, walker.leave)
    return Content(walker.builder.finish(), walker.notes, walker.anchors)
