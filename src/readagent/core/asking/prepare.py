"""Prepare a question: shorten or merge the memory until it fits, find hints, and add the earlier turns that fit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from readagent.core.asking.hints import shorten_gists
from readagent.core.asking.situation import Situation
from readagent.core.asking.zoom import zoom
from readagent.core.gists.ageing import shorten_older
from readagent.core.gists.merge import fit, fits
from readagent.core.memory import GistMemory
from readagent.core.model import Hint
from readagent.core.question import Question, Turn
from readagent.core.session import Session
from readagent.errors import UsageError

Fit = Callable[[GistMemory, Session], Awaitable[GistMemory]]


async def shorten_and_fit(memory: GistMemory, session: Session) -> GistMemory:
    """Return the memory with older gists shortened as the plan says, and pages merged until it fits the window."""
    return await fit(await shorten_older(memory, session), session)


async def prepare(
    memory: GistMemory,
    question: Question,
    session: Session,
    history: Sequence[Turn] = (),
    fit_memory: Fit = shorten_and_fit,
) -> Situation:
    """Return the question with a memory that fits the window, and as many of the latest turns as fit.

    ``fit_memory`` makes a memory fit where no hints are shown; one that knows a library need not merge pages again.
    """
    turns = _turns(question, session, history)
    if session.plan.hints and session.hinter is not None:
        memory, hints = await _fit_with_hints(memory, question, session)
    else:
        memory, hints = await fit_memory(memory, session), ()
    shown = await zoom(Situation(memory, question, turns, hints), session)
    if shown is not memory and hints and session.hinter is not None:
        hints = tuple(await session.hinter.hints(shown, question))
    return Situation(shown, question, turns, hints)


def _turns(question: Question, session: Session, history: Sequence[Turn]) -> str:
    """Return the latest turns that fit next to the question, as text."""
    room = session.window.question - session.window.count(question.shown())
    if room < 0 and session.window.tokens is not None:
        raise UsageError(
            f"the question is too long for a window of {session.window.tokens} tokens",
            hint=f"shorten it to about {session.window.question * 2 // 3} words, or use a model with a larger window",
        )
    shown: list[str] = []
    for turn in reversed(history):
        text = f"Question: {turn.question}\nAnswer: {turn.answer}"
        room -= session.window.count(text)
        if room < 0:
            break
        shown.insert(0, text)
    return "\n\n".join(shown)


async def _fit_with_hints(
    memory: GistMemory, question: Question, session: Session
) -> tuple[GistMemory, tuple[Hint, ...]]:
    """Return the memory as it fits, and hints to its pages. Gists are cut before pages are merged."""
    assert session.hinter is not None
    memory = await shorten_older(memory, session)
    hints = tuple(await session.hinter.hints(memory, question))
    shown = memory if fits(memory, session) else shorten_gists(memory, hints, lambda short: fits(short, session))
    if shown is None:
        shown = await fit(memory, session)
        hints = tuple(await session.hinter.hints(shown, question))
    return shown, hints
