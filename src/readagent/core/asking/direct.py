"""Direct look-up: the first prompt may be answered from the gists, or the model asks for the pages it needs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from readagent.core.asking.direct_reply import DirectReply, read_direct
from readagent.core.asking.lookup import (
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
from readagent.core.asking.reply_parts import split_reply
from readagent.core.asking.respond import Response, check_of, choice_for, decided, quoted
from readagent.core.asking.situation import Situation, cut_short
from readagent.core.asking.stream import DirectStream
from readagent.core.memory import spans_of
from readagent.core.model import Ask, Reply
from readagent.core.question import Lookup
from readagent.core.session import Session, useless
from readagent.core.trace import AnswerText, Event, Fallback, Listener, Opened

_PAGES = {"type": "array", "items": {"type": "integer"}}


@dataclass(frozen=True, slots=True)
class AnswerOrPages:
    """The pages that are asked for, or one of the legal ``values``; the other field is empty."""

    values: tuple[str, ...]

    def schema(self) -> dict[str, Any]:
        return _object({"pages": _PAGES, "answer": {"type": "string", "enum": [*self.values, ""]}})

    def example(self) -> str:
        return f'{{"pages": [], "answer": "{self.values[0]}"}}, or {{"pages": [...], "answer": ""}} to ask for pages'

    def conforms(self, value: Any) -> bool:
        if not isinstance(value, dict):
            return False
        return isinstance(value.get("pages"), list) and value.get("answer") in (*self.values, "")


@dataclass(frozen=True, slots=True)
class Replies:
    """A reply to each of several questions: pages if they may be asked for, and an answer if it may be given."""

    questions: int
    may_ask: bool = True
    may_answer: bool = True
    quotes: bool = False

    def schema(self) -> dict[str, Any]:
        fields: dict[str, Any] = {"question": {"type": "integer"}}
        if self.may_ask:
            fields["pages"] = _PAGES
        if self.may_answer:
            fields["answer"] = {"type": "string"}
        if self.quotes:
            fields["quotes"] = {"type": "array", "items": {"type": "string"}}
        return _object({"replies": {"type": "array", "items": _object(fields)}})

    def example(self) -> str:
        fields = ['"question": 1']
        fields += ['"pages": [...]'] if self.may_ask else []
        fields += ['"answer": "..."'] if self.may_answer else []
        fields += ['"quotes": ["Page ...: ..."]'] if self.quotes else []
        both = "; pages are empty where there is an answer" if self.may_ask and self.may_answer else ""
        return f'{{"replies": [{{{", ".join(fields)}}}, ...]}}{both}'

    def conforms(self, value: Any) -> bool:
        replies = value.get("replies") if isinstance(value, dict) else None
        return isinstance(replies, list) and all(isinstance(one, dict) and "question" in one for one in replies)


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


_TEMPLATES = {"free": "direct", "choice": "direct_choose", "claim": "direct_claim"}
_GIST_WORDS = 24  # shown of the gists of other pages, once pages are open
UNCLEAR = "it is unclear whether it answers or asks for pages"


async def look_up_directly(
    situation: Situation, session: Session, fits: Fits
) -> tuple[Situation, Session, Lookup, Response | None]:
    """Return the pages that were asked for, or the answer from the gists and no pages.

    The situation and the session are those to answer in with these pages open.
    """
    memory, question = situation.memory, situation.question
    if memory.is_whole():
        return situation, session, Lookup(), None
    if not session.window.fits(_prompt(situation, session, ())):  # it is longer than the prompt that only chooses pages
        return situation, session, await look_up(situation, session, fits), None
    first = await _found(situation, session, fits)
    if memory.is_whole(first) or len(first) == session.plan.max_pages:
        return situation, session, Lookup(first), None
    check = check_of(situation, first)
    stream = DirectStream(session, check)
    ask = Ask("direct", _prompt(situation, session, first), material=situation.material(first))
    if question.kind == "free":
        ask = replace(ask, listen=stream, restart=stream.restart)
    else:
        ask = replace(ask, form=AnswerOrPages(choice_for(question).values))
    pages, cut = choice_of(situation, _most(situation, session, first)), False

    def judge(received: Reply) -> tuple[DirectReply, str]:
        nonlocal cut
        if problem := useless(received):
            return DirectReply(), problem
        reply = read_direct(received.text, pages, question)
        if reply is None:
            return DirectReply(), UNCLEAR
        cut = received.finish == "length" and bool(reply.answer)
        if cut:
            received.discard()  # it is used now, but asked for again in a later run
        if question.kind != "free" or not reply.answer:
            return reply, ""
        return reply, check(split_reply(reply.answer).answer or reply.answer)

    reply, problem = await session.judged(ask, judge)
    if problem:
        near = [int(page) for page in closest(situation) if int(page) not in first]
        session.fell_back(Fallback("direct", problem, f"page {near[0]} is opened" if near else "no page is opened"))
        reply = DirectReply(pages=tuple(near))
    elif cut:
        session.fell_back(Fallback("direct", "the answer was cut off by the token limit", "the part that arrived"))
    if reply.answer:
        response = from_gists(reply.answer, situation, session)
        if question.kind == "free":
            stream.close(response.text)
        return situation, session, Lookup(first), response
    lookup = opened_of((*first, *(page for page in reply.pages if page not in first)), fits)
    session.emit(Opened(lookup.pages, spans_of(memory, lookup.pages)))
    if stream.emitted:
        session = replace(session, emit=_starting_again(session.emit))
    return with_short_gists(situation, lookup.pages), session, lookup, None


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
    started = False

    def listen(event: Event) -> None:
        nonlocal started
        if isinstance(event, AnswerText) and not started:
            started, event = True, replace(event, restart=True)
        emit(event)

    return listen
