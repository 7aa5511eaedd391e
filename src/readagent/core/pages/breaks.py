"""PageBreaks: the places in a text where a page may end. No page crosses the beginning of a section."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from readagent.core.document import Document
from readagent.core.memory import Page
from readagent.core.plan import Plan
from readagent.core.words import WordIndex, clause_ends, line_ends, sentence_ends

_UNBROKEN = 150  # words of a paragraph that a reader takes in as one, however small the pages are


def section_ends(document: Document, index: WordIndex, min_page_words: int) -> list[int]:
    """Return the offsets where sections end, the last of them the end of the text.

    Chapters are cut first, then their sections, and so on. A section of fewer than ``min_page_words`` words is joined
    to the next one, so that a title stays with its text; the last section of a chapter is joined to the one before.
    """
    ends = [0, len(document.text)]
    levels = sorted({paragraph.heading for paragraph in document.paragraphs} - {0})
    for level in levels:
        starts = [paragraph.start for paragraph in document.paragraphs if paragraph.heading == level]
        ends = _cut(ends, starts, index, min_page_words)
    return ends[1:]


def _cut(ends: list[int], starts: list[int], index: WordIndex, min_page_words: int) -> list[int]:
    """Return the ends of the parts between ``ends``, cut further at ``starts``."""
    kept = [ends[0]]
    following = iter([*starts, ends[-1]])
    start = next(following)
    for begin, end in pairwise(ends):
        while start < end:
            if index.count(kept[-1], start) >= min_page_words:
                kept.append(start)
            start = next(following)
        last_of_text = end == ends[-1] and len(ends) == 2
        if kept[-1] > begin and index.count(kept[-1], end) < min_page_words and not last_of_text:
            kept.pop()
        kept.append(end)
    return kept


def _around(sections: list[int], pinned: frozenset[tuple[int, int]]) -> list[int]:
    """Return the ends of the sections, with the bounds of pinned pages as further ends."""
    kept = {end for end in sections if not any(first < end < last for first, last in pinned)}
    return sorted(kept | {bound for span in pinned for bound in span if bound})


@dataclass(slots=True, init=False)
class PageBreaks:
    """A document with its words indexed, and the places where its pages may end."""

    document: Document
    plan: Plan
    index: WordIndex
    sections: list[int]
    pinned: frozenset[tuple[int, int]]
    growing: bool
    _starts: list[int]

    def __init__(
        self, document: Document, plan: Plan, pinned: Collection[tuple[int, int]] = (), growing: bool = False
    ) -> None:
        self.document = document
        self.plan = plan
        self.growing = growing
        self.index = WordIndex(document.text)
        self.pinned = frozenset(pinned)
        self.sections = _around(section_ends(document, self.index, plan.min_page_words), self.pinned)
        self._starts = [paragraph.start for paragraph in document.paragraphs]

    def page(self, number: int, start: int, end: int) -> Page:
        """Return a page with its words counted."""
        return Page(number, start, end, self.index.count(start, end))

    def section_end(self, start: int) -> int:
        """Return where the section ends that has text after ``start``."""
        return self.sections[min(bisect_right(self.sections, start), len(self.sections) - 1)]

    def legal(self, start: int, section: int) -> tuple[list[int], bool]:
        """Return the places where a page from ``start`` may end, in order, and whether to ask the model about them."""
        left = self.index.count(start, section)
        whole = self.growing or len(self.sections) > 1
        if (start, section) in self.pinned or left <= (self.plan.page_words if whole else self.plan.min_page_words):
            return [section], False
        earliest = self.index.after(start, self.plan.min_page_words)
        latest = min(section, self.index.after(start, self.plan.page_words))
        low = bisect_right(self._starts, start)
        places = [cut for cut in self._starts[low : bisect_right(self._starts, latest)] if self._inside(start, cut)]
        if latest == section and places[-1:] != [section]:
            places.append(section)
        if places:
            return self._leaving_enough(places, section), True
        if places := [cut for cut in self.inner_ends(start, latest + 1) if cut >= earliest]:
            return self._leaving_enough(places, section), True
        text = self.document.text
        return [cut for cut in clause_ends(text, start, latest + 1) if cut >= earliest] or [latest], False

    def _inside(self, start: int, cut: int) -> bool:
        return self.plan.min_page_words <= self.index.count(start, cut) <= self.plan.page_words

    def _leaving_enough(self, places: list[int], section: int) -> list[int]:
        """Return the places that leave enough text in the section for another page, if there are such places."""
        if len(self.sections) == 1:
            return places
        return [cut for cut in places if self.index.count(cut, section) >= self.plan.min_page_words] or places

    def inner_ends(self, start: int, end: int) -> Iterator[int]:
        """Yield the sentence ends inside paragraphs, or line ends in paragraphs that are made of lines."""
        first = max(0, bisect_right(self._starts, start) - 1)
        for paragraph in self.document.paragraphs[first : bisect_right(self._starts, end)]:
            ends = line_ends if paragraph.lines else sentence_ends
            yield from ends(self.document.text, max(start, paragraph.start), min(end, paragraph.end))

    @property
    def long_paragraph(self) -> int:
        """How many words a paragraph may have without a place for a pause inside it."""
        between = self.plan.page_words - self.plan.min_page_words
        return min(between, max(between // 2, _UNBROKEN))

    def ends(self, start: int, end: int) -> Iterator[int]:
        """Yield the paragraph ends between two places, and sentence ends in paragraphs that are long."""
        cuts = self._starts[bisect_right(self._starts, start) : bisect_left(self._starts, end)]
        for first, last in pairwise([start, *cuts, end]):
            if self.index.count(first, last) > self.long_paragraph:
                yield from self.inner_ends(first, last)
            if last < end:
                yield last

    def pieces(self, start: int, places: list[int], section: int) -> list[str]:
        """Return the texts between the places, and last the text after them up to ``page_words``, if any."""
        latest = min(section, self.index.after(start, self.plan.page_words))
        bounds = [start, *places, *([latest] if latest > places[-1] else [])]
        pieces = [self.document.text[a:b].strip() for a, b in pairwise(bounds)]
        return pieces if pieces[-1] else pieces[:-1]

    def nearest(self, start: int, section: int, wanted: Sequence[int], instead: Collection[int] = ()) -> int:
        """Return where a page from ``start`` ends: at the first of the ``wanted`` pauses that makes a legal page.

        If none does, at one of ``instead``; or else so that pages of equal length lead up to the next wanted pause.
        """
        for found in (wanted, instead):
            if inside := [pause for pause in found if pause > start and self._inside(start, pause)]:
                return min(inside)
        places, choice = self.legal(start, section)
        if len(places) == 1 or not choice:
            return places[-1]
        words = self.index.count(start, next((pause for pause in wanted if pause > places[-1]), section))
        even = words / -(-words // self.plan.page_words)
        return min(places, key=lambda place: abs(self.index.count(start, place) - even))

    def uniform(self, start: int = 0, number: int = 0) -> list[Page]:
        """Return pages of equal length, about ``page_words``, ending at a sentence end within a tenth of that.

        The text before, between and after pinned pages is divided separately. The first page begins at ``start``.
        """
        cuts = [start]
        for end in _around([len(self.document.text)], self.pinned):
            if end <= start:
                continue
            before, total = self.index.count(0, cuts[-1]), self.index.count(cuts[-1], end)
            count = 1 if (cuts[-1], end) in self.pinned else max(1, round(total / self.plan.page_words))
            for i in range(1, count):
                cuts.append(self.near(cuts[-1], before + round(i * total / count), total // count // 10))
            cuts.append(end)
        return [self.page(at, a, b) for at, (a, b) in enumerate(pairwise(cuts), start=number)]

    def anchor(self, start: int, words: int, slack: int) -> int:
        """Return a scene end about ``words`` words into the text, or else a paragraph or sentence end, or that word."""
        exact, low, high = (self.index.after(0, words + off) for off in (0, -slack, slack))
        paragraphs = self._starts[bisect_right(self._starts, low) : bisect_right(self._starts, high)]
        scenes = [cut for cut in paragraphs if self.ends_scene(cut)]
        near = scenes or paragraphs
        return min(near, key=lambda cut: abs(cut - exact)) if near else self.near(start, words, slack)

    def ends_scene(self, cut: int) -> bool:
        """Return whether the paragraph before this one is a row of stars or the like."""
        before = self.document.paragraph_at(cut - 1)
        return before is not None and not any(map(str.isalnum, self.document.text[before.start : before.end]))

    def near(self, start: int, words: int, slack: int) -> int:
        """Return the paragraph or sentence end nearest to ``words`` words into the text, or else that word."""
        exact, low, high = (self.index.after(0, words + off) for off in (0, -slack, slack))
        paragraphs = self._starts[bisect_right(self._starts, low) : bisect_right(self._starts, high)]
        near = [*paragraphs, *(cut for cut in self.inner_ends(start, high + 1) if cut > low)]
        return min(near, key=lambda cut: abs(cut - exact)) if near else exact
