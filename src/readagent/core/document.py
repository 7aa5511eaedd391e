"""Document: a text with character offsets that are never lost, and places in it.

A place is where something is in its source, in the one form in which people read it everywhere.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Protocol

from readagent.core.escaping import brief, counted, visible
from readagent.core.notebook import framed, shown, shown_start, table
from readagent.core.patterns import lazy_pattern
from readagent.core.words import Paragraph, count_words, has_rows, paragraph_starts

LONGEST_TITLE = 200  # characters; titles are in the names of files
_TITLE = 48  # characters of a title that are shown
_PAGE = lazy_pattern(r"page (?=\S+$)")
_NUMBER = lazy_pattern(r"p\. (\w+)")
_UNDERLINE = lazy_pattern(r"(?<=\S) (={3,}|-{3,}|~{3,})$")
_LINE = lazy_pattern(r"line (\d+)$")


class Source(Protocol):
    """What places are found in: a document."""

    @property
    def text(self) -> str: ...

    @property
    def paragraphs(self) -> tuple[Paragraph, ...]: ...

    @property
    def title(self) -> str: ...

    @property
    def metadata(self) -> Mapping[str, str]: ...

    @property
    def joins(self) -> tuple[int, ...]: ...


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a paragraph, or of the part of it on one page: ``start`` and ``end`` are its offsets in the text.

    ``file`` is its file, if the document consists of several. ``own`` is its page or time, ``line`` the number of its
    first line in a file of code, ``titles`` those of the chapter that it is in, and ``number`` its number in that
    chapter, counted from 1; 0 for a heading. ``in_chapter`` is False if the title is that of the whole document.
    """

    paragraph: Paragraph
    start: int
    end: int
    file: str = ""
    own: str = ""
    line: int | None = None
    titles: tuple[str, ...] = ()
    number: int = 0
    in_chapter: bool = True

    @property
    def numbered(self) -> str:
        """The file and the page or time in it."""
        return ", ".join(part for part in (self.file, self.own) if part)

    def at(self, offset: int, text: str) -> str:
        """Return the place of an offset here in words; empty if nothing is known."""
        if self.line is not None:
            number = self.line + max(0, _lines(text, self.paragraph.start, offset) - _blank(text, self.paragraph.start))
            return f"{self.file}:{number}" if self.file else f"line {number}"
        counted = not self.own and self.number and (self.titles or self.file)
        paragraph = f"par. {self.number}" if counted else ""
        titles = map(shortened, self.titles if self.in_chapter else ())
        return ", ".join(part for part in (self.numbered, *titles, paragraph) if part)


def places_in(document: Source, offsets: Sequence[int]) -> list[str]:
    """Return the place of each offset in the source."""
    if not document.paragraphs:
        return [""] * len(offsets)
    return [place.at(offset, document.text) for offset, place in zip(offsets, _at(document, offsets), strict=True)]


def place_of_passage(document: Source, start: int, end: int) -> str:
    """Return the place of a passage: that of its start; with both pages if it runs over a page break: pp. 6-7."""
    return places_of_passages(document, [(start, end)])[0]


def places_of_passages(document: Source, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the places of several passages, which are looked up together."""
    if not document.paragraphs:
        return [""] * len(spans)
    found = _at(document, [offset for start, end in spans for offset in (start, max(start, end - 1))])
    ends = zip(spans, found[::2], found[1::2], strict=True)
    return [_from_to(first, last, start, document.text) for (start, _), first, last in ends]


def _from_to(first: Place, last: Place, start: int, text: str) -> str:
    pages = _NUMBER.fullmatch(first.own), _NUMBER.fullmatch(last.own)
    if pages[0] and pages[1] and first.file == last.file and _follows(pages[1][1], pages[0][1]):
        first = replace(first, own=f"pp. {pages[0][1]}-{pages[1][1]}")
    return first.at(start, text)


def _follows(page: str, other: str) -> bool:
    """Return whether a page is after another one: notes and tables may be in the text after a later page."""
    return int(page) > int(other) if page.isdecimal() and other.isdecimal() else page != other


def _at(document: Source, offsets: Sequence[int]) -> list[Place]:
    """Return the part of a paragraph that each offset is in."""
    starts = [one.start for one in document.paragraphs]
    places = list(located(document, {max(0, bisect_right(starts, offset) - 1) for offset in offsets}))
    begins = [one.start for one in places]
    return [places[max(0, bisect_right(begins, offset) - 1)] for offset in offsets]


def located(document: Source, only: Collection[int] | None = None) -> Iterator[Place]:
    """Yield the place of each paragraph, or ``only`` of those with these indices, in order; several if it has marks.

    A title that several chapters have comes with the title above it. Next to a page or time, the title of the document
    itself is left out.
    """
    chosen = None if only is None else set(only)
    titles = {one.start: heading_text(document, one) for one in document.paragraphs if one.heading}
    repeated = {title for title, count in Counter(titles.values()).items() if count > 1}
    combined = "files" in document.metadata  # level 1 is for the names of the files
    above: list[Paragraph] = []  # the headings above the current paragraph, outermost first
    number = 0
    for index, one in enumerate(document.paragraphs):
        if one.start in document.joins:
            above, number = [], 0
        number = 0 if one.heading else number + 1
        if one.heading:
            above = [*(other for other in above if other.heading < one.heading), one]
        if chosen is not None and index not in chosen:
            continue
        names = [titles[other.start] for other in above]
        file = names.pop(0) if combined and above and above[0].heading == 1 else ""
        shown = names[-2:] if names and names[-1] in repeated else names[-1:]
        for start, end, place in _parts(one):
            own = place.removeprefix(file).removeprefix(", ") if file else place
            line = _LINE.match(own)
            if line:
                yield Place(one, start, end, file or document.title, line=int(line[1]), titles=tuple(shown))
            else:
                yield Place(one, start, end, file, _PAGE.sub("p. ", own, count=1), titles=tuple(shown), number=number,
                            in_chapter=not own or shown != [document.title])  # fmt: skip


def _parts(paragraph: Paragraph) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and place of the parts of a paragraph between its marks."""
    start, place = paragraph.start, paragraph.place
    for offset, following in paragraph.marks:
        if start < paragraph.start + offset < paragraph.end:  # the end may have been cut off
            yield start, paragraph.start + offset, place
            start, place = paragraph.start + offset, following
    yield start, paragraph.end, place


def label_end(document: Source, paragraph: Paragraph) -> int:
    """Return where the name ends that a turn begins with; 0 if it begins with none."""
    label = f"{paragraph.speaker}: "
    return paragraph.start + len(label) if document.text.startswith(label, paragraph.start) and paragraph.speaker else 0


def chapter_end(document: Source, heading: Paragraph) -> int:
    """Return where the chapter under a heading ends."""
    later = (
        one.start for one in document.paragraphs if one.start > heading.start and 0 < one.heading <= heading.heading
    )
    return next(later, len(document.text))


def page_name(number: int, place: str = "") -> str:
    """Return the place of one of our pages for people: that in the source, or else its number counted from 1."""
    return place or f"page {number + 1}"


def from_to(first: str, last: str) -> str:
    """Return two places as a range in which what they share is named once: p. 1 to p. 2, The Bus."""
    if first == last:
        return first
    one, other = first.split(", "), last.split(", ")
    most = min(len(one), len(other)) - 1
    ahead = next((at for at in range(most) if one[at] != other[at]), most)
    behind = next((at for at in range(most - ahead) if one[-1 - at] != other[-1 - at]), most - ahead)
    return f"{', '.join(one[: len(one) - behind])} to {', '.join(other[ahead:])}"


def shortened(title: str, most: int = _TITLE) -> str:
    """Return a title in at most this many characters; a number at its end stays."""
    if len(title) <= most:
        return title
    head, _, last = title.rpartition(" ")
    kept = last if head and re.search(r"\d", last) and len(last) < most // 2 else ""
    room = most - len(f" … {kept}".rstrip())
    cut = title[:room].rstrip() if title[room : room + 1].isspace() else title[:room].rpartition(" ")[0] or title[:room]
    return f"{cut.rstrip(' ,;:.–—-')} … {kept}".rstrip()


def heading_text(document: Source, heading: Paragraph) -> str:
    """Return a heading on one line, without the line that is drawn below it in plain text."""
    return _UNDERLINE.sub("", " ".join(document.text[heading.start : heading.end].split()))


def _lines(text: str, start: int, end: int) -> int:
    return text.count("\n", start, end)


def _blank(text: str, start: int) -> int:
    """Return the number of blank lines at the start of a paragraph."""
    found = re.compile(r"(?:[^\S\n]*\n)*").match(text, start)
    return 0 if found is None else found[0].count("\n")


_HEADINGS = 200  # shown in a notebook
_REMEMBERED = 20_000  # characters; the ids of shorter texts are remembered for a while


def _id(text: str, salt: str) -> str:
    return hashlib.sha256(f"{salt}{text}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


_known_id = lru_cache(maxsize=128)(_id)  # while a document is read, its id is needed many times


@dataclass(frozen=True, slots=True)
class Document:
    """A text and its paragraphs, which tile it: no character is lost.

    ``metadata`` is what the file says about itself, such as author, date and language. Wherever the title is from, it
    is one line without invisible characters, and not longer than ``LONGEST_TITLE``.
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", " ".join(visible(self.title[:LONGEST_TITLE]).split()))

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

    def speaker_at(self, offset: int) -> str:
        """Return who is speaking at an offset of a transcript; empty if it is none, or the text names them there."""
        here = self.paragraph_at(offset)
        return here.speaker if here and not (offset == here.start and label_end(self, here)) else ""

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
