"""Prepare a question: fit the memory to the window, go down its tree, find hints, and add the turns that fit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from readagent.core.asking.descent import go_down
from readagent.core.asking.hints import find_hints
from readagent.core.asking.situation import Situation
from readagent.core.gists.ageing import shorten_older
from readagent.core.gists.merge import fit, fits
from readagent.core.memory import GistMemory
from readagent.core.question import Question, Turn
from readagent.core.session import Session
from readagent.errors import UsageError

Fit = Callable[[GistMemory, Session], Awaitable[GistMemory]]


async def shorten_and_fit(memory: GistMemory, session: Session) -> GistMemory:
    """Return the memory with older gists shortened as the plan says, and with a tree above it if it is too long."""
    return await fit(await shorten_older(memory, session), session)


async def prepare(
    memory: GistMemory,
    question: Question,
    session: Session,
    history: Sequence[Turn] = (),
    fit_memory: Fit = shorten_and_fit,
) -> Situation:
    """Return the question with a memory that fits the window, and as many of the latest turns as fit.

    ``fit_memory`` makes the memory fit the window; one that knows a library need not merge pages again.
    """
    turns, before = _turns(question, session, history), len(session.trace.calls)
    memory = await fit_memory(memory, session)
    too_long = memory.window is not None or not fits(memory, session)
    situation = Situation(memory, question, turns, may_cut=too_long, before=before)
    shown = await go_down(situation, session)
    if shown is not situation or not (too_long if session.plan.hints is None else session.plan.hints):
        return shown
    return replace(situation, hints=await find_hints(memory, question, session.hinter))


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
