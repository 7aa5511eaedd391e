"""The whole algorithm on one screen: ``read`` makes a memory of a document, and ``ask`` answers from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from readagent.core.asking.descent import Fit, look_elsewhere, prepare, searched, shorten_and_fit
from readagent.core.asking.direct import look_up_directly
from readagent.core.asking.lookup import look_up
from readagent.core.asking.position import memory_up_to
from readagent.core.asking.respond import Response, fits_with, respond
from readagent.core.asking.situation import Situation
from readagent.core.asking.zoom import looked_up_in, quoted_in
from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Span
from readagent.core.pages.paginate import read_pages, settle
from readagent.core.pages.windows import check_page_fits
from readagent.core.plan import Plan
from readagent.core.question import Answer, Lookup, Question, Turn, find_extract
from readagent.core.session import Session
from readagent.core.statement import Statement, Support
from readagent.core.support.check import Checkable, check_support
from readagent.core.trace import AnswerText, Started, without
from readagent.errors import UsageError

T = TypeVar("T")


async def read(
    document: Document,
    session: Session,
    pinned: Mapping[Span, Gist] | None = None,
    *,
    settled: Callable[[Plan], None] = lambda plan: None,
) -> GistMemory:
    """Read a document: the model chooses where each page ends and shortens the page to a gist.

    ``pinned`` pages keep their extent and their gist. ``settled`` is called with the plan once its mode is known,
    before the rest is read. The memory may be too long for the window; ``readagent.core.gists.merge.fit`` merges pages
    until it fits.
    """
    words = document.words
    if not words:
        raise UsageError("there is nothing to read: the text is empty")
    check_page_fits(document, words, session)
    session.emit(Started(words))
    first_window = await settle(document, session, pinned or ())
    session = first_window.session
    settled(session.plan)
    pages, gists = await read_pages(document, session, pinned=pinned, windows=first_window.windows)
    return GistMemory(
        document,
        pages,
        gists,
        session.plan,
        session.model.name,
        session.prompts.fingerprint,
        trace=session.trace,
    )


async def ask(
    memory: GistMemory,
    question: Question,
    session: Session,
    history: Sequence[Turn] = (),
    up_to: int | None = None,
    *,
    as_in: GistMemory | None = None,
    fit_memory: Fit = shorten_and_fit,
    over_all: Callable[[GistMemory, Session], Awaitable[T]] | None = None,
) -> Answer | T:
    """Answer a question: the model sees the gists, chooses pages to open, and answers with these pages in full.

    With ``up_to`` the text ends at that offset, and turns of the history that know more are left out. Pages in the
    answer are numbered as in ``memory``, or as in ``as_in``, another memory of the same document. ``fit_memory`` makes
    the memory fit the window. ``over_all`` answers from all pages of a memory: with it the model may reply that the
    question is about the whole text.

    In a tree, another part is looked into if the first did not hold the answer; ``max_pages`` is the maximum for both.
    """
    numbering = as_in or memory
    if up_to is not None:
        memory = await memory_up_to(memory.whole, up_to, session)
        history = [turn for turn in history if turn.up_to is not None and turn.up_to <= up_to]
    situation = await prepare(memory, question, session, history, fit_memory)
    few = len(memory.whole.pages) <= session.plan.max_pages
    whole = over_all is not None and question.kind == "free" and not few and not situation.memory.is_whole()
    situation = replace(situation, may_be_whole=whole)
    plan, own, first = session.plan, session, situation
    if first.tree is not None:  # the answer may be in another part: it is emitted once it is final
        own = replace(session, emit=without(session.emit, AnswerText))
    answers: list[Response] = []
    while True:
        responding, response = own, None
        fits = fits_with(situation, own)
        if plan.look_up == "direct" and plan.max_pages:
            situation, responding, lookup, response = await look_up_directly(situation, own, fits)
        else:
            lookup = await look_up(situation, own, fits)
        if lookup.whole and over_all is not None:
            return await over_all(memory.whole, responding)
        if response is None:
            response = await respond(situation, responding, lookup.pages)
        answers.append(response)
        left = plan.max_pages - len(lookup.pages)
        if response.found_in_text or first.tree is None or left <= 0 or len(answers) > 1:
            break
        own = replace(own, plan=replace(plan, max_pages=left))
        elsewhere = await look_elsewhere(situation, own, lookup)
        if elsewhere is None:
            break
        situation = elsewhere
    response = next((one for one in answers if one.found_in_text), answers[0])
    if first.tree is not None and question.kind == "free":
        session.emit(AnswerText(response.text))
    return await finished(situation, lookup, response, session, up_to, of=memory, as_in=numbering)


async def finished(
    situation: Situation,
    lookup: Lookup,
    response: Response,
    session: Session,
    up_to: int | None,
    *,
    of: GistMemory,
    as_in: GistMemory,
) -> Answer:
    """Return the answer with its support: ``of`` is the memory that was asked, and pages are numbered ``as_in``.

    Without quotes, if the text does not say or the model did not choose, nothing is supported. An extract of the first
    quote that comes with a certainty is quoted: nothing shows that it answers the question.
    """
    question, support = situation.question, Support()
    if session.plan.quotes and response.found_in_text and not response.guessed:
        if response.certainty is not None and question.kind == "free" and _is_extract(response):
            support = Support((Statement(response.text, "quoted", (0,)),), "rules")
        else:
            checked = Checkable(question, response.text, response.choice, response.quotes)
            support = await check_support(checked, session)
    found = looked_up_in(as_in, [*situation.earlier, (situation.memory, lookup)])
    return Answer(
        question,
        response.text,
        response.choice,
        found.pages,
        found.did_not_fit,
        compression=1 - situation.memory.words(lookup.pages) / max(1, of.full_words),
        trace=session.trace,
        quotes=quoted_in(as_in, situation.memory, response.quotes),
        false_quotes=response.false_quotes,
        found_in_text=response.found_in_text,
        up_to=up_to,
        support=support,
        searched=searched(situation, of),
        certainty=response.certainty,
        document=as_in.document,
    )


def _is_extract(response: Response) -> bool:
    return bool(response.quotes) and find_extract(response.text, response.quotes[0].text) is not None
