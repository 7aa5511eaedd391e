"""Combine several documents into one, each under its name as a heading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from readagent.core.document import Document
from readagent.core.words import Paragraph
from readagent.loaders.formats import READ_AS

_BLANK_LINE = "\n\n"


@dataclass(frozen=True, slots=True)
class Part:
    """A document, and the name it gets in the combined document."""

    name: str
    document: Document


def combined(parts: Sequence[Part], *, title: str, source: str) -> Document:
    """Return one document: each part's name is a heading of level 1, and its own headings are one level deeper.

    Below those headings the part's name is added to the place, so that every place names its part.
    """
    texts: list[str] = []
    paragraphs: list[Paragraph] = []
    offset = 0

    def add(text: str, added: Sequence[Paragraph]) -> None:
        nonlocal offset
        first = len(paragraphs)
        paragraphs.extend(
            replace(one, index=first + i, start=one.start + offset, end=one.end + offset) for i, one in enumerate(added)
        )
        texts.append(text)
        offset += len(text)

    for part in parts:
        name = " ".join(part.name.split())
        add(name + _BLANK_LINE, [Paragraph(0, 0, len(name + _BLANK_LINE), heading=1)])
        add(*_below_heading(part.document, name))
    as_plain = "; ".join(f"{one.name}: {why}" for one in parts if (why := one.document.metadata.get(READ_AS)))
    metadata = {"files": str(len(parts)), **({READ_AS: as_plain} if as_plain else {})}
    return Document("".join(texts), tuple(paragraphs), title=title, source=source, metadata=metadata)


def _below_heading(document: Document, name: str) -> tuple[str, list[Paragraph]]:
    """Return the text with a blank line at its end, and its paragraphs with deeper headings and the part's name."""
    text = document.text if document.text.endswith(_BLANK_LINE) else document.text.rstrip("\n") + _BLANK_LINE
    paragraphs, below_own = list[Paragraph](), False
    for one in document.paragraphs:
        below_own = below_own or one.heading > 0
        level = one.heading + 1 if one.heading else 0
        if below_own:
            marks = tuple((offset, f"{name}, {place}") for offset, place in one.marks)
            one = replace(one, place=", ".join(filter(None, (name, one.place))), marks=marks)
        paragraphs.append(replace(one, heading=level))
    if not paragraphs:
        return text, [Paragraph(0, 0, len(text))]
    kept = [one for one in paragraphs if one.start < len(text)]
    return text, [*kept[:-1], replace(kept[-1], end=len(text))]
