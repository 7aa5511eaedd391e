"""Decide the next action of a visit in one call, from the page with the parts opened that matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from readagent.core.model import READING, Ask, Model, Reply
from readagent.core.session import Session
from readagent.core.trace import Fallback
from readagent.errors import UsageError
from readagent_browse.command import Scope
from readagent_browse.decide import command_prompt, decide_command
from readagent_browse.goal import Goal
from readagent_browse.live.observe import Observation
from readagent_browse.page_view import MIN_WINDOW
from readagent_browse.step import Step, view_page


async def decide(
    seen: Observation, goal: Goal, session: Session, files: Sequence[str] = (), picture: bytes = b""
) -> Step:
    """Return the step to take on a page, in which these files may be uploaded. The model is also shown the picture.

    Its action is None if the model named none in two replies.
    """
    session, scope = _beside(picture, session), Scope(True, True, files, seen.tabs, seen.tab)
    below = command_prompt("", "", seen.snapshot.elements, scope, picture)
    viewed = await view_page(seen.snapshot, goal, session, below)
    action, problem = await decide_command(viewed.view, goal, session, scope, picture)
    if problem:
        session.fell_back(Fallback("act", problem, "the visit ends"))
    element = seen.snapshot.element(action.element) if action is not None else None
    return viewed.step(action, element, session.trace)


def _beside(picture: bytes, session: Session) -> Session:
    """Return the session with the window that a picture leaves for words."""
    window, taken = session.window, Ask("act", "", picture=picture).picture_tokens
    if window.tokens is None or not taken:
        return session
    left = window.tokens - taken
    if left < MIN_WINDOW:
        raise UsageError(
            f"a window of {window.tokens} tokens is too small for web pages with screenshots",
            hint=f"the minimum is {MIN_WINDOW + taken} tokens; leave out `screenshots`",
        )
    return replace(session, window=replace(window, tokens=left))


class FreshDecisions:
    """Asks again where the library has the decision of an earlier visit; within a visit, equal asks share a reply."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._asked: set[tuple[str, bytes]] = set()

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._model.name

    async def complete(self, ask: Ask) -> Reply:
        """Return the reply to an ask."""
        reply, asked = await self._model.complete(ask), (ask.prompt, ask.picture)
        if ask.step not in READING and not reply.paid and asked not in self._asked:
            reply.discard()
            reply = await self._model.complete(ask)
        self._asked.add(asked)
        return reply
