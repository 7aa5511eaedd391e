"""Entry: what is known of a page or of several, and how entries are shown and divided so that they fit the window."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from readagent.core.memory import GistMemory
from readagent.core.tags import escape_tags
from readagent.core.words import count_words, truncate

_SHORTEST = 8  # words that a cut entry keeps at least


@dataclass(frozen=True, slots=True)
class Entry:
    """The gist of a page, or a note on several pages. ``title`` is that of a document that begins there."""

    pages: tuple[int, ...]
    text: str
    title: str = ""

    def shown(self) -> str:
        """Return the entry as a model sees it."""
        title = f'<Document "{escape_tags(self.title)}">\n' if self.title else ""
        return f"{title}<Page {', '.join(map(str, self.pages))}>\n{escape_tags(self.text)}"


def entries_of(memory: GistMemory, numbers: Collection[int] | None = None, opened: Collection[int] = ()) -> list[Entry]:
    """Return the gists of these pages, or of all, as entries; those of ``opened`` pages have their raw text."""
    starts = {memory.page_at(part.start): part.title for part in memory.parts}
    return [
        Entry(
            (page.number,),
            memory.page_text(page.number).strip() if page.number in opened else gist.text,
            starts.get(page.number, ""),
        )
        for page, gist in zip(memory.pages, memory.gists, strict=True)
        if numbers is None or page.number in numbers
    ]


def shown(entries: Sequence[Entry]) -> str:
    """Return entries as a model sees them."""
    return "\n\n".join(entry.shown() for entry in entries)


def pages_of(entries: Sequence[Entry]) -> tuple[int, ...]:
    """Return the pages of entries, in order."""
    return tuple(sorted({page for entry in entries for page in entry.pages}))


def words_of(entries: Sequence[Entry]) -> int:
    """Return the words of entries."""
    return sum(count_words(entry.text) for entry in entries)


def by_document(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """Yield the entries of each document of a joined memory."""
    run: list[Entry] = []
    for entry in entries:
        if entry.title and run:
            yield run
            run = []
        run.append(entry)
    if run:
        yield run


def windows(entries: Sequence[Entry], fits: Callable[[Sequence[Entry]], bool]) -> Iterator[list[Entry]]:
    """Yield consecutive entries, as many at a time as fit. A single entry that does not fit is cut.

    They are filled from the start, so that those of a text that has grown stay the same but for the last.
    """
    start = 0
    while start < len(entries):
        low, high = start + 1, len(entries)  # how far the window reaches at least and at most
        step = 8
        while low < high:  # try small windows first: counting tokens takes time
            end = min(high, low + step)
            if fits(entries[start:end]):
                low, step = end, step * 2
            else:
                high = end - 1
                break
        while low < high:
            middle = (low + high + 1) // 2
            if fits(entries[start:middle]):
                low = middle
            else:
                high = middle - 1
        some = list(entries[start:low])
        yield [_cut(some[0], fits)] if len(some) == 1 and not fits(some) else some
        start = low


def _cut(entry: Entry, fits: Callable[[Sequence[Entry]], bool]) -> Entry:
    words = count_words(entry.text)
    while words > _SHORTEST:
        words = words * 2 // 3
        cut = Entry(entry.pages, truncate(entry.text, words), entry.title)
        if fits([cut]):
            return cut
    return Entry(entry.pages, truncate(entry.text, _SHORTEST), entry.title)
