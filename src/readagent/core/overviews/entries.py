"""Entry: what is known of pages; and how entries and parts of a text are divided so that they fit the window."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from readagent.core.asking.position import named_place, position
from readagent.core.concurrency import together
from readagent.core.escaping import escape_tags
from readagent.core.form import Form
from readagent.core.gists.shorten import gist_page
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.prompts import Prompts
from readagent.core.rows import Rows
from readagent.core.session import Session
from readagent.core.trace import Working
from readagent.core.window import Window, largest
from readagent.core.words import count_words, truncate
from readagent.errors import UsageError

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
        count = max(1, _fitting(entries[start:], fits))
        some = list(entries[start : start + count])
        yield [_cut(some[0], fits)] if count == 1 and not fits(some) else some
        start += count


def _fitting(entries: Sequence[Entry], fits: Callable[[Sequence[Entry]], bool]) -> int:
    most = 8  # counting tokens takes time: small windows are tried first
    while most < len(entries) and fits(entries[:most]):
        most *= 2
    return largest(min(most, len(entries)), lambda number: fits(entries[:number]))


def _cut(entry: Entry, fits: Callable[[Sequence[Entry]], bool]) -> Entry:
    words = count_words(entry.text)
    while words > _SHORTEST:
        words = words * 2 // 3
        cut = Entry(entry.pages, truncate(entry.text, words), entry.title)
        if fits([cut]):
            return cut
    return Entry(entry.pages, truncate(entry.text, _SHORTEST), entry.title)


_FOLDER = Path(__file__).parent.parent.parent / "prompts" / "_overviews"
_MOST_WORDS = 450  # of one reply
_WORDS_A_TOKEN = 0.55  # with the pages that a reply names


@cache
def _prompts() -> Prompts:
    return Prompts.whole(_FOLDER)


def prompt(name: str, /, *, form: Form | Rows | None = None, **values: object) -> str:
    """Return a prompt of an overview. Texts that are not ours must be escaped, but for those of one line."""
    shown: dict[str, Any] = {key: escape_tags(one) if key in ("about", "audience") and isinstance(one, str) else one
             for key, one in values.items()}  # fmt: skip
    return _prompts().fill(name, form=form, **shown)


def reply_words(window: Window) -> int:
    """Return how many words one reply may have."""
    return _MOST_WORDS if window.tokens is None else max(40, min(_MOST_WORDS, int(window.reply * _WORDS_A_TOKEN)))


T = TypeVar("T")
R = TypeVar("R")


async def for_each(
    parts: Sequence[T], work: Callable[[T], Coroutine[Any, Any, R]], session: Session, doing: str
) -> list[R]:
    """Return the result of the work on each part, in order. ``doing`` names it for people."""
    done = 0

    async def one(part: T) -> R:
        nonlocal done
        result = await work(part)
        done += 1
        session.emit(Working(doing, done, len(parts)))
        return result

    if parts:
        session.emit(Working(doing, 0, len(parts)))
    return await together(one(part) for part in parts)


_NEAR = 0.35  # of a part that its end may move to reach the beginning of a chapter


def divide(memory: GistMemory, numbers: Sequence[int], count: int) -> list[list[int]]:
    """Return these pages in at most ``count`` parts with about as many words each."""
    words = [memory.pages[number].words for number in numbers]
    ends, total = [0], sum(words)
    for one in words:
        ends.append(ends[-1] + one)
    chapters = [at for at, number in enumerate(numbers) if at and _begins_chapter(memory, number)]
    cuts = [0]
    for part in range(1, count):
        wanted = total * part / count
        at = min(range(1, len(numbers) + 1), key=lambda one: abs(ends[one] - wanted), default=len(numbers))
        near = [one for one in chapters if abs(ends[one] - wanted) <= _NEAR * total / count]
        at = min(near, key=lambda one: abs(ends[one] - wanted), default=at)
        if cuts[-1] < at < len(numbers):
            cuts.append(at)
    return [list(numbers[start:end]) for start, end in pairwise([*cuts, len(numbers)]) if start < end]


def _begins_chapter(memory: GistMemory, number: int) -> bool:
    """Return whether a page begins with a heading, or a document begins there."""
    page = memory.pages[number]
    paragraph = memory.document.paragraph_at(page.start)
    return (paragraph is not None and paragraph.heading > 0 and paragraph.start >= page.start - 1) or any(
        page.start <= part.start < page.end for part in memory.parts
    )


Span = tuple[int, int]


def span_of(memory: GistMemory, chapter: str | None = None, start: str | None = None, end: str | None = None) -> Span:
    """Return the offsets of a chapter, or those from one place to another, both included; by default of the text."""
    given = {"chapter": chapter, "start": start, "end": end}
    for name, place in given.items():
        if place is not None and not str(place).strip():
            raise UsageError(f"`{name}` is empty", hint="give a chapter or another place of the text")
    chapter, start, end = ("" if place is None else str(place).strip() for place in given.values())
    if chapter and (start or end):
        raise UsageError("give either a chapter or where to start and end, not both")
    if chapter:
        found = named_place(memory, chapter) or named_place(memory, f"Chapter {chapter}")
        if found is None:
            raise UsageError(f"there is no chapter {chapter!r} in the text", hint="the outline of the text lists them")
        return found
    first = _start(memory, start) if start else 0
    last = position(memory, end) if end else len(memory.document.text)
    if first >= last:
        raise UsageError(f"the text from {start!r} to {end!r} is empty", hint="the end must come after the start")
    return first, last


def _start(memory: GistMemory, given: str) -> int:
    """Return the offset at which a place begins; a share of the words is where it ends."""
    if given.isdigit():
        return memory.pages[memory.page_at(position(memory, given) - 1)].start
    named = named_place(memory, given)
    return named[0] if named else position(memory, given)


async def within(memory: GistMemory, span: Span, session: Session) -> tuple[GistMemory, list[int]]:
    """Return the memory with the pages at both ends of the span cut, and the numbers of the pages in the span."""
    text = memory.document.text

    async def cut(page: Page, gist: Gist) -> tuple[Page, Gist]:
        first, last = max(page.start, span[0]), min(page.end, span[1])
        if (first, last) == (page.start, page.end) or first >= last or not text[first:last].strip():
            return page, gist
        part = Page(page.number, first, last, count_words(text[first:last]))
        return part, await gist_page(session, part, text[first:last])

    pairs = await together(cut(*one) for one in zip(memory.pages, memory.gists, strict=True))
    numbers = [page.number for page in memory.pages
               if text[max(page.start, span[0]) : min(page.end, span[1])].strip()]  # fmt: skip
    if all(old is new for old, (new, _) in zip(memory.pages, pairs, strict=True)):
        return memory, numbers
    return replace(memory, pages=tuple(page for page, _ in pairs), gists=tuple(gist for _, gist in pairs)), numbers
