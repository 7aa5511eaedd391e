"""Several questions about one memory in one call: each is answered, or asks for pages that a second call shows.

The second call shows the pages that the questions asked for together, as many as fit; more calls follow for the rest. A
question whose part of a reply cannot be used is asked alone, and the fallback is recorded. The words, tokens and cost
of a call are divided among its questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from readagent.core.asking.descent import Fit, prepare, shorten_and_fit
from readagent.core.asking.direct import Replies, from_gists, with_short_gists
from readagent.core.asking.direct_reply import DirectReply, read_direct
from readagent.core.asking.lookup import allowed, choice_of, opened_of
from readagent.core.asking.position import memory_up_to
from readagent.core.asking.reply_parts import split_reply
from readagent.core.asking.respond import Response, check_of, decided, fits_with, quoted, respond
from readagent.core.asking.sections import numbered, split_replies
from readagent.core.asking.situation import Situation
from readagent.core.concurrency import ONE_PAGE, together
from readagent.core.memory import GistMemory
from readagent.core.model import Ask
from readagent.core.question import Answer, Lookup, Question, Turn
from readagent.core.question_language import answer_language
from readagent.core.reading import ask, finished
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback, Opened, Trace
from readagent.core.window import largest
from readagent.errors import NoAnswerError, UsageError

_REPLY_TOKENS = {"free": 80, "choice": 16, "claim": 16}  # of a reply to one question
_QUOTE_TOKENS = 160  # of the quotes with it
_ALONE = "the question was asked alone"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the memory it is asked of, and a session with a trace of its own."""

    situation: Situation
    session: Session


Found = tuple[Lookup, Response | NoAnswerError]


async def ask_together(
    memory: GistMemory,
    questions: Sequence[Question],
    session: Session,
    traces: Sequence[Trace],
    history: Sequence[Turn] = (),
    up_to: int | None = None,
    *,
    as_in: GistMemory | None = None,
    fit_memory: Fit = shorten_and_fit,
) -> list[Answer | NoAnswerError | UsageError]:
    """Return the answer to each question, or why there is none. Each has its trace, in this order.

    Questions share calls if the plan's look-up is ``direct`` or ``parallel`` without hints and the memory fits the
    window as it was read; otherwise each is asked alone. For the other parameters see ``ask``.
    """
    numbering = as_in or memory
    if up_to is not None:
        memory = await memory_up_to(memory.whole, up_to, session)
        history = [turn for turn in history if turn.up_to is not None and turn.up_to <= up_to]

    async def prepared(question: Question, trace: Trace) -> Asked | UsageError:
        own = replace(session, trace=trace)
        try:
            return Asked(await prepare(memory, question, own, history, fit_memory), own)
        except UsageError as error:  # it is too long
            return error

    asked = [await prepared(question, trace) for question, trace in zip(questions, traces, strict=True)]
    found: dict[int, Found] = {}
    for group in _groups([one for one in asked if isinstance(one, Asked)], session):
        found |= await _answered(group, session) if len(group) > 1 else {}

    async def result(one: Asked | UsageError) -> Answer | NoAnswerError | UsageError:
        if isinstance(one, UsageError):
            return one
        if (known := found.get(id(one))) is None:
            question, of = one.situation.question, one.situation
            try:
                return await ask(memory, question, one.session, up_to=up_to, as_in=numbering, situation=of)
            except NoAnswerError as error:
                return error
        lookup, response = known
        if isinstance(response, NoAnswerError):
            return response
        situation = _second(one.situation, one.session, lookup.pages)
        return await finished(situation, lookup, response, one.session, up_to, of=memory, as_in=numbering)

    return await together(result(one) for one in asked)


def _groups(asked: Sequence[Asked], session: Session) -> Iterator[Sequence[Asked]]:
    """Yield the questions that share a call; as many as fit, and each alone if none can be shared."""
    plan = session.plan
    shared = plan.look_up in ("direct", "parallel") and plan.max_pages and not (plan.hints or plan.open_first)
    if not shared or any(one.situation.tree is not None or one.situation.hints for one in asked):
        yield from ([one] for one in asked)
        return
    first = 0
    while first < len(asked):
        count = largest(len(asked) - first, partial(_first_fit, asked[first:], session))
        yield asked[first : first + max(1, count)]
        first += max(1, count)


def _first_fit(asked: Sequence[Asked], session: Session, count: int) -> bool:
    return _fits(asked[:count], session, ())


async def _answered(asked: Sequence[Asked], session: Session) -> dict[int, Found]:
    """Return what was found for each question, by its ``id()``; those that must be asked alone are left out."""
    found: dict[int, Found] = {}
    asking: list[tuple[Asked, Lookup]] = []
    whole = session.plan.look_up == "direct" and asked[0].situation.memory.is_whole()
    replies = [DirectReply()] * len(asked) if whole else await _replies(asked, session)
    for one, reply in zip(asked, replies, strict=True):
        if reply is None:
            continue
        if reply.answer:
            found[id(one)] = Lookup(), from_gists(reply.answer, one.situation, one.session)
        else:
            asking.append((one, opened_of(reply.pages, fits_with(one.situation, one.session))))
    for group in _second_calls(asking, session):
        results = await _responses(group, session)
        found |= {id(one): result for (one, _), result in zip(group, results, strict=True)}
    return found


async def _replies(asked: Sequence[Asked], session: Session) -> list[DirectReply | None]:
    """Return the answer or the pages for each question from the first call; None where the reply cannot be used."""
    direct = session.plan.look_up == "direct"
    parts, problem = await _reply(asked, session, (), may_ask=True, may_answer=direct)
    replies: list[DirectReply | None] = []
    for at, one in enumerate(asked):
        part, pages = parts.get(at, ""), choice_of(one.situation, _most(one.situation, session))
        read = read_direct(part, pages, one.situation.question) if part else None
        if not direct and part and (read is None or read.answer):
            named = pages.parse(part)
            read = None if named is None else DirectReply(pages=tuple(map(int, named)))
        if read is not None and read.answer and _problem(read.answer, one, ()):
            read = None
        if read is None:
            one.session.fell_back(Fallback("batch", problem or "no reply to this question could be read", _ALONE))
        replies.append(read)
    return replies


def _second_calls(asking: Sequence[tuple[Asked, Lookup]], session: Session) -> Iterator[list[tuple[Asked, Lookup]]]:
    """Yield the questions that are answered together with their pages open: as many as fit."""
    group: list[tuple[Asked, Lookup]] = []
    for one in asking:
        longer = [*group, one]
        if group and not _fits([asked for asked, _ in longer], session, _union(longer), may_ask=False):
            yield group
            longer = [one]
        group = longer
    if group:
        yield group


async def _responses(group: Sequence[tuple[Asked, Lookup]], session: Session) -> list[Found]:
    """Return the answers from the pages of all these questions; a question whose answer is unusable is asked alone."""
    opened = _union(group)
    session.emit(Opened(opened))
    asked = [one for one, _ in group]
    parts, problem = ({}, "") if len(group) == 1 else await _reply(asked, session, opened, may_ask=False)

    async def found(at: int) -> Found:
        one, lookup = group[at]
        pages = choice_of(one.situation, _most(one.situation, session))
        reply = read_direct(parts[at], pages, one.situation.question) if at in parts else None
        if reply is not None and reply.answer and not _problem(reply.answer, one, opened):
            judged = quoted if one.situation.question.kind == "free" else decided
            return _with_shared(lookup, opened), judged(reply.answer, one.situation, one.session, opened)
        if len(group) > 1:
            one.session.fell_back(Fallback("batch", problem or "no reply to this question could be read", _ALONE))
        try:
            situation = _second(one.situation, one.session, lookup.pages)
            return lookup, await respond(situation, one.session, lookup.pages)
        except NoAnswerError as error:
            return lookup, error

    return await together(found(at) for at in range(len(group)))


def _with_shared(lookup: Lookup, opened: Sequence[int]) -> Lookup:
    """Return the look-up of a question that was answered with these pages open: its own ones come first."""
    shared = tuple(page for page in opened if page not in lookup.pages)
    unopened = tuple(page for page in lookup.did_not_fit if page not in shared)
    return Lookup((*lookup.pages, *shared), unopened, shared)


async def _reply(
    asked: Sequence[Asked], session: Session, opened: tuple[int, ...], *, may_ask: bool, may_answer: bool = True
) -> tuple[dict[int, str], str]:
    """Return the part of the reply for each question, and why there is none; a part that was cut off is left out."""
    quotes = session.plan.quotes and not may_ask
    form = Replies(len(asked), may_ask, may_answer, quotes)
    prompt = _prompt(asked, session, opened, may_ask=may_ask, may_answer=may_answer)
    material = asked[0].situation.material(opened)
    ask = Ask("batch", prompt, material=material, form=form, min_reply=_tokens(asked, quotes))
    own = replace(session, trace=Trace(session.trace.keep_text))
    try:
        reply = await own.ask(ask)
    except ONE_PAGE as error:
        return {}, str(error)
    for call in own.trace.calls:
        for one, share in zip(asked, call.shares(len(asked)), strict=True):
            one.session.trace.calls.append(share)
    parts = split_replies(reply.text, [one.situation.question for one in asked])
    if reply.finish == "length":
        parts.pop(max(parts, default=0), None)
        reply.discard()
    if not parts:
        reply.discard()
    return parts, useless(reply)


def _prompt(
    asked: Sequence[Asked], session: Session, opened: tuple[int, ...], *, may_ask: bool, may_answer: bool
) -> str:
    first = min((one.situation for one in asked), key=lambda situation: len(situation.history))
    return _second(first, session, opened).prompt(
        session,
        "batch",
        opened,
        questions=numbered([one.situation.question for one in asked]),
        count=len(asked),
        may_ask=may_ask,
        may_answer=may_answer,
        quotes=session.plan.quotes and not may_ask,
        language=any(answer_language(one.situation.question, first.memory) for one in asked),
        **allowed(first, session, _most(first, session)),
    )


def _second(situation: Situation, session: Session, opened: tuple[int, ...]) -> Situation:
    """Return the question as it is shown with these pages open."""
    return with_short_gists(situation, opened) if session.plan.look_up == "direct" else situation


def _fits(asked: Sequence[Asked], session: Session, opened: tuple[int, ...], *, may_ask: bool = True) -> bool:
    """Return whether the questions and the replies to them fit the window."""
    window = session.window
    if window.tokens is None:
        return True
    reply = _tokens(asked, session.plan.quotes and not may_ask)
    prompt = _prompt(asked, session, opened, may_ask=may_ask, may_answer=True)
    return reply <= window.tokens // 4 and window.count(prompt) <= window.tokens - max(reply, window.reply)


def _tokens(asked: Sequence[Asked], quotes: bool) -> int:
    """Return the tokens that the replies to these questions need."""
    kinds = [one.situation.question.kind for one in asked]
    return sum(_REPLY_TOKENS[kind] for kind in kinds) + (_QUOTE_TOKENS * kinds.count("free") if quotes else 0)


def _problem(answer: str, one: Asked, opened: tuple[int, ...]) -> str:
    """Return why a text cannot be the answer to a free question."""
    if one.situation.question.kind != "free":
        return ""
    return check_of(one.situation, opened)(split_reply(answer).answer or answer)


def _union(group: Sequence[tuple[Asked, Lookup]]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(page for _, lookup in group for page in lookup.pages))


def _most(situation: Situation, session: Session) -> int:
    return min(session.plan.max_pages, len(situation.memory.pages))
