"""View: what a prompt shows of a memory. All gists where they are short; otherwise an index and the likeliest pages.

Pages and parts keep their numbers in every view: those of the whole text, and of its index from the beginning on.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import inf

from readagent.core.asking.snippets import FOUND
from readagent.core.escaping import escape_tags
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.question import Searched
from readagent.core.words import count_words, lead

_CUT = (32, 24, 16, 8)  # words kept of entries where they are too long together
_IN_FULL = 6  # likely pages whose gists are shown
_SHORT = 24  # words of the gist of another likely page that has no snippet
_INDEX = 2 / 3  # of the room, at most, for the index; the rest is for likely pages

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class IndexPart:
    """A part of an index: its entry, its pages, and the numbers of the parts that it is divided into, if any."""

    number: int
    gist: Gist
    pages: range
    below: tuple[int, ...] = ()


def pages_of(memory: GistMemory) -> GistMemory:
    """Return the memory below an index: the one with all pages, whose older gists may have been shortened."""
    while memory.finer is not None and len(memory.finer.pages) > len(memory.pages):
        memory = memory.finer
    return memory


def parts_of(memory: GistMemory) -> list[IndexPart]:
    """Return all parts of an index, each before the parts that it is divided into; none if it is no index."""
    whole, found = memory.whole, list[IndexPart]()

    def walk(level: GistMemory, place: int) -> bool:
        page, finer = level.pages[place], level.finer
        while finer is not None:
            first, last = (bisect_left(finer.pages, at, key=lambda one: one.start) for at in (page.start, page.end))
            if last - first > 1:
                break
            finer = finer.finer
        else:
            return False
        number = len(found)
        pages = range(whole.page_at(page.start), whole.page_at(page.end - 1) + 1)
        found.append(IndexPart(number, level.gists[place], pages))
        below = []
        for child in range(first, last):
            next_one = len(found)
            if walk(finer, child):
                below.append(next_one)
        found[number] = replace(found[number], below=tuple(below))
        return True

    for place in range(len(memory.pages)):
        walk(memory, place)
    return found


@dataclass(frozen=True, slots=True)
class View:
    """The pages of a memory whose gists are shown, and the parts whose entries are.

    ``gists`` are those of pages, ``entries`` those of parts, as they are shown, by number. ``parts`` are all parts of
    the index. ``snippets`` are words of the pages, by number.
    """

    memory: GistMemory
    gists: Mapping[int, Gist]
    entries: Mapping[int, Gist] = field(default_factory=dict)
    parts: Sequence[IndexPart] = ()
    snippets: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, memory: GistMemory) -> View:
        """Return a view of all gists of a memory that is no index."""
        return cls(memory, dict(enumerate(memory.gists)))

    def only(self, opened: Collection[int], others: Collection[int] = ()) -> View:
        """Return a view of the opened pages, and of others as they are shown here."""
        gists = {page: self.memory.gists[page] for page in opened} | {page: self.gists[page] for page in others}
        snippets = {page: text for page, text in self.snippets.items() if page in gists}
        return View(self.memory, gists, snippets=snippets)

    @property
    def is_index(self) -> bool:
        """Whether there are parts."""
        return bool(self.parts)

    def render(self, opened: Collection[int] = ()) -> str:
        """Return what the model sees: pages and parts under their tags, in order, the opened pages in full."""
        return "\n\n".join(text for _, text in sorted(self._blocks(opened)))

    def is_whole(self, opened: Collection[int] = ()) -> bool:
        """Return whether the text is shown in full with these pages open."""
        numbers = range(len(self.memory.pages))
        return all(page in opened or (page in self.gists and self.gists[page].origin == "verbatim") for page in numbers)

    def words(self, opened: Collection[int] = ()) -> int:
        """Return the words that are shown, with these pages in full."""
        gists = sum(gist.words for page, gist in self.gists.items() if page not in opened)
        entries = sum(gist.words for gist in self.entries.values())
        said = sum(count_words(text) for page, text in self.snippets.items() if page not in opened)
        return gists + entries + said + sum(self.memory.pages[page].words for page in opened)

    def searched(self, opened: Collection[int] = ()) -> Searched:
        """Return how many pages were shown, and how many parts with a page of theirs."""
        shown = {*self.gists, *opened}
        tops = self.tops()
        seen = sum(any(page in shown for page in part.pages) for part in tops)
        return Searched(len(shown), len(self.memory.pages), seen, len(tops))

    def tops(self) -> list[IndexPart]:
        """Return the parts that are in no other part."""
        inner = {number for part in self.parts for number in part.below}
        return [part for part in self.parts if part.number not in inner]

    def with_part(self, number: int) -> View:
        """Return the view with what is in a part: its parts, and the pages that are in none of these."""
        part = self.parts[number]
        below = [self.parts[one] for one in part.below]
        inner = {page for one in below for page in one.pages}
        gists = {page: self.memory.gists[page] for page in part.pages if page not in inner}
        entries = {one.number: one.gist for one in below}
        return replace(self, gists={**self.gists, **gists}, entries={**self.entries, **entries})

    def with_pages(self, number: int) -> View:
        """Return the view with the gists of all pages of a part."""
        gists = {page: self.memory.gists[page] for page in self.parts[number].pages}
        return replace(self, gists={**self.gists, **gists})

    def without(self, shown: View) -> View:
        """Return what this view shows and another does not."""
        gists = {page: gist for page, gist in self.gists.items() if shown.gists.get(page) != gist}
        entries = {number: gist for number, gist in self.entries.items() if number not in shown.entries}
        return replace(self, gists=gists, entries=entries)

    def _blocks(self, opened: Collection[int]) -> Iterator[tuple[tuple[int, bool, int], str]]:
        """Yield each text under its tag, with where it belongs: a part stands before what is in it."""
        for number, entry in self.entries.items():
            first, last = self.parts[number].pages[0], self.parts[number].pages[-1]
            tag = f"<Part {number}, pages {first} to {last}>"
            begin = self.memory.pages[first]
            title = self._titles(Page(0, begin.start, self.memory.pages[last].end, 0))
            yield (first, False, number), f"{title}{tag}\n{escape_tags(entry.text)}"
        for page in {*self.gists, *opened}:
            one = self.memory.pages[page]
            inside = any(page in self.parts[number].pages for number in self.entries)
            title = "" if inside else self._titles(one)
            yield (page, True, page), f"{title}<Page {page}>\n{self._shown(page, page in opened)}"

    def _shown(self, page: int, opened: bool) -> str:
        if opened:
            return escape_tags(self.memory.page_text(page).strip())
        snippet = self.snippets.get(page)
        text = escape_tags(self.gists[page].text)
        return "\n".join(filter(None, (f"{FOUND} “{escape_tags(snippet)}”" if snippet else "", text)))

    def _titles(self, page: Page) -> str:
        """Return the titles of the documents that begin there in a joined memory, one per line."""
        begun = (part for part in self.memory.parts if page.start <= part.start < page.end)
        return "".join(f'<Document "{escape_tags(part.title)}">\n' for part in begun)


def view_of(
    memory: GistMemory, likely: Sequence[int], room: float, count: Count, snippets: Mapping[int, str] | None = None
) -> View:
    """Return a view of at most ``room`` tokens: the whole index, and the ``likely`` pages, the likeliest first.

    After the first few of these, pages are shown with their snippets alone.

    Where the index alone is too long, its entries are cut to their first words, but not those of the likeliest. What is
    too long even then is left out.
    """
    whole, parts = pages_of(memory), parts_of(memory)
    if not parts:
        everything = replace(View.of(whole), snippets=snippets or {})
        if count(everything.render()) <= room:
            return everything
    view = View(whole, {}, parts=parts, snippets=snippets or {})
    tops = {part.number: part.gist for part in view.tops()}
    inside = {page for number in tops for page in parts[number].pages}
    single = {page: gist for page, gist in enumerate(whole.gists) if page not in inside}
    kept = room * _INDEX if parts and likely else room
    view = _cut(replace(view, gists=single, entries=tops), likely, kept, count)
    left, gists = room - count(view.render()), dict(view.gists)
    for place, page in enumerate(one for one in likely if one not in view.gists):
        gist = whole.gists[page]
        if place >= _IN_FULL:
            gist = Gist("", 0, gist.origin) if page in view.snippets else cut_short(gist, _SHORT)
        size = count(replace(view, gists={page: gist}, entries={}).render()) + 2
        if size <= left:
            gists[page] = gist
            left -= size
    return replace(view, gists=gists)


def _cut(view: View, likely: Sequence[int], room: float, count: Count) -> View:
    """Return the view with so many entries and gists cut, or left out, that the rest fits."""
    if room == inf or count(view.render()) <= room:
        return view
    places = {page: place for place, page in enumerate(likely)}
    last = len(places)
    ranked = sorted(
        [
            *((places.get(page, last), page, True) for page in view.gists),
            *((min((places[one] for one in view.parts[part].pages if one in places), default=last), part, False)
              for part in view.entries),
        ]
    )  # fmt: skip
    for words in _CUT:
        gists = {page: cut_short(gist, words) for page, gist in view.gists.items()}
        entries = {part: cut_short(gist, words) for part, gist in view.entries.items()}
        short = replace(view, gists=gists, entries=entries)
        size = count(short.render())
        if size > room:
            continue
        for _, number, is_page in ranked:  # in full again, as long as there is room
            full, now = (view.gists, gists) if is_page else (view.entries, entries)
            size += count(full[number].text) - count(now[number].text) + 1  # sums are not exact
            if size > room:
                break
            now[number] = full[number]
        return short
    while ranked and count(replace(view, gists=gists, entries=entries).render()) > room:
        for _, number, is_page in ranked[-max(1, len(ranked) // 8) :]:
            del (gists if is_page else entries)[number]
        del ranked[-max(1, len(ranked) // 8) :]
    return replace(view, gists=gists, entries=entries)


@lru_cache(2048)  # the gists of one memory are cut again for each question
def cut_short(gist: Gist, words: int) -> Gist:
    """Return the first sentences of a gist, at most ``words`` words, with an ellipsis if something is left out."""
    if gist.words <= words:
        return gist
    text = f"{lead(gist.text, words).rstrip('. ')} …" if words else "…"
    return Gist(text, count_words(text), gist.origin)
