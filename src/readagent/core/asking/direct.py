"""Direct look-up: the first prompt may be answered from the gists, or the model asks for the pages it needs.

A question that the gists answer takes one call. Otherwise the pages are opened and the question is asked again, as in
the parallel look-up. Only the beginning of the other gists is shown then: the model has seen them, and named what it
needs. With ``open_first`` the pages that a search finds are open in the first prompt already.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from readagent.core.asking.direct_form import AnswerOrPages
from readagent.core.asking.direct_reply import DirectReply, read_direct
from readagent.core.asking.direct_stream import DirectStream
from readagent.core.asking.hints import find_hints, pages_to_show
from readagent.core.asking.lookup import Fits, allowed, choice_of, closest, hinted, look_up, opened_of
from readagent.core.asking.reply_parts import split_reply
from readagent.core.asking.respond import Response, check_of, choice_for, decided, quoted, respond
from readagent.core.asking.shortening import cut_short
from readagent.core.asking.situation import Situation
from readagent.core.events import AnswerText, Event, Listener, Opened
from readagent.core.memory import spans_of
from readagent.core.model import Ask, Reply
from readagent.core.question import Lookup
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback

_TEMPLATES = {"free": "direct", "choice": "direct_choose", "claim": "direct_claim"}
_GIST_WORDS = 24  # shown of the gists of other pages, once pages are open
UNCLEAR = "it is unclear whether it answers or asks for pages"


async def answer_directly(situation: Situation, session: Session, fits: Fits) -> tuple[Situation, Lookup, Response]:
    """Return the answer from the gists and no pages, or the pages that were asked for and the answer with them open.

    The situation is the one that the answer was given in.
    """
    if situation.memory.is_whole():
        return situation, Lookup(), await respond(situation, session, ())
    if not session.window.fits(_prompt(situation, session, ())):  # it is longer than the prompt that only chooses pages
        lookup = await look_up(situation, session, fits)
        return situation, lookup, await respond(situation, session, lookup.pages)
    first = await _found(situation, session, fits)
    if situation.memory.is_whole(first) or len(first) == session.plan.max_pages:
        return situation, Lookup(first), await respond(situation, session, first)
    stream = DirectStream(session, check_of(situation, first))
    said, problem = await _said(situation, session, stream, first)
    if problem:
        pages = [page for page in closest(situation) if int(page) not in first]
        session.fell_back(Fallback("direct", problem, f"page {pages[0]} is opened" if pages else "no page is opened"))
        said = DirectReply(pages=tuple(map(int, pages)))
    if said.answer:
        response = from_gists(said.answer, situation, session)
        if situation.question.kind == "free":
            stream.close(response.text)
        return situation, Lookup(first), response
    lookup = opened_of((*first, *(page for page in said.pages if page not in first)), fits)
    session.emit(Opened(lookup.pages, spans_of(situation.memory, lookup.pages)))
    if stream.emitted:
        session = replace(session, emit=_starting_again(session.emit))
    situation = with_short_gists(situation, lookup.pages)
    return situation, lookup, await respond(situation, session, lookup.pages)


def with_short_gists(situation: Situation, opened: Collection[int]) -> Situation:
    """Return the question with only the beginning of the gists of pages that are not open; unchanged if none is."""
    if not opened:
        return situation
    memory = situation.memory
    gists = (gist if page in opened else cut_short(gist, _GIST_WORDS) for page, gist in enumerate(memory.gists))
    return replace(situation, memory=replace(memory, gists=tuple(gists)))


def from_gists(answer: str, situation: Situation, session: Session) -> Response:
    """Return the response for an answer from the gists; the passages that support it are searched in all raw pages."""
    if situation.question.kind == "free":
        return quoted(answer, situation, session, (), gists=True)
    return decided(answer, situation, session, ())


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


async def _said(
    situation: Situation, session: Session, stream: DirectStream, opened: tuple[int, ...]
) -> tuple[DirectReply, str]:
    """Return what the model replied, and why it cannot be used; "" if it can."""
    question = situation.question
    most = _most(situation, session, opened)
    ask = Ask("direct", _prompt(situation, session, opened), material=situation.material(opened))
    if question.kind == "free":
        ask = replace(ask, listen=stream, restart=stream.restart)
    else:
        ask = replace(ask, form=AnswerOrPages(choice_for(question).values))
    pages, check, cut = choice_of(situation, most), check_of(situation, opened), False

    def judge(reply: Reply) -> tuple[DirectReply, str]:
        nonlocal cut
        if problem := useless(reply):
            return DirectReply(), problem
        said = read_direct(reply.text, pages, question)
        if said is None:
            return DirectReply(), UNCLEAR
        cut = reply.finish == "length" and bool(said.answer)
        if cut:
            reply.discard()  # it is used now, but asked for again in a later run
        if question.kind != "free" or not said.answer:
            return said, ""
        return said, check(split_reply(said.answer).answer or said.answer)

    said, problem = await session.judged(ask, judge)
    if cut and not problem:
        session.fell_back(Fallback("direct", "the answer was cut off by the token limit", "the part that arrived"))
    return said, problem


def _most(situation: Situation, session: Session, opened: tuple[int, ...]) -> int:
    """Return how many pages may still be asked for."""
    return min(session.plan.max_pages, len(situation.memory.pages)) - len(opened)


def _prompt(situation: Situation, session: Session, opened: tuple[int, ...]) -> str:
    values = allowed(situation, session, _most(situation, session, opened))
    if situation.question.kind == "free":
        values["quotes"] = session.plan.quotes
    return hinted(situation, session, _TEMPLATES[situation.question.kind], opened, **values)


def _starting_again(emit: Listener) -> Listener:
    """Return a listener for an answer that replaces what was emitted before."""
    begun = False

    def listen(event: Event) -> None:
        nonlocal begun
        if isinstance(event, AnswerText) and not begun:
            begun, event = True, replace(event, restart=True)
        emit(event)

    return listen
