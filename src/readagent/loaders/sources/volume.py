"""Volume: several documents bound into one, each under its name as a heading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from readagent.core.document import Document, Paragraph

_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class Part:
    """A document, and the name under which it stands in the volume."""

    name: str
    document: Document


def bound(parts: Sequence[Part], *, title: str, source: str) -> Document:
    """One document: each part's name is a heading of the first level, and its own headings are one level deeper.

    Below those headings the name is told as the place, so that every place in the volume names its part.
    """
    texts: list[str] = []
    paragraphs: list[Paragraph] = []
    offset = 0

    def put(text: str, its: Sequence[Paragraph]) -> None:
        nonlocal offset
        first = len(paragraphs)
        paragraphs.extend(
            replace(one, index=first + i, start=one.start + offset, end=one.end + offset) for i, one in enumerate(its)
        )
        texts.append(text)
        offset += len(text)

    for part in parts:
        name = " ".join(part.name.split())
        put(name + _BETWEEN, [Paragraph(0, 0, len(name + _BETWEEN), heading=1)])
        put(*_inner(part.document, name))
    return Document("".join(texts), tuple(paragraphs), title=title, source=source, metadata={"files": str(len(parts))})


def _inner(document: Document, name: str) -> tuple[str, list[Paragraph]]:
    """The text with a blank line at its end, and its paragraphs, headings one level deeper and placed in the part."""
    text = document.text if document.text.endswith(_BETWEEN) else document.text.rstrip("\n") + _BETWEEN
    inner, below = list[Paragraph](), False
    for one in document.paragraphs:
        below = below or one.heading > 0
        place = ", ".join(filter(None, (name, one.place))) if below else one.place
        inner.append(replace(one, heading=one.heading + 1 if one.heading else 0, place=place))
    if not inner:
        return text, [Paragraph(0, 0, len(text))]
    kept = [one for one in inner if one.start < len(text)]
    return text, [*kept[:-1], replace(kept[-1], end=len(text))]
