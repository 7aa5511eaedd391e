"""Turns of a conversation as paragraphs of a document, with their offsets."""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.document import Document
from readagent.loaders.blocks import Block, compose, tidy

Span = tuple[int, int]


def spoken(speaker: str, said: str) -> Block:
    """Return a turn; empty if nothing was said."""
    words = tidy(Block(said))
    return Block(f"{speaker.strip()}: {words}" if speaker.strip() and words else words)


def transcript(turns: Sequence[Block], title: str = "") -> tuple[Document, list[Span | None]]:
    """Return the document of these turns, and the start and end of each; None for an empty turn."""
    document = compose(turns, title=title)
    paragraphs = iter(document.paragraphs)
    places: list[Span | None] = []
    for turn in turns:
        words = tidy(turn)
        start = next(paragraphs).start if words else 0
        places.append((start, start + len(words)) if words else None)
    return document, places


def stretch(places: Sequence[Span | None]) -> Span | None:
    """Return the span from the first turn with words to the last one; None if there is none."""
    known = [place for place in places if place is not None]
    return (known[0][0], known[-1][1]) if known else None
