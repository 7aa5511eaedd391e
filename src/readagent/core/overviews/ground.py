"""Check the points of an overview against the pages they name: first their gists, then the raw text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from math import sqrt

from readagent.core.escaping import escape_tags
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Material, Reply
from readagent.core.overviews.entries import Entry, entries_of, for_each, prompt, shown
from readagent.core.overviews.points import Point
from readagent.core.patterns import lazy_pattern
from readagent.core.question import Quote
from readagent.core.quotes.check_quotes import quote_at, quote_of, sentences_on
from readagent.core.quotes.quotable import Quotable
from readagent.core.session import Session, useless
from readagent.core.support.evidence import numbers
from readagent.core.support.verdicts import verdict_form, verdicts
from readagent.core.trace import Fallback
from readagent.core.window import in_groups
from readagent.core.words import count_words
from readagent.errors import ReadAgentError

_AT_ONCE = 24  # statements of one check
_COPIED = 4  # words of a point that is taken as a copy of a passage, at least
_QUOTED = 8  # pages of a statement that are searched for its nearest sentence, at most
_WORD = lazy_pattern(r"\w{3,}")
_MARKS = '"\u201c\u201d\u201e\u00ab\u00bb'
_QUOTATION = lazy_pattern(rf"[{_MARKS}]([^{_MARKS}\n]+)[{_MARKS}]")
_OPENED = 24  # pages that are opened for a second look, at most
_PAGES = 4  # pages of a statement that are shown in full, at most


async def ground(
    points: Sequence[Point], memory: GistMemory, session: Session, mentions: Sequence[Sequence[int]] = ()
) -> list[Point]:
    """Return the points with their state and their nearest sentence.

    ``mentions`` are the offsets at which the text mentions whom or what each point is about.
    """
    text, where = Quotable(memory.document.text), mentions or [()] * len(points)
    copied = [_copied(point, memory, text, at) for point, at in zip(points, where, strict=True)]
    open_ones = [one for one, copy in zip(points, copied, strict=True) if copy is None]
    others = iter(await _checked(open_ones, memory, session))
    return [copy or _quoted(next(others), memory, text) for copy in copied]


async def _checked(points: list[Point], memory: GistMemory, session: Session) -> list[Point]:
    """Return points with what the model says of them or, without the check, what their numbers do."""
    if not session.plan.check:
        return [_judged(one, None, memory) for one in points]
    said: dict[int, bool | None] = dict(await _verdicts(points, memory, session, ()))
    doubted = [at for at, one in enumerate(points) if said.get(at) is False or _number_missing(one, memory)]
    opened = _to_open([points[at] for at in doubted], max(_OPENED, session.plan.max_pages))
    again = [at for at in doubted if set(points[at].pages) & set(opened)]
    second = await _verdicts([points[at] for at in again], memory, session, opened)
    said |= {at: None for at in doubted if said.get(at) is False}  # a gist may be too thin: only the page can tell
    said |= {again[at]: one for at, one in second.items()}
    return [_judged(one, said.get(at), memory) for at, one in enumerate(points)]


def named_in_full(point: Point) -> Point:
    """Return a point whose text is what was checked, with whom it is about, or when it happened."""
    return replace(point, text=_claim(point))


def _claim(point: Point) -> str:
    return point.claim or point.text


def _copied(point: Point, memory: GistMemory, text: Quotable, mentions: Sequence[int]) -> Point | None:
    """Return a point that is a passage of one of its pages as supported, with that passage as its quote; else None.

    What is said of somebody is so only if the passage mentions them.
    """
    if count_words(point.text) < _COPIED or (point.claim and not mentions):
        return None
    for page in (memory.pages[number] for number in point.pages):
        found = text.find(point.text, page.start, page.end)
        if found and (not point.claim or any(found.start <= at < found.end for at in mentions)):
            return replace(point, state="supported", quote=quote_of(memory, found))
    return None


def _quoted(point: Point, memory: GistMemory, text: Quotable) -> Point:
    """Return a point with its nearest sentence; with a quotation that is made up it is not supported."""
    quote = nearest(point.text, point.pages, memory)
    if point.state == "supported" and _made_up(point, text):
        point = replace(point, state="quoted")
    return point if quote is None else replace(point, quote=quote)


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


def _judged(point: Point, said: bool | None, memory: GistMemory) -> Point:
    """Return a point with its state, given what the model said of it; None if it said nothing."""
    missing = _number_missing(point, memory)
    if not point.pages or said is False or (said is None and missing):
        return replace(point, state="unsupported")
    return replace(point, state="supported" if said and not missing else "quoted")


def _number_missing(point: Point, memory: GistMemory) -> bool:
    """Return whether a point has a number in digits that neither its pages nor their gists have."""
    wanted = numbers(_claim(point))
    said = (f"{memory.page_text(page)}\n{memory.gists[page].text}" for page in point.pages)
    return bool(wanted and wanted - numbers("\n".join(said)))


def _made_up(point: Point, text: Quotable) -> bool:
    """Return whether a point has words in quotation marks that the text does not have."""
    said = (one.strip(" .,;:!?") for one in _QUOTATION.findall(point.text))
    return any(count_words(one) > 1 and not text.locate(one) for one in said)


def _to_open(points: Sequence[Point], most: int) -> tuple[int, ...]:
    wanted = dict.fromkeys(page for point in points for page in point.pages[:_PAGES])
    return tuple(wanted)[:most]


async def _verdicts(
    points: Sequence[Point], memory: GistMemory, session: Session, opened: Collection[int]
) -> dict[int, bool]:
    """Return what the model says of points, by index, with the gists of their pages or the ``opened`` pages in view."""
    groups: list[tuple[list[int], str]] = []
    waiting = [at for at, point in enumerate(points) if point.pages]

    def shown_for(some: Sequence[int]) -> str:
        return _prompt([points[at] for at in some], memory, opened)

    for some in in_groups(waiting, _AT_ONCE, lambda some: session.window.fits(shown_for(some))):
        if session.window.fits(text := shown_for(some)):
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
    return prompt(
        "check", memory=shown(_entries(points, memory, opened)), statements="\n".join(statements),
        form=verdict_form(len(points), quotes=False),
    )  # fmt: skip


async def _reply(
    points: Sequence[Point], text: str, memory: GistMemory, session: Session, opened: Collection[int]
) -> dict[int, bool]:
    form = verdict_form(len(points), quotes=False)
    material = Material(
        passages=tuple(entry.text for entry in _entries(points, memory, opened)),
        statements=tuple(map(_claim, points)),
    )

    def judge(reply: Reply) -> tuple[dict[int, bool], str]:
        said = {at: verdict for at, (verdict, _) in verdicts(reply.text, len(points), 0).items()}
        return said, "" if said else useless(reply) or "it judged no statement"

    try:
        said, problem = await session.judged(
            Ask("check", text, material=material, form=form), judge, final=lambda: True
        )
    except ReadAgentError as error:
        said, problem = {}, str(error)
    if problem:
        session.fell_back(Fallback("check", problem, "the rules alone"))
    return said
