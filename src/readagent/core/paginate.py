"""Where to pause: take text up to ``max_words``, label the legal places, ask for one, go on from there.

A place is legal if the page it closes has between ``min_words`` and ``max_words`` words: paragraph ends, or where none
lies in that range sentence ends (line ends in code, tables and verse). Where not even a sentence ends there, nothing is
asked: the page ends after a clause, or after a word. A text with headings is paginated section by section: no page runs
into a section, and one that fits a page is a page.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from readagent.core.choice import Choice
from readagent.core.document import Document
from readagent.core.events import Paged
from readagent.core.memory import Page
from readagent.core.model import Ask, Material
from readagent.core.plan import Plan
from readagent.core.reader import Reader
from readagent.core.sections import section_ends
from readagent.core.trace import Fallback
from readagent.core.words import WordIndex, clause_ends, line_ends, sentence_ends

_CUES = ("break point", "breakpoint", "label", "pause", "point")


async def paginate(
    document: Document, reader: Reader, *, after: Sequence[Page] = (), fixed: Collection[tuple[int, int]] = ()
) -> AsyncIterator[Page]:
    """The pages of a document, in order, as they become known. They tile its text.

    ``after`` are the first pages where they are known: those behind them come. What is ``fixed`` is a page as it is.
    """
    text = Pausing(document, reader.plan, fixed)
    if reader.plan.pauses == "uniform":
        for page in text.uniform()[len(after) :]:
            reader.tell(Paged(page.number, text.index.count(0, page.end)))
            yield page
        return
    number, start = len(after), after[-1].end if after else 0
    for section in text.sections:
        previous = ""
        while start < section:
            end = await _pause(text, start, section, previous, number, reader)
            yield text.page(number, start, end)
            reader.tell(Paged(number, text.index.count(0, end)))
            previous = document.text[start:end].strip() if reader.plan.show_previous else ""
            number, start = number + 1, end


async def _pause(text: Pausing, start: int, section: int, previous: str, number: int, reader: Reader) -> int:
    """The offset at which the page that begins at ``start`` ends, ``section`` being the end of its section."""
    places, ask_about = text.legal(start, section)
    if len(places) == 1 or not ask_about:
        return places[-1]
    pieces = text.pieces(start, places, section)
    labels = tuple(str(label) for label in range(1, len(places) + 1))
    passage = "".join(f"{piece}\n<{label}>\n" for piece, label in zip(pieces, labels, strict=False))
    passage = (passage + "".join(pieces[len(labels) :])).strip()
    prompt = _prompt(reader, passage, previous)
    if prompt is None:
        reader.fell_back(Fallback("paginate", "the passage does not fit the window", "last label", number))
        return places[-1]
    ask = Ask("paginate", prompt, Choice(labels, cues=_CUES), Material(passages=tuple(pieces)))
    (label,) = await reader.decide(ask, lambda: labels[-1:], page=number)
    return places[int(label) - 1]


def _prompt(reader: Reader, passage: str, previous: str) -> str | None:
    """The prompt, without the page before where there is no room for it; None where there is no room at all."""
    before = reader.prompts.fill("previous", previous=previous) if previous else ""
    for context in dict.fromkeys((before, "")):
        prompt = reader.prompts.fill("paginate", passage=passage, previous=context)
        if reader.window.fits(prompt):
            return prompt
    return None


def _around(sections: list[int], fixed: frozenset[tuple[int, int]]) -> list[int]:
    """The ends of the sections, with those of fixed pages and of what stands before them."""
    kept = {end for end in sections if not any(first < end < last for first, last in fixed)}
    return sorted(kept | {bound for span in fixed for bound in span if bound})


@dataclass(slots=True, init=False)
class Pausing:
    """A document with its words indexed, and the places in it where a page may end."""

    document: Document
    plan: Plan
    index: WordIndex
    sections: list[int]
    fixed: frozenset[tuple[int, int]]
    _starts: list[int]

    def __init__(self, document: Document, plan: Plan, fixed: Collection[tuple[int, int]] = ()) -> None:
        self.document = document
        self.plan = plan
        self.index = WordIndex(document.text)
        self.fixed = frozenset(fixed)
        self.sections = _around(section_ends(document, self.index, plan.min_words), self.fixed)
        self._starts = [paragraph.start for paragraph in document.paragraphs]

    def page(self, number: int, start: int, end: int) -> Page:
        return Page(number, start, end, self.index.count(start, end))

    def legal(self, start: int, section: int) -> tuple[list[int], bool]:
        """The places where a page that begins at ``start`` may end, in order, and whether to ask about them."""
        left = self.index.count(start, section)
        if (start, section) in self.fixed or left <= (
            self.plan.max_words if len(self.sections) > 1 else self.plan.min_words
        ):
            return [section], False
        earliest = self.index.after(start, self.plan.min_words)
        latest = min(section, self.index.after(start, self.plan.max_words))
        low = bisect_right(self._starts, start)
        places = [cut for cut in self._starts[low : bisect_right(self._starts, latest)] if self._inside(start, cut)]
        if latest == section and places[-1:] != [section]:
            places.append(section)
        if places:
            return self._leaving_enough(places, section), True
        if places := [cut for cut in self._inner_ends(start, latest + 1) if cut >= earliest]:
            return self._leaving_enough(places, section), True
        text = self.document.text
        return [cut for cut in clause_ends(text, start, latest + 1) if cut >= earliest] or [latest], False

    def _inside(self, start: int, cut: int) -> bool:
        return self.plan.min_words <= self.index.count(start, cut) <= self.plan.max_words

    def _leaving_enough(self, places: list[int], section: int) -> list[int]:
        """Where there are sections: the places that leave enough for another page of this one, if there are such."""
        if len(self.sections) == 1:
            return places
        return [cut for cut in places if self.index.count(cut, section) >= self.plan.min_words] or places

    def _inner_ends(self, start: int, end: int) -> Iterator[int]:
        """Where a sentence ends inside a paragraph; inside one that is made of lines, where a line ends."""
        first = max(0, bisect_right(self._starts, start) - 1)
        for paragraph in self.document.paragraphs[first : bisect_right(self._starts, end)]:
            ends = line_ends if paragraph.lines else sentence_ends
            yield from ends(self.document.text, max(start, paragraph.start), min(end, paragraph.end))

    def pieces(self, start: int, places: list[int], section: int) -> list[str]:
        """The text between the places, and last what follows them up to ``max_words``, if anything does."""
        latest = min(section, self.index.after(start, self.plan.max_words))
        bounds = [start, *places, *([latest] if latest > places[-1] else [])]
        pieces = [self.document.text[a:b].strip() for a, b in pairwise(bounds)]
        return pieces if pieces[-1] else pieces[:-1]

    def uniform(self) -> list[Page]:
        """Pages of equal length, about ``max_words`` each, moved to the nearest sentence end within a tenth of that."""
        total = len(self.index)
        count = max(1, round(total / self.plan.max_words))
        cuts = [0]
        for i in range(1, count):
            cuts.append(self._near(cuts[-1], round(i * total / count), total // count // 10))
        cuts.append(len(self.document.text))
        return [self.page(number, a, b) for number, (a, b) in enumerate(pairwise(cuts))]

    def _near(self, start: int, words: int, slack: int) -> int:
        """The paragraph or sentence end nearest to so many words into the text, or that very word."""
        exact, low, high = (self.index.after(0, words + off) for off in (0, -slack, slack))
        paragraphs = self._starts[bisect_right(self._starts, low) : bisect_right(self._starts, high)]
        near = [*paragraphs, *(cut for cut in sentence_ends(self.document.text, start, high + 1) if cut > low)]
        return min(near, key=lambda cut: abs(cut - exact)) if near else exact
