"""Places: where something is in its source, in the one form in which people read it everywhere.

A place is the source's own: the printed page of a PDF (``p. 57, The Bus``), the time in a transcript
(``0:41:07``), the line of a file of code (``reader.py:12``), or the paragraph of a chapter (``Chapter 4, par. 12``).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from readagent.core.paragraphs import Paragraph
from readagent.core.patterns import lazy_pattern

_TITLE = 48  # characters of a title that are shown
_PAGE = lazy_pattern(r"page (?=\S+$)")
_NUMBER = lazy_pattern(r"p\. (\w+)")
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
    titles = {one.start: _title(document, one) for one in document.paragraphs if one.heading}
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


def _title(document: Source, heading: Paragraph) -> str:
    return " ".join(document.text[heading.start : heading.end].split())


def _lines(text: str, start: int, end: int) -> int:
    return text.count("\n", start, end)


def _blank(text: str, start: int) -> int:
    """Return the number of blank lines at the start of a paragraph."""
    found = re.compile(r"(?:[^\S\n]*\n)*").match(text, start)
    return 0 if found is None else found[0].count("\n")
