"""Let the model choose the pages to open, all at once or one after the other, with hints from a search."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from math import fsum
from typing import Any

from readagent.core.asking.situation import Situation
from readagent.core.form import Choice
from readagent.core.memory import GistMemory, spans_of
from readagent.core.model import Ask, Hint, Hinter
from readagent.core.patterns import lazy_pattern
from readagent.core.question import Lookup, Question
from readagent.core.session import Session
from readagent.core.trace import Fallback, Opened

WHOLE_TEXT = "WHOLE TEXT"  # the reply that a question is about all of the text
_SHARE = 0.2  # of the best score that a page must have to be shown


def pages_to_show(
    hints: Sequence[Hint], most: int, opened: Collection[int] = (), *, share: float = _SHARE
) -> tuple[int, ...]:
    """Return the pages to show as hints, best first: not opened yet, and with a share of the best score."""
    least = share * max((hint.score for hint in hints), default=0.0)
    shown = [hint.page for hint in hints if hint.score > 0 and hint.score >= least and hint.page not in opened]
    return tuple(dict.fromkeys(shown))[: max(0, most)]


async def find_hints(memory: GistMemory, question: Question, hinter: Hinter | None) -> tuple[Hint, ...]:
    """Return the pages of a memory that a search finds, best first; nothing without a hinter.

    The search is always of the pages as they were read; a part is as good as the best page in it.
    """
    if hinter is None:
        return ()
    return as_seen_in(memory, await hinter.hints(memory.whole, question))


def as_seen_in(memory: GistMemory, hints: Sequence[Hint]) -> tuple[Hint, ...]:
    """Return hints to pages of the whole memory as hints to the pages and parts of this one that contain them."""
    whole = memory.whole
    if whole.pages == memory.pages:
        return tuple(hints)
    starts, found = [page.start for page in memory.pages], dict[int, Hint]()
    for hint in hints:
        if 0 <= hint.page < len(whole.pages):
            number = bisect_right(starts, whole.pages[hint.page].start) - 1
            found.setdefault(number, Hint(number, hint.score))
    return tuple(found.values())


_WORD = lazy_pattern(r"\w{3,}")

Fits = Callable[[tuple[int, ...]], bool]


async def look_up(situation: Situation, session: Session, fits: Fits) -> Lookup:
    """Return the pages to open. ``fits`` returns whether the prompt for the answer fits with these pages open."""
    if session.plan.look_up == "none" or session.plan.max_pages == 0:
        return Lookup()
    if session.plan.look_up == "sequential":
        lookup = await _sequential(situation, session, fits)
    else:
        lookup = await all_at_once(situation, session, fits, session.plan.max_pages)
    if lookup.whole:
        return lookup
    session.emit(Opened(lookup.pages, spans_of(situation.memory, lookup.pages)))
    return lookup


async def all_at_once(situation: Situation, session: Session, fits: Fits, most: int) -> Lookup:
    """Return up to ``most`` pages, chosen in one reply, or that all of the text is needed; choosing none is allowed."""
    plan, most = session.plan, min(most, len(situation.memory.pages))
    choice = choice_of(situation, most)
    prompt = hinted(situation, session, "look_up", form=choice, **allowed(situation, session, most), nudge=plan.nudge)
    if session.window.fits(prompt):
        ask = Ask("look_up", prompt, choice, situation.material())
        chosen = await session.decide(ask, lambda: closest(situation))
    else:  # in the smallest windows
        chosen = closest(situation)
        session.fell_back(Fallback("look_up", "the prompt does not fit the window", ", ".join(chosen) or "none"))
    return Lookup(whole=True) if chosen == (WHOLE_TEXT,) else opened_of(tuple(map(int, chosen)), fits)


def opened_of(chosen: tuple[int, ...], fits: Fits) -> Lookup:
    """Return the chosen pages that are opened, in this order, as many as fit."""
    opened: tuple[int, ...] = ()
    for number in chosen:
        if fits((*opened, number)):
            opened = (*opened, number)
    return Lookup(opened, tuple(number for number in chosen if number not in opened))


async def _sequential(situation: Situation, session: Session, fits: Fits) -> Lookup:
    opened: tuple[int, ...] = ()
    most = min(session.plan.max_pages, len(situation.memory.pages))
    while len(opened) < most:
        page = await next_page(situation, session, opened, most)
        if page is None:
            break
        if not fits((*opened, page)):
            return Lookup(opened, (page,))
        opened = (*opened, page)
    return Lookup(opened)


async def next_page(situation: Situation, session: Session, opened: tuple[int, ...], most: int) -> int | None:
    """Return the next page, of ``most`` in all, or None if the model wants no more or the prompt does not fit."""
    closed = [page.number for page in situation.memory.pages if page.number not in opened]
    choice = Choice((*map(str, closed), "STOP"), label="Page")
    prompt = hinted(
        situation,
        session,
        "look_up_next",
        opened,
        form=choice,
        open_pages=", ".join(f"Page {number}" for number in opened) or "none",
        left=most - len(opened),
        closed_pages=ranges_of(closed) if opened else "",
    )
    if not session.window.fits(prompt):
        return None
    ask = Ask("look_up", prompt, choice, situation.material(opened))
    open_ones = Choice(tuple(map(str, opened)), label="Page")

    def why(reply: str) -> str:
        return "it asked for a page that is open already" if opened and open_ones.parse(reply) else ""

    (chosen,) = await session.decide(ask, lambda: ("STOP",), why=why)
    return None if chosen == "STOP" else int(chosen)


def ranges_of(numbers: Sequence[int]) -> str:
    """Return page numbers in order for a prompt: "0 to 2, 4, 6 to 9"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def choice_of(situation: Situation, most: int) -> Choice:
    """Return the choice of up to ``most`` pages, of none, or of the whole text where that may be asked for."""
    numbers = [str(page.number) for page in situation.memory.pages]
    return Choice((*numbers, *([WHOLE_TEXT] if situation.may_be_whole else [])), least=0, most=most, label="Pages")


def allowed(situation: Situation, session: Session, most: int) -> dict[str, Any]:
    """Return what a prompt says about the pages that may be asked for."""
    last = len(situation.memory.pages) - 1
    return {"most": most, "last": last, "only": last == 0, "order": session.plan.by_importance,
            "whole_text": situation.may_be_whole}  # fmt: skip


def hinted(situation: Situation, session: Session, template: str, opened: tuple[int, ...] = (), **values: Any) -> str:
    """Return a look-up prompt, with hints if there are any and they fit the window."""
    pages = pages_to_show(situation.hints, situation.most_hints(session.plan.max_pages), opened)
    if pages:
        hints = ", ".join(f"Page {number}" for number in pages)
        prompt = situation.prompt(session, template, opened, hints=hints, **values)
        if session.window.fits(prompt):
            return prompt
    return situation.prompt(session, template, opened, **values)


def closest(situation: Situation) -> tuple[str, ...]:
    """Return the page that shares the rarest words with the question, for use when the model names no legal page."""
    asked = set(_WORD.findall(situation.question.shown().lower()))
    words = [set(_WORD.findall(situation.memory.page_text(page.number).lower())) for page in situation.memory.pages]
    pages_with = Counter(word for page in words for word in page & asked)
    scores = [fsum(1 / pages_with[word] for word in page & asked) for page in words]
    return (str(scores.index(max(scores))),) if any(scores) else ()
