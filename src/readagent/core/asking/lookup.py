"""The look-ups of the paper: the model chooses the pages to open, all at once or one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import fsum

from readagent.core.asking.situation import Situation
from readagent.core.form import Choice
from readagent.core.memory import spans_of
from readagent.core.model import Ask, number_ranges
from readagent.core.patterns import lazy_pattern
from readagent.core.question import Lookup
from readagent.core.session import Session
from readagent.core.trace import Fallback, Opened

WHOLE_TEXT = "WHOLE TEXT"  # the reply that a question is about all of the text
_WORD = lazy_pattern(r"\w{3,}")

Fits = Callable[[tuple[int, ...]], bool]


async def look_up(situation: Situation, session: Session, fits: Fits) -> Lookup:
    """Return the pages to open. ``fits`` returns whether the prompt for the answer fits with these pages open."""
    plan = session.plan
    if plan.look_up == "none" or plan.max_pages == 0 or situation.view.is_whole():
        return Lookup()
    find = _sequential if plan.look_up == "sequential" else all_at_once
    lookup = await find(situation, session, fits, min(plan.max_pages, len(situation.memory.pages)))
    if not lookup.whole:
        session.emit(Opened(lookup.pages, spans_of(situation.memory, lookup.pages)))
    return lookup


async def all_at_once(situation: Situation, session: Session, fits: Fits, most: int) -> Lookup:
    """Return up to ``most`` pages, chosen in one reply, or that all of the text is needed; choosing none is allowed."""
    plan, last = session.plan, len(situation.memory.pages) - 1
    choice = pages_choice(situation, most)
    prompt = situation.prompt(
        session, "look_up", form=choice, most=most, last=last, only=last == 0, order=plan.by_importance,
        whole_text=situation.may_be_whole, nudge=plan.nudge,
    )  # fmt: skip
    if session.window.fits(prompt):
        ask = Ask("look_up", prompt, choice, situation.material())
        chosen = await session.decide(ask, lambda: tuple(map(str, nearest(situation)[:1])))
    else:  # in the smallest windows
        chosen = tuple(map(str, nearest(situation)[:1]))
        session.fell_back(Fallback("look_up", "the prompt does not fit the window", ", ".join(chosen) or "none"))
    return Lookup(whole=True) if chosen == (WHOLE_TEXT,) else opened_of(tuple(map(int, chosen)), fits)


def opened_of(chosen: Sequence[int], fits: Fits) -> Lookup:
    """Return the chosen pages that are opened, in this order, as many as fit."""
    opened: tuple[int, ...] = ()
    for number in chosen:
        if fits((*opened, number)):
            opened = (*opened, number)
    return Lookup(opened, tuple(number for number in chosen if number not in opened))


async def _sequential(situation: Situation, session: Session, fits: Fits, most: int) -> Lookup:
    opened: tuple[int, ...] = ()
    while len(opened) < most:
        page = await _next_page(situation, session, opened, most)
        if page is None:
            break
        if not fits((*opened, page)):
            return Lookup(opened, (page,))
        opened = (*opened, page)
    return Lookup(opened)


async def _next_page(situation: Situation, session: Session, opened: tuple[int, ...], most: int) -> int | None:
    """Return the next page, of ``most`` in all, or None if the model wants no more or the prompt does not fit."""
    closed = [page.number for page in situation.memory.pages if page.number not in opened]
    choice = Choice((*map(str, closed), "STOP"), label="Page")
    prompt = situation.prompt(
        session,
        "look_up_next",
        opened,
        form=choice,
        open_pages=", ".join(f"Page {number}" for number in opened) or "none",
        left=most - len(opened),
        closed_pages=number_ranges(closed) if opened else "",
    )
    if not session.window.fits(prompt):
        return None
    ask = Ask("look_up", prompt, choice, situation.material(opened))
    open_ones = Choice(tuple(map(str, opened)), label="Page")

    def why(reply: str) -> str:
        return "it asked for a page that is open already" if opened and open_ones.parse(reply) else ""

    (chosen,) = await session.decide(ask, lambda: ("STOP",), why=why)
    return None if chosen == "STOP" else int(chosen)


def pages_choice(situation: Situation, most: int, *, least: int = 0, whole: bool = True) -> Choice:
    """Return the choice of so many pages, or of the whole text where that may be asked for."""
    numbers = [str(page.number) for page in situation.memory.pages]
    asks_for_all = [WHOLE_TEXT] if whole and situation.may_be_whole else []
    return Choice((*numbers, *asks_for_all), least=least, most=most, label="Pages")


def nearest(situation: Situation) -> list[int]:
    """Return the pages that a search found, or else the one that shares the rarest words with the question."""
    if situation.found:
        return list(situation.found)
    asked = set(_WORD.findall(situation.question.shown().lower()))
    words = [set(_WORD.findall(situation.memory.page_text(page.number).lower())) for page in situation.memory.pages]
    pages_with = Counter(word for page in words for word in page & asked)
    scores = [fsum(1 / pages_with[word] for word in page & asked) for page in words]
    return [scores.index(max(scores))] if any(scores) else []
