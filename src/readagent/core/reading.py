"""read() and ask(): the whole algorithm on one screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from readagent.core.asking.adaptive import ask_adaptively
from readagent.core.asking.hints import narrowed
from readagent.core.asking.lookup import Situation, look_up
from readagent.core.asking.position import seen
from readagent.core.asking.respond import respond, response_prompt
from readagent.core.asking.zoom import numbered_as, zoomed
from readagent.core.document import Document
from readagent.core.events import Started
from readagent.core.gists.ageing import aged
from readagent.core.gists.merge import fit, fits
from readagent.core.gists.pinning import Span
from readagent.core.memory import Gist, GistMemory
from readagent.core.model import Hint
from readagent.core.pages.paginate import read_pages
from readagent.core.question import Answer, Question
from readagent.core.session import Session
from readagent.core.words import estimate_tokens
from readagent.errors import UsageError


class Turn(NamedTuple):
    """A question that was asked before, its answer, and how far the text was known then; None if all of it was."""

    question: str
    answer: str
    up_to: int | None = None


async def read(document: Document, session: Session, pinned: Mapping[Span, Gist] | None = None) -> GistMemory:
    """Read a document: find where to pause, and shorten each page as soon as it is known.

    Pages that are ``pinned`` keep their extent and their gist. The memory may be longer than the window takes;
    ``readagent.core.gists.merge.fit`` merges pages until it is not.
    """
    words = document.words
    if not words:
        raise UsageError("there is nothing to read: the text is empty")
    _check_window(document, words, session)
    session.tell(Started(words))
    pages, gists = await read_pages(document, session, pinned=pinned)
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
) -> Answer:
    """Look up, put the pages back in their place, answer; as if the text ended at ``up_to``, where that is given.

    The pages of the answer are numbered as in the memory that is given, or another one of the text, ``as_in``, whatever
    had to be shown of it.
    """
    numbering = as_in or memory
    if up_to is not None:
        memory = await seen(memory.finer or memory, up_to, session)
        history = [turn for turn in history if len(turn) > 2 and turn[2] is not None and turn[2] <= up_to]
    situation = await _situation(memory, question, session, history)
    if session.plan.look_up == "auto":
        lookup, response = await ask_adaptively(situation, session)
    else:
        lookup = await look_up(
            situation, session, lambda opened: session.window.fits(response_prompt(situation, session, opened))
        )
        response = await respond(situation, session, lookup.pages)
    compression = 1 - situation.memory.words(lookup.pages) / max(1, memory.full_words)
    answer = Answer(
        question, response.text, response.choice, lookup.pages, lookup.did_not_fit, compression, session.trace,
        response.quotes, response.false_quotes, response.found_in_text, up_to,
    )  # fmt: skip
    return numbered_as(numbering, situation.memory, answer)


async def _situation(memory: GistMemory, question: Question, session: Session, history: Sequence[Turn]) -> Situation:
    """The memory made to fit, and as much of the conversation as there is room for beside the question."""
    room = session.window.question - estimate_tokens(question.shown())
    if room < 0 and session.window.tokens is not None:
        raise UsageError(
            f"the question is too long for a window of {session.window.tokens} tokens",
            hint=f"shorten it to about {session.window.question * 2 // 3} words, or use a model with a larger window",
        )
    told: list[str] = []
    for earlier in reversed(history):
        turn = f"Question: {earlier[0]}\nAnswer: {earlier[1]}"
        room -= estimate_tokens(turn)
        if room < 0:
            break
        told.insert(0, turn)
    said = "\n\n".join(told)
    memory, hints = await _fitted(memory, question, session)
    closer = await zoomed(Situation(memory, question, said, hints), session)
    if closer is not memory and hints and session.hinter is not None:
        hints = tuple(await session.hinter.hints(closer, question))
    return Situation(closer, question, said, hints)


async def _fitted(memory: GistMemory, question: Question, session: Session) -> tuple[GistMemory, tuple[Hint, ...]]:
    """The memory as it fits, and hints to its pages. With hints, gists are cut short before pages are merged."""
    memory = await aged(memory, session)
    if not session.plan.hints or session.hinter is None:
        return await fit(memory, session), ()
    hints = tuple(await session.hinter.hints(memory, question))
    shown = memory if fits(memory, session) else narrowed(memory, hints, lambda short: fits(short, session))
    if shown is None:
        shown = await fit(memory, session)
        hints = tuple(await session.hinter.hints(shown, question))
    return shown, hints


def _check_window(document: Document, words: int, session: Session) -> None:
    """One page, with the prompt around it, must fit the window."""
    possible = most_words(document, session)
    if possible is not None and min(words, session.plan.page_words) > possible:
        raise UsageError(
            f"a window of {session.window.tokens} tokens cannot take a page of {session.plan.page_words} words",
            hint=f"read with pages of at most {possible // 10 * 10} words, or give a larger window"
            if possible >= 10
            else "give a larger window",
        )


def most_words(document: Document, session: Session) -> int | None:
    """The most words that a page of this document may have to fit the window; None where nobody knows."""
    if session.window.prompt is None:
        return None
    around = max(estimate_tokens(session.prompts.fill("paginate", passage="")), 100) + 100
    a_word = estimate_tokens(document.text) / max(1, document.words)
    return int((session.window.prompt - around) / a_word)
