"""Direct look-up: the first prompt may be answered from the gists, or the model asks for the pages it needs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from readagent.core.asking.answer import ANSWER, NOT_IN_TEXT, given_in, is_labelled, with_quotes
from readagent.core.asking.lookup import (
    WHOLE_TEXT,
    Fits,
    allowed,
    choice_of,
    closest,
    find_hints,
    hinted,
    look_up,
    opened_of,
    pages_to_show,
)
from readagent.core.asking.respond import AnswerCheck, Response, choice_for, decided, quoted
from readagent.core.asking.situation import Situation, cut_short
from readagent.core.asking.stream import StreamedAnswer
from readagent.core.form import Filled, Form, Text
from readagent.core.memory import spans_of
from readagent.core.model import Ask, Reply
from readagent.core.question import Lookup
from readagent.core.session import Session, useless
from readagent.core.trace import AnswerText, Event, Fallback, Listener, Opened

_TEMPLATES = {"free": "direct", "choice": "direct_choose", "claim": "direct_claim"}
_GIST_WORDS = 24  # shown of the gists of other pages, once pages are open
UNCLEAR = "it neither answers nor asks for pages in one of these forms"


async def look_up_directly(
    situation: Situation, session: Session, fits: Fits
) -> tuple[Situation, Session, Lookup, Response | None]:
    """Return the pages that were asked for, or the answer from the gists and no pages.

    The situation and the session are those to answer in with these pages open. A reply that gives an answer and asks
    for pages is not sure yet: the pages count.
    """
    memory, free = situation.memory, situation.question.kind == "free"
    if memory.is_whole():
        return situation, session, Lookup(), None
    if not session.window.fits(_prompt(situation, session, ())):  # it is longer than the prompt that only chooses pages
        return situation, session, await look_up(situation, session, fits), None
    first = await _found(situation, session, fits)
    if memory.is_whole(first) or len(first) == session.plan.max_pages:
        return situation, session, Lookup(first), None
    form, prompt = _form(situation, session, first), _prompt(situation, session, first)
    read = with_quotes(form) if free else form
    stream, check = StreamedAnswer(session, read), AnswerCheck(situation, first, prompt)
    ask = Ask("direct", prompt, material=situation.material(first), form=form)
    if free:
        ask = replace(ask, listen=stream, restart=stream.restart)
    cut = False

    def judge(received: Reply) -> tuple[Filled | None, str]:
        nonlocal cut
        filled = read.parse(received.text)
        problem = useless(received) or ("" if filled else UNCLEAR)
        if filled is None or problem or _asks(filled):
            return filled, problem
        cut = received.finish == "length"
        if cut:
            received.discard()  # it is used now, but asked for again in a later run
        if not free:
            return filled, "" if ANSWER in filled.values else UNCLEAR
        problem = check.problem(filled, given_in(filled))
        return filled, UNCLEAR if problem and not is_labelled(filled) else problem

    filled, problem = await session.judged(ask, judge)
    if problem or filled is None:
        near = [int(page) for page in closest(situation) if int(page) not in first]
        session.fell_back(Fallback("direct", problem, f"page {near[0]} is opened" if near else "no page is opened"))
        asked = tuple(near)
    elif filled.values.get("Pages") == (WHOLE_TEXT,):
        return situation, _again(session, stream), Lookup(first, whole=True), None
    elif not _asks(filled):
        if cut:
            session.fell_back(Fallback("direct", "the answer was cut off by the token limit", "the part that arrived"))
        if not free:
            return situation, session, Lookup(first), decided(filled.values[ANSWER][0], situation, session, ())
        response = quoted(given_in(filled), situation, session, (), gists=True)
        stream.close(response.text)
        return situation, session, Lookup(first), response
    else:
        asked = tuple(map(int, filled.values["Pages"]))
    lookup = opened_of((*first, *(page for page in asked if page not in first)), fits)
    session.emit(Opened(lookup.pages, spans_of(memory, lookup.pages)))
    return with_short_gists(situation, lookup.pages), _again(session, stream), lookup, None


def with_short_gists(situation: Situation, opened: Collection[int]) -> Situation:
    """Return the question with only the beginning of the gists of pages that are not open; unchanged if none is."""
    if not opened:
        return situation
    memory = situation.memory
    gists = (gist if page in opened else cut_short(gist, _GIST_WORDS) for page, gist in enumerate(memory.gists))
    return replace(situation, memory=replace(memory, gists=tuple(gists)))


def _asks(filled: Filled) -> bool:
    """Return whether a reply asks for pages, or needs none and gives no answer."""
    pages = filled.values.get("Pages")
    answered = ANSWER in filled.values or is_labelled(filled)
    return bool(pages) or (pages is not None and not answered)


async def _found(situation: Situation, session: Session, fits: Fits) -> tuple[int, ...]:
    """Return the pages that a search finds for the question, as many as are opened first and fit."""
    most = min(session.plan.open_first, session.plan.max_pages)
    if not most:
        return ()
    hints = situation.hints or await find_hints(situation.memory, situation.question, session.hinter)
    first: tuple[int, ...] = ()
    for page in pages_to_show(hints, most):
        opened = (*first, page)
        if fits(opened) and session.window.fits(_prompt(situation, session, opened)):
            first = opened
    if first:
        session.emit(Opened(first, spans_of(situation.memory, first)))
    return first


def _most(situation: Situation, session: Session, opened: tuple[int, ...]) -> int:
    """Return how many pages may still be asked for."""
    return min(session.plan.max_pages, len(situation.memory.pages)) - len(opened)


def _form(situation: Situation, session: Session, opened: tuple[int, ...]) -> Form:
    pages = choice_of(situation, _most(situation, session, opened))
    if situation.question.kind != "free":
        return Form((choice_for(situation.question), pages), either=True)
    return Form((Text(ANSWER), pages), (NOT_IN_TEXT,) if session.plan.quotes else (), either=True)


def _prompt(situation: Situation, session: Session, opened: tuple[int, ...]) -> str:
    values = allowed(situation, session, _most(situation, session, opened))
    if situation.question.kind == "free":
        values["quotes"] = session.plan.quotes
    form = _form(situation, session, opened)
    return hinted(situation, session, _TEMPLATES[situation.question.kind], opened, form=form, **values)


def _again(session: Session, stream: StreamedAnswer) -> Session:
    """Return the session for an answer that replaces what was emitted, if anything was."""
    return replace(session, emit=_starting_again(session.emit)) if stream.emitted else session


def _starting_again(emit: Listener) -> Listener:
    """Return a listener for an answer that replaces what was emitted before."""
    started = False

    def listen(event: Event) -> None:
        nonlocal started
        if isinstance(event, AnswerText) and not started:
            started, event = True, replace(event, restart=True)
        emit(event)

    return listen
