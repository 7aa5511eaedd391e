"""Find out by the first window of a text whether the model can read in one pass; if not, two steps read all of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from itertools import pairwise

from readagent.core.document import Document
from readagent.core.gists.pinning import Span
from readagent.core.model import Reply
from readagent.core.pages.breaks import PageBreaks
from readagent.core.pages.one_pass import (
    Piece,
    Windows,
    divided_evenly,
    is_asked,
    is_one_page,
    runs,
    tried_window,
    window_room,
)
from readagent.core.pages.windows import cut_windows, label_places
from readagent.core.plan import Mode, Plan
from readagent.core.prompts import Prompts
from readagent.core.session import Session
from readagent.core.trace import Fallback

TWO_STEPS = "two steps: where each page ends, then its gist"
_ENOUGH = 0.5  # share of the words of a window that must be on pages that can be used
_OF_THE_TEXT = ("refused", "filtered")  # ends of replies that say nothing about other texts


@dataclass(frozen=True, slots=True)
class Settled:
    """A session whose plan has the mode to read in, and the ``windows`` that were read to find that out."""

    session: Session
    windows: Windows = field(default_factory=dict)


def needs_two_steps(plan: Plan, prompts: Prompts) -> bool:
    """Return whether the plan or the prompts ask for something that one pass does not have.

    It asks for no pauses one by one, so it shows no previous page, and it does not use prompts for pages or gists.
    """
    return plan.pauses == "uniform" or plan.show_previous or not prompts.one_pass


async def settle(document: Document, session: Session, pinned: Collection[Span] = ()) -> Settled:
    """Return a session in the mode ``fast`` or ``paper``. A plan in the mode ``auto`` is tried in one pass first.

    If the first window has no page that can be used, that is recorded with the reason, and the whole text is read in
    two steps. Later readings begin with what was found, unless it is due to the text.
    """
    if session.plan.mode != "auto":
        return Settled(session)
    one_pass, two_steps = _in_mode(session, "fast"), _in_mode(session, "paper")
    if needs_two_steps(session.plan, session.prompts):
        return Settled(two_steps)
    text = PageBreaks(document, one_pass.plan, pinned)
    window = _first_window(text, one_pass)
    if window is None:
        return Settled(two_steps)
    async with session.modes.trying:
        if session.modes.found is not None:
            return Settled(one_pass if session.modes.found == "fast" else two_steps)
        problems: list[tuple[str, Reply, int]] = []
        pieces = await tried_window(text, *window, one_pass, lambda *problem: problems.append(problem))
        words, usable = text.index.count(*window), _usable_words(text, window[0], pieces)
        if usable >= _ENOUGH * words:
            session.modes.tried(usable=True)
            for problem, _, at in problems:
                session.fell_back(divided_evenly(problem, at))
            return Settled(one_pass, {window: pieces})
        if not any(reply.finish in _OF_THE_TEXT for _, reply, _ in problems):
            session.modes.tried(usable=False)
        few = f"{usable:,} of {words:,} words were on pages that can be used"
        session.fell_back(Fallback("mode", problems[0][0] if problems else few, TWO_STEPS))
        return Settled(two_steps)


def _in_mode(session: Session, mode: Mode) -> Session:
    return replace(session, plan=replace(session.plan, mode=mode))


def _first_window(text: PageBreaks, session: Session) -> Span | None:
    """Return the first window that the model is asked about in one pass; None if there is none, or no room for it."""
    room = window_room(text, session)
    if room is None:
        return None
    for start, end in runs(list(pairwise([0, *text.sections])), text.pinned):
        if not is_one_page(text, start, end):
            for window in cut_windows(text, start, end, room):
                if is_asked(text, *window, label_places(text, *window)[0]):
                    return window
    return None


def _usable_words(text: PageBreaks, start: int, pieces: list[Piece]) -> int:
    """Return how many words are on pages that have a gist and are not too long."""
    usable = 0
    for piece in pieces:
        words = text.index.count(start, piece.end)
        usable += words if piece.gist and words <= text.plan.page_words else 0
        start = piece.end
    return usable
