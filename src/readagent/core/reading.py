"""The whole algorithm on one screen: ``read`` makes a memory of a document, and ``ask`` answers from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from readagent.core.asking.look import Looked, Looking
from readagent.core.asking.lookup import look_up
from readagent.core.asking.prepare import Fit, prepare, shorten_and_fit
from readagent.core.asking.respond import Response, fits_with, respond
from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Span
from readagent.core.pages.paginate import read_pages, settle
from readagent.core.pages.windows import check_page_fits
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question, Turn, find_extract
from readagent.core.session import Session
from readagent.core.statement import Statement, Support
from readagent.core.support.check import Checkable, check_support
from readagent.core.trace import Started
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
    before the rest is read. The memory may be too long for one prompt; ``readagent.core.gists.parts.fit`` makes an
    index over it.
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
    fit_memory: Fit = shorten_and_fit,
    over_all: Callable[[GistMemory, Session], Awaitable[T]] | None = None,
    passages: bool = False,
) -> Answer | T:
    """Answer a question: the model sees gists, or an index and the likeliest of them, and opens pages.

    With ``up_to`` the text ends at that offset, and turns of the history that know more are left out. Pages in the
    answer are numbered as in ``memory.whole``. ``fit_memory`` makes the index where one is needed. ``over_all`` answers
    from all pages of a memory: with it the model may reply that the question is about the whole text. ``passages`` is
    as for ``prepare``.
    """
    given = memory.whole
    situation = await prepare(memory, question, session, history, up_to, fit_memory, passages=passages)
    plan, view = session.plan, situation.view
    few = len(situation.memory.pages) <= plan.max_pages
    whole = over_all is not None and question.kind == "free" and not few and not view.is_whole()
    situation = replace(situation, may_be_whole=whole)
    looking = (
        Looking(situation, session) if plan.look_up == "direct" and plan.max_pages and not view.is_whole() else None
    )
    if looking is not None and looking.fits:
        looked = None
        while looked is None:
            looked = looking.heard(*await session.judged(*looking.asking()))
        if looked.alone is not None:
            looked = replace(looked, response=await respond(looked.alone, looking.again, looked.lookup.pages))
    else:
        lookup = await look_up(situation, session, fits_with(situation, session))
        response = None if lookup.whole else await respond(situation, session, lookup.pages)
        looked = Looked(lookup, view, response)
    if looked.response is None:
        assert over_all is not None
        return await over_all(situation.memory, session)
    support = _support_without_asking(looked.response, question, session)
    if support is None:
        response = looked.response
        checked = Checkable(question, response.text, response.choice, response.quotes)
        support = await check_support(checked, session)
    return _finished(looked, looked.response, support, question, session, up_to, given)


def _support_without_asking(response: Response, question: Question, session: Session) -> Support | None:
    """Return the support of an answer that needs no check, or None.

    Without quotes, if the text does not say or the model did not choose, nothing is supported. An extract of the first
    quote that comes with a certainty is quoted: nothing shows that it answers the question.
    """
    if not session.plan.quotes or not response.found_in_text or response.guessed:
        return Support()
    if response.certainty is not None and question.kind == "free" and _is_extract(response):
        return Support((Statement(response.text, "quoted", (0,)),), "rules")
    return None


def _finished(
    looked: Looked,
    response: Response,
    support: Support,
    question: Question,
    session: Session,
    up_to: int | None,
    given: GistMemory,
) -> Answer:
    """Return the answer about the memory that was ``given``."""
    opened = looked.lookup.pages
    return Answer(
        question,
        response.text,
        response.choice,
        opened,
        looked.lookup.did_not_fit,
        compression=1 - looked.view.words(opened) / max(1, given.full_words),
        trace=session.trace,
        quotes=response.quotes,
        false_quotes=response.false_quotes,
        found_in_text=response.found_in_text,
        up_to=up_to,
        support=support,
        searched=looked.view.searched(opened),
        certainty=response.certainty,
        document=given.document,
    )


def _is_extract(response: Response) -> bool:
    return bool(response.quotes) and find_extract(response.text, response.quotes[0].text) is not None
