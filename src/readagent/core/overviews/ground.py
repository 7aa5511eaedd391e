"""Check the points of an overview against the pages they name: first their gists, then the raw text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from math import sqrt

from readagent.core.escaping import escape_tags
from readagent.core.languages import likely_language
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Material, Reply
from readagent.core.overviews.entries import Entry, entries_of, for_each, prompt, shown
from readagent.core.overviews.points import Point
from readagent.core.patterns import lazy_pattern
from readagent.core.question import Quote
from readagent.core.quotes.check_quotes import find_support, quote_at, quote_of, sentences_on
from readagent.core.quotes.quotable import Quotable
from readagent.core.session import Session, useless
from readagent.core.support.evidence import numbers, same_script
from readagent.core.support.verdicts import verdicts
from readagent.core.trace import Fallback
from readagent.core.words import count_words
from readagent.errors import ReadAgentError


class Facts:
    """The numbers on the pages of a memory, each page looked at once."""

    def __init__(self, memory: GistMemory) -> None:
        self._memory = memory
        self._numbers: dict[int, set[str]] = {}

    def missing(self, statement: str, pages: Iterable[int]) -> set[str]:
        """Return the numbers of a statement that are not on these pages."""
        return numbers(statement).difference(*(self._on(page) for page in pages))

    def _on(self, page: int) -> set[str]:
        if page not in self._numbers:
            self._numbers[page] = numbers(f"{self._memory.page_text(page)}\n\n{self._memory.gists[page].text}")
        return self._numbers[page]


_AT_ONCE = 24  # statements of one check
_COPIED = 4  # words of a point that is taken as a copy of a passage, at least
_QUOTED = 8  # pages of a statement that are searched for its nearest sentence, at most
_WORD = lazy_pattern(r"\w{3,}")
_OPENED = 24  # pages that are opened for a second look, at most
_SAMPLE = 20_000  # characters of a text that tell its language
_PAGES = 4  # pages of a statement that are shown in full, at most


async def ground(points: Sequence[Point], memory: GistMemory, session: Session) -> list[Point]:
    """Return the points with their state and their nearest sentence. A point that names no page gets the nearest."""
    placed = [_placed(point, memory) for point in points]
    text = Quotable(memory.document.text)
    copied = [_copied(point, memory, text) for point in placed]
    open_ones = [one for one, copy in zip(placed, copied, strict=True) if copy is None]
    rest = await _checked(open_ones, memory, session, Facts(memory))
    others = iter(rest)
    return [copy or _quoted(next(others), memory) for copy in copied]


async def _checked(placed: list[Point], memory: GistMemory, session: Session, facts: Facts) -> list[Point]:
    """Return points with what the model says of them or, without the check, what rules do."""
    if not session.plan.check:
        return [_judged(one, None, facts) for one in placed]
    said: dict[int, bool | None] = dict(await _verdicts(placed, memory, session, ()))
    doubted = [at for at, one in enumerate(placed) if said.get(at) is False or _refused(one, facts)]
    opened = _to_open([placed[at] for at in doubted], max(_OPENED, session.plan.max_pages))
    again = [at for at in doubted if set(placed[at].pages) & set(opened)]
    second = await _verdicts([placed[at] for at in again], memory, session, opened)
    said |= {at: None for at in doubted if said.get(at) is False}  # a gist may be too thin: only the page can tell
    said |= {again[at]: one for at, one in second.items()}
    return [_judged(one, said.get(at), facts) for at, one in enumerate(placed)]


def named_in_full(point: Point) -> Point:
    """Return a point whose text is what was checked, with whom it is about, or when it happened."""
    return replace(point, text=_claim(point))


def _claim(point: Point) -> str:
    return point.claim or point.text


def _copied(point: Point, memory: GistMemory, text: Quotable) -> Point | None:
    """Return a point that is a passage of one of its pages as supported, with that passage as its quote; else None."""
    if count_words(point.text) < _COPIED or point.claim:
        return None
    for page in (memory.pages[number] for number in point.pages):
        if found := text.find(point.text, page.start, page.end):
            return replace(point, state="supported", quote=quote_of(memory, found))
    return None


def as_told(point: Point, mentions: Sequence[int], memory: GistMemory, text: Quotable) -> Point:
    """Return what is said of somebody; if it is verbatim in the text it is supported where that passage mentions them.

    ``mentions`` are the offsets at which the text does. Otherwise such a passage is not shown to be about them.
    """
    if not mentions or not point.text or point.state == "supported":
        return point
    pages = [memory.pages[number] for number in point.pages]
    places = (  # what several windows say is joined by semicolons
        (text.locate(piece, page.start, page.end) for page in pages) for piece in point.text.split("; ")
    )
    found = [next(filter(None, some), None) for some in places]
    told = [one for one in found if one is not None]
    if len(told) < len(found):
        return point
    there = [one for one in told if any(one.start <= at < one.end for at in mentions)]
    shown = (there or told)[0]
    quote = quote_of(memory, shown)
    return replace(point, state="supported" if there else "quoted", quote=quote)


def _placed(point: Point, memory: GistMemory) -> Point:
    if point.pages:
        return point
    near = find_support(memory, (), point.text, point.text)
    return replace(point, pages=tuple(sorted({quote.page for quote in near[:1]})))


def _quoted(point: Point, memory: GistMemory) -> Point:
    """Return a point with its quote. One that shares no word with its pages is not shown to be supported by them."""
    quote = nearest(point.text, point.pages, memory)
    if quote is None and point.state == "supported" and _may_share_words(point, memory):
        return replace(point, state="quoted")
    return point if quote is None else replace(point, quote=quote)


def _may_share_words(point: Point, memory: GistMemory) -> bool:
    """Return whether a point is in the language of the text, as far as that is known."""
    text, spoken = memory.document.text[:_SAMPLE], likely_language(point.text)
    return same_script(point.text, text) and spoken in ("", likely_language(text))


def nearest(text: str, pages: Sequence[int], memory: GistMemory) -> Quote | None:
    """Return the sentence of these pages that shares the rarest words with a statement; None if none shares any."""
    spans = [span for page in pages[:_QUOTED] for span in sentences_on(memory, page)]
    wanted = _words(text)
    shared = [wanted & _words(memory.document.text[start:end]) for start, end in spans]
    spread = Counter(word for some in shared for word in some)
    scores = [
        sum(1 / spread[word] for word in some) / sqrt(40 + end - start)
        for some, (start, end) in zip(shared, spans, strict=True)
    ]
    if not any(scores):
        return None
    start, end = spans[scores.index(max(scores))]
    return quote_at(memory, start, end, by_us=True)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _judged(point: Point, said: bool | None, facts: Facts) -> Point:
    """Return a point with its state, given what the model said of it; None if it said nothing."""
    if not point.pages or said is False:
        return replace(point, state="unsupported")
    if said is None:
        return replace(point, state="unsupported" if facts.missing(_claim(point), point.pages) else "quoted")
    return replace(point, state="quoted" if _refused(point, facts) else "supported")


def _refused(point: Point, facts: Facts) -> bool:
    """Return whether a rule is against a point, whatever the model says."""
    return bool(facts.missing(_claim(point), point.pages))


def _to_open(points: Sequence[Point], most: int) -> tuple[int, ...]:
    wanted = dict.fromkeys(page for point in points for page in point.pages[:_PAGES])
    return tuple(wanted)[:most]


async def _verdicts(
    points: Sequence[Point], memory: GistMemory, session: Session, opened: Collection[int]
) -> dict[int, bool]:
    """Return what the model says of points, by index, with the gists of their pages or the ``opened`` pages in view."""
    groups: list[tuple[list[int], str]] = []
    waiting = [at for at, point in enumerate(points) if point.pages]
    while waiting:
        some = waiting[:_AT_ONCE]
        while len(some) > 1 and not session.window.fits(_prompt([points[at] for at in some], memory, opened)):
            some = some[: len(some) // 2]
        waiting = waiting[len(some) :]
        text = _prompt([points[at] for at in some], memory, opened)
        if session.window.fits(text):
            groups.append((some, text))
        else:
            session.fell_back(Fallback("check", "a statement and its pages do not fit the window", "the rules alone"))

    async def said(group: tuple[list[int], str]) -> dict[int, bool]:
        some, text = group
        reply = await _reply([points[at] for at in some], text, memory, session, opened)
        return {some[at]: one for at, one in reply.items()}

    found = await for_each(groups, said, session, "checking statements")
    return {at: one for some in found for at, one in some.items()}


def _entries(points: Sequence[Point], memory: GistMemory, opened: Collection[int]) -> list[Entry]:
    return entries_of(memory, {page for point in points for page in point.pages}, opened)


def _prompt(points: Sequence[Point], memory: GistMemory, opened: Collection[int]) -> str:
    statements = (f"{at}: {escape_tags(_claim(point))}" for at, point in enumerate(points, 1))
    return prompt("check", memory=shown(_entries(points, memory, opened)), statements="\n".join(statements))


async def _reply(
    points: Sequence[Point], text: str, memory: GistMemory, session: Session, opened: Collection[int]
) -> dict[int, bool]:
    material = Material(
        passages=tuple(entry.text for entry in _entries(points, memory, opened)),
        statements=tuple(map(_claim, points)),
    )

    def judge(reply: Reply) -> tuple[dict[int, bool], str]:
        said = {at: said for at, (said, _) in verdicts(reply.text, len(points), len(material.passages)).items()}
        return said, "" if said else useless(reply) or "it judged no statement"

    try:
        said, problem = await session.judged(Ask("check", text, material=material), judge, final=lambda: True)
    except ReadAgentError as error:
        said, problem = {}, str(error)
    if problem:
        session.fell_back(Fallback("check", problem, "the rules alone"))
    return said
