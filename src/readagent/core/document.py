"""Document and Paragraph: a text with character offsets that are never lost."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from readagent.core.paragraphs import paragraph_starts
from readagent.core.words import count_words


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph is ``text[start:end]`` of its document, the white space after it included.

    ``heading`` is 0 for running text and the level, from 1, for a heading.
    """

    index: int
    start: int
    end: int
    heading: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """A text, and where its paragraphs begin and end. The paragraphs tile the text: none of it is lost."""

    text: str
    paragraphs: tuple[Paragraph, ...]
    title: str = ""
    source: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_text(cls, text: str, *, title: str = "", source: str = "") -> Document:
        """A document from plain text, its paragraphs recovered from blank lines, indents or line lengths."""
        starts = paragraph_starts(text)
        ends = [*starts[1:], len(text)] if starts else []
        paragraphs = tuple(Paragraph(i, a, b) for i, (a, b) in enumerate(zip(starts, ends, strict=True)))
        return cls(text, paragraphs, title=title, source=source)

    @property
    def id(self) -> str:
        """The same for the same text, whatever it is called and wherever it lies."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def words(self) -> int:
        """Words of the whole text."""
        return count_words(self.text)
