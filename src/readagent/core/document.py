"""Document and Paragraph: a text with character offsets that are never lost."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from readagent.core.brief import brief, counted
from readagent.core.notebook import framed, shown, shown_start, table
from readagent.core.paragraphs import Paragraph, has_rows, paragraph_starts
from readagent.core.places import place_of_passage, places_in
from readagent.core.words import count_words

_HEADINGS = 200  # shown in a notebook
_REMEMBERED = 20_000  # characters; the ids of shorter texts are remembered for a while


def _id(text: str, salt: str) -> str:
    return hashlib.sha256(f"{salt}{text}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


_known_id = lru_cache(maxsize=128)(_id)  # while a document is read, its id is needed many times


@dataclass(frozen=True, slots=True)
class Document:
    """A text and its paragraphs, which tile it: no character is lost.

    ``metadata`` is what the file says about itself, such as author, date and language.
    """

    text: str
    paragraphs: tuple[Paragraph, ...]
    title: str = ""
    source: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    kind: str = ""  # what kind of text it is, if the format says so: "book", "web page", "transcript"
    code: str = ""  # the programming language, if it is source code
    source_end: int | None = None  # the end of the text of the source, if more was appended to it
    salt: str = ""  # random, for a conversation: another one with the same text has another id
    joins: tuple[int, ...] = ()  # where other documents begin in the text, if several were joined

    def __repr__(self) -> str:
        return brief(self, self.title, counted(self.words, "word"), f"from {self.source}" if self.source else "")

    def _repr_html_(self) -> str:
        """Return title, author, length and source, and a table of the headings with their places."""
        headings = [one for one in self.paragraphs if one.heading]
        places = self.places([one.start for one in headings[:_HEADINGS]])
        texts = (" ".join(self.text[one.start : one.end].split()) for one in headings)
        rows = [(shown(text), shown(place)) for text, place in zip(texts, places, strict=False)]
        left = len(headings) - len(rows)
        facts = [self.metadata.get("author", ""), counted(self.words, "word"), self.source]
        return framed(
            f"<b>{shown(self.title or self.source or self.id)}</b>",
            shown(" · ".join(filter(None, facts))),
            table(("heading", "place"), rows) if rows else shown_start(self.text.strip()),
            shown(f"and {counted(left, 'more heading')}") if left else "",
        )

    @classmethod
    def from_text(cls, text: str, *, title: str = "", source: str = "") -> Document:
        """Return a document from plain text; paragraphs are found by blank lines, indents or line lengths."""
        starts = paragraph_starts(text)
        ends = [*starts[1:], len(text)] if starts else []
        spans = enumerate(zip(starts, ends, strict=True))
        paragraphs = tuple(Paragraph(i, a, b, lines=has_rows(text[a:b])) for i, (a, b) in spans)
        return cls(text, paragraphs, title=title, source=source)

    def appended(self, more: str | Document) -> Document:
        """Return the document with more text at its end, in new paragraphs; offsets, title and source stay."""
        added = Document.from_text(more) if isinstance(more, str) else more
        if not added.text.strip():
            return self
        newlines = len(self.text) - len(self.text.rstrip("\n"))
        gap = "\n" * max(0, 2 - newlines) if self.text else ""
        at, count = len(self.text) + len(gap), len(self.paragraphs)
        before = (*self.paragraphs[:-1], *(replace(one, end=at) for one in self.paragraphs[-1:]))
        after = (
            replace(one, index=count + one.index, start=at + one.start, end=at + one.end) for one in added.paragraphs
        )
        source_end = len(self.text) if self.source and self.source_end is None else self.source_end
        return replace(self, text=self.text + gap + added.text, paragraphs=(*before, *after), source_end=source_end)

    @property
    def id(self) -> str:
        """A hash of the text, and of the salt if there is one; title and source do not change it."""
        return (_known_id if len(self.text) < _REMEMBERED else _id)(self.text, self.salt)

    @property
    def facts(self) -> dict[str, str]:
        """The metadata together with kind, code and ``source_end`` (as "appended"): what is stored and exported."""
        appended = "" if self.source_end is None else str(self.source_end)
        control = {"kind": self.kind, "code": self.code, "appended": appended}
        return {**self.metadata, **{name: value for name, value in control.items() if value}}

    def with_facts(self, facts: Mapping[str, str]) -> Document:
        """Return the document with metadata, kind, code and ``source_end`` from what ``facts`` returned."""
        metadata = {name: value for name, value in facts.items() if name not in ("kind", "code", "appended")}
        appended = facts.get("appended", "")
        return replace(
            self,
            metadata=metadata,
            kind=facts.get("kind", ""),
            code=facts.get("code", ""),
            source_end=int(appended) if appended.isdecimal() else None,
        )

    def paragraph_at(self, offset: int) -> Paragraph | None:
        """Return the paragraph that contains this offset, or None if the document has no paragraphs."""
        after = bisect_right(self.paragraphs, offset, key=lambda paragraph: paragraph.start)
        return self.paragraphs[max(0, after - 1)] if self.paragraphs else None

    def places(self, offsets: Sequence[int]) -> list[str]:
        """Return the place of each offset in the source: page, time or line, and the chapter; see ``Place``.

        A place is empty if nothing is known.
        """
        return places_in(self, offsets)

    def place_at(self, offset: int) -> str:
        """Return the place of one offset in the source; empty if unknown."""
        return self.places([offset])[0]

    def place_of(self, start: int, end: int) -> str:
        """Return the place of a passage: that of its start, or both pages if it runs over a page break: pp. 6-7."""
        return place_of_passage(self, start, end)

    @property
    def words(self) -> int:
        """The number of words in the text."""
        return count_words(self.text)
