"""Document and Paragraph: a text with character offsets that are never lost."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from readagent.core.paragraphs import paragraph_starts
from readagent.core.words import count_words


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph is ``text[start:end]`` of its document, the white space after it included.

    ``heading`` is 0 for running text and the level, from 1, for a heading. ``place`` is where it stands in its source,
    in words for people, where that is known: ``page 12``, ``0:41:07``. ``lines`` marks what is made of lines, such as
    code, tables and verse: where it must be cut, it is cut between two of them.
    """

    index: int
    start: int
    end: int
    heading: int = 0
    place: str = ""
    lines: bool = False


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

    def appended(self, more: str | Document) -> Document:
        """This text with more at its end, as paragraphs of their own; all that was there keeps its offsets.

        Title and source stay; ``metadata["appended"]`` says how many characters stood at the source.
        """
        added = Document.from_text(more) if isinstance(more, str) else more
        if not added.text.strip():
            return self
        newlines = len(self.text) - len(self.text.rstrip("\n"))
        gap = "\n" * max(0, 2 - newlines) if self.text else ""
        at, count = len(self.text) + len(gap), len(self.paragraphs)
        before = (*self.paragraphs[:-1], *(replace(one, end=at) for one in self.paragraphs[-1:]))
        behind = (
            replace(one, index=count + one.index, start=at + one.start, end=at + one.end) for one in added.paragraphs
        )
        metadata = {"appended": str(len(self.text)), **self.metadata} if self.source else self.metadata
        return replace(self, text=self.text + gap + added.text, paragraphs=(*before, *behind), metadata=metadata)

    @property
    def id(self) -> str:
        """The same for the same text, whatever it is called and wherever it lies."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def paragraph_at(self, offset: int) -> Paragraph | None:
        """The paragraph in which this character stands; None where there are none."""
        after = bisect_right(self.paragraphs, offset, key=lambda paragraph: paragraph.start)
        return self.paragraphs[max(0, after - 1)] if self.paragraphs else None

    def places(self, offsets: Sequence[int]) -> list[str]:
        """Where each of these characters, given in order, stands in the source: innermost heading, page or time.

        What is not known of it is left out, so the place may be empty.
        """
        found: list[str] = []
        above: list[Paragraph] = []  # the headings under which we are, the outermost first
        paragraphs = iter(self.paragraphs)
        here, following = None, next(paragraphs, None)
        for offset in offsets:
            while following is not None and (here is None or following.start <= offset):
                here, following = following, next(paragraphs, None)
                if here.heading:
                    above = [*(one for one in above if one.heading < here.heading), here]
            heading = " ".join(self.text[above[-1].start : above[-1].end].split()) if above else ""
            found.append(", ".join(part for part in (heading, here.place if here else "") if part))
        return found

    def place_at(self, offset: int) -> str:
        """Where this character stands in the source, as far as that is known."""
        return self.places([offset])[0]

    @property
    def words(self) -> int:
        """Words of the whole text."""
        return count_words(self.text)
