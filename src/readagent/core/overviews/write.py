"""Write a summary, or what a text says on something: condensed where it does not fit, part by part where it is long."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import ceil

from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Material, Reply
from readagent.core.overviews.cited import NOT_IN_THE_TEXT, points_in, says_only
from readagent.core.overviews.entries import (
    Entry,
    by_document,
    divide,
    entries_of,
    for_each,
    pages_of,
    prompt,
    reply_words,
    shown,
    windows,
    words_of,
)
from readagent.core.overviews.ground import ground
from readagent.core.overviews.points import Point, Summary
from readagent.core.rows import NONE
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback, Working
from readagent.core.words import count_words, lead
from readagent.errors import UsageError

Fits = Callable[[Sequence[Entry]], bool]
LEADS = "the beginning of each page's gist"  # what is told where nothing could be written
_SHARE = 0.3  # of the words of a window that notes on it may have
_LEVELS = 12  # a bound: each level has at most half of the words of the one below


async def condense(entries: Sequence[Entry], session: Session, fits: Fits) -> list[Entry]:
    """Return the entries, or notes on them that fit together."""
    return fitting(await take_notes(entries, session, fits), session, fits)


async def take_notes(entries: Sequence[Entry], session: Session, fits: Fits, about: str = "") -> list[Entry]:
    """Return the entries, or notes on them, and notes on these, until they fit; in rare cases they never do."""
    entries = list(entries)
    for _ in range(_LEVELS):
        if len(entries) < 2 or fits(entries):
            break
        groups = [
            group
            for run in by_document(entries)
            for group in windows(run, lambda some: session.window.fits(_prompt(some, session, about)))
        ]
        notes = await for_each(groups, lambda group: _notes(group, session, about), session, "taking notes")
        shorter = [note for some in notes for note in some]
        if words_of(shorter) >= 0.9 * words_of(entries):
            shorter = [Entry(one.pages, lead(one.text, max(5, words_of([one]) // 2)), one.title) for one in entries]
        entries = shorter
    return entries


def fitting(entries: Sequence[Entry], session: Session, fits: Fits) -> list[Entry]:
    """Return the entries, or the first of them that fit together; then a fallback is recorded."""
    if fits(entries):
        return list(entries)
    kept = next(iter(windows(entries, fits)), [])
    session.fell_back(Fallback("note", "the notes do not fit the window", f"{len(kept)} of {len(entries)} notes"))
    return kept


def _prompt(entries: Sequence[Entry], session: Session, about: str) -> str:
    words = min(reply_words(session.window), max(25, int(_SHARE * words_of(entries))))
    return prompt("note", memory=shown(entries), words=words, about=about)


async def _notes(entries: Sequence[Entry], session: Session, about: str) -> list[Entry]:
    """Return notes on some entries; after two useless replies, the beginning of each entry."""
    pages, words = pages_of(entries), min(reply_words(session.window), max(25, int(_SHARE * words_of(entries))))
    title = next((entry.title for entry in entries if entry.title), "")

    def judge(reply: Reply) -> tuple[list[Entry], str]:
        if problem := useless(reply):
            return [], problem
        points = points_in(reply.text, pages)
        if not points:
            return [], "" if about and says_only(reply.text, NONE) else "it names no pages"
        return [Entry(one.pages, one.text) for one in points], ""

    material = Material(passages=tuple(entry.text for entry in entries), words=words, opened=pages)
    notes, problem = await session.judged(Ask("note", _prompt(entries, session, about), material=material), judge)
    if problem:
        session.fell_back(Fallback.on(pages, "note", problem, LEADS))
        each = max(8, words // len(entries))
        return [Entry(entry.pages, lead(entry.text, each), entry.title) for entry in entries]
    return [Entry(notes[0].pages, notes[0].text, title), *notes[1:]] if notes else []


_EARLIER = 60  # words of the part before that the next part is shown
_TOO_LONG, _TOO_SHORT = 1.7, 0.35  # of the words that were asked for
_LEAST = 10  # words of a summary


async def summarize(
    memory: GistMemory,
    session: Session,
    *,
    words: int = 300,
    numbers: Sequence[int] | None = None,
    about: str = "",
    audience: str = "",
    notes_on: str | None = None,
    entries: Sequence[Entry] | None = None,
) -> Summary:
    """Return a summary of these pages, or of all, in about so many words; with ``about`` what they say on that.

    Notes are taken on the same, or on ``notes_on`` where that is another thing; the text is then written in one part.
    ``entries`` are what it is written from, where that is not the gists.

    A long summary is divided first: each part of the text gets words in proportion to its length, so that the end is
    told as fully as the beginning. Statements that their pages do not support are left out, in ``dropped``.
    """
    if not isinstance(words, int):
        raise UsageError(f"words must be a whole number, not {words!r}")
    if words < _LEAST:
        raise UsageError(f"a summary needs at least {_LEAST} words, not {words}")
    numbers = range(len(memory.pages)) if numbers is None else numbers
    if not numbers:
        raise UsageError("there is nothing to summarise: no page of the text is in this range")
    most = reply_words(session.window)
    words = words if notes_on is None else min(words, most)
    parts = divide(memory, numbers, ceil(words / most))
    total = sum(memory.pages[number].words for number in numbers)
    shares = [ceil(words * sum(memory.pages[number].words for number in part) / total) for part in parts]
    drafts = [
        _Draft(memory, session, part, max(_LEAST, share), about, audience, at, len(parts))
        for at, (part, share) in enumerate(zip(parts, shares, strict=True), 1)
    ]
    entries = await take_notes(
        entries_of(memory, set(numbers)) if entries is None else entries,
        session,
        lambda some: all(draft.fits(draft.own(some)) for draft in drafts),
        about if notes_on is None else notes_on,
    )
    points: list[Point] = []
    for at, draft in enumerate(drafts, 1):
        session.emit(Working("writing part" if len(drafts) > 1 else "writing", at, len(drafts)))
        points += await draft.write(fitting(draft.own(entries), session, draft.fits), points)
    grounded = await ground(points, memory, session)
    return Summary(
        tuple(_supported(grounded)),
        memory,
        tuple(one for one in grounded if one.state == "unsupported"),
        (numbers[0], numbers[-1]),
        trace=session.trace,
    )


class _Draft:
    """One part of a summary: how it is asked for, and what is read from the reply."""

    def __init__(
        self, memory: GistMemory, session: Session, pages: Sequence[int], words: int, about: str, audience: str,
        part: int, parts: int,
    ) -> None:  # fmt: skip
        self._memory, self._session, self._pages, self._words = memory, session, frozenset(pages), words
        self._about, self._audience, self._part, self._parts = about, audience, part, parts

    def own(self, entries: Sequence[Entry]) -> list[Entry]:
        """Return the entries that this part is written from: those that begin on its pages."""
        return [entry for entry in entries if entry.pages[0] in self._pages]

    def fits(self, entries: Sequence[Entry]) -> bool:
        """Whether these entries fit the prompt, together with the end of the part before."""
        return self._session.window.fits(self._prompt(entries, "x " * _EARLIER if self._part > 1 else ""))

    async def write(self, entries: Sequence[Entry], before: Sequence[Point]) -> list[Point]:
        """Return the points of this part; those of the parts ``before`` are continued."""
        if not entries:
            return []
        pages = pages_of(entries)
        earlier = " ".join(" ".join(point.text for point in before).split()[-_EARLIER:])
        material = Material(words=self._words, memory=self._memory, opened=pages, kind="summary")
        ask = Ask("write", self._prompt(entries, earlier), material=material)
        least = _TOO_SHORT * min(self._words, words_of(entries) / 2)  # a short text cannot have a long summary
        cut = False

        def judge(reply: Reply) -> tuple[list[Point], str]:
            nonlocal cut
            cut = reply.finish == "length"
            return self._judge(reply, pages, least)

        points, problem = await self._session.judged(ask, judge, _WANTED, final=lambda: cut, partial=True)
        if cut and points:
            self._session.fell_back(Fallback.on(pages, "write", problem, "the part that arrived"))
        if problem and not points:
            self._session.fell_back(Fallback.on(pages, "write", problem, LEADS))
            return _leads(entries, self._words)
        return points

    def _judge(self, reply: Reply, pages: Sequence[int], least: float) -> tuple[list[Point], str]:
        if problem := useless(reply):
            return [], problem
        points = points_in(reply.text, pages)
        if not points:
            absent = self._about and says_only(reply.text, NOT_IN_THE_TEXT)
            return [], "" if absent else "it names no pages"
        words = sum(count_words(point.text) for point in points)
        if reply.finish == "length":
            return points, "the text was cut off by the token limit"
        if not least <= words <= _TOO_LONG * self._words:
            return points, f"it has {words} words instead of about {self._words}"
        return points, ""

    def _prompt(self, entries: Sequence[Entry], earlier: str) -> str:
        several = self._parts > 1
        return prompt(
            "write", memory=shown(entries), notes=any(len(one.pages) > 1 for one in entries), earlier=earlier,
            part=self._part, parts=self._parts if several else "", several=bool(self._memory.parts),
            about=self._about, audience=self._audience, words=self._words,
        )  # fmt: skip


_WANTED = "Reply with the text alone, in about as many words as asked for, and name the pages of every sentence."


def _leads(entries: Sequence[Entry], words: int) -> list[Point]:
    """Return the beginnings of entries as points, evenly over all of them."""
    count = max(1, min(len(entries), words // 20))
    chosen = [entries[at * len(entries) // count] for at in range(count)]
    return [Point(lead(one.text, max(8, words // count)), one.pages, begins=at == 0) for at, one in enumerate(chosen)]


def _supported(points: Sequence[Point]) -> Iterator[Point]:
    """Yield the points that are not unsupported. If the first of a paragraph is not, the next begins it."""
    begins = True
    for point in points:
        begins = begins or point.begins
        if point.state != "unsupported":
            yield replace(point, begins=begins)
            begins = False
