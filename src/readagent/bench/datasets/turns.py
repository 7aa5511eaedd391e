"""Turns of a conversation as the paragraphs of a document, and where each of them stands in it."""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.document import Document
from readagent.loaders.blocks import Block, compose, tidy

Span = tuple[int, int]


def spoken(speaker: str, said: str) -> Block:
    """A turn; where nothing was said, nothing of it is kept."""
    words = tidy(Block(said))
    return Block(f"{speaker.strip()}: {words}" if speaker.strip() and words else words)


def transcript(turns: Sequence[Block], title: str = "") -> tuple[Document, list[Span | None]]:
    """The document made of these turns, and for each turn its first and last offset; None where it is empty."""
    document = compose(turns, title=title)
    paragraphs = iter(document.paragraphs)
    places: list[Span | None] = []
    for turn in turns:
        words = tidy(turn)
        start = next(paragraphs).start if words else 0
        places.append((start, start + len(words)) if words else None)
    return document, places


def stretch(places: Sequence[Span | None]) -> Span | None:
    """From the beginning of the first turn that has words to the end of the last one."""
    known = [place for place in places if place is not None]
    return (known[0][0], known[-1][1]) if known else None
