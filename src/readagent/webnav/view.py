"""View: what a model is shown of a page in one prompt, the elements it can name from it, and how it is made to fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from readagent.core.model import Step
from readagent.core.session import Session
from readagent.core.trace import Fallback
from readagent.core.words import count_words
from readagent.errors import UsageError
from readagent.webnav.dom import Element, Snapshot
from readagent.webnav.snippets import Snippet
from readagent.webnav.templates import templates

LEAST_WINDOW = 1536  # tokens; in less there is no room for a page beside the instruction
ENOUGH = 240  # tokens that the longest template takes around a page and a goal, with room to spare
_TAGGED = re.compile(r"<[a-zA-Z][^\s<>]* id=([^\s<>]+)")


@dataclass(frozen=True, slots=True)
class View:
    """A page, or what is left of it, as the first part of a prompt; ``words`` are those of the page alone."""

    prompt: str
    elements: tuple[Element, ...]
    words: int


def titled(snapshot_title: str) -> str:
    """The title of a page as prompts tell it."""
    return f', titled "{" ".join(snapshot_title.split()[:20])[:160]}"' if snapshot_title else ""


def plain_view(
    snapshot: Snapshot, snippets: Sequence[Snippet], goal: str, session: Session, *, of: int | None = None
) -> View:
    """These snippets in full, one after the other; what exceeds the window is cut off, and that is recorded.

    ``of`` is how many the page has, where these are not all of them.
    """
    extent = f": {len(snippets)} of its {of} parts" if of is not None and of > len(snippets) else ""

    def fill(page: str) -> str:
        return templates().fill("page", title=titled(snapshot.title), page=page, extent=extent)

    text = fitted("\n".join(snippet.html for snippet in snippets), lambda page: room_for(fill(page), goal, session))
    whole = sum(snippet.words for snippet in snippets)
    if (words := count_words(text)) < whole:
        session.fell_back(Fallback("act", "the page is too long for the window", f"its first {words} of {whole} words"))
    shown = set(_TAGGED.findall(text))
    return View(fill(text), tuple(one for part in snippets for one in part.elements if one.id in shown), words)


def check_window(session: Session) -> None:
    """Refuse a window that leaves no room for a page."""
    if session.window.tokens is not None and session.window.tokens < LEAST_WINDOW:
        raise UsageError(
            f"a window of {session.window.tokens} tokens is too small to act on web pages with",
            hint=f"the least is {LEAST_WINDOW}",
        )


def room_for(page: str, goal: str, session: Session) -> bool:
    """Whether the longest prompt around this page fits the window."""
    return session.window.prompt is None or session.window.fits(page + goal + "." * int(3.5 * ENOUGH))


def fitted(text: str, fits: Callable[[str], bool]) -> str:
    """As much of the beginning of a text as fits, cut at the end of a line, or of a word where one line is too long."""
    if fits(text):
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(text[:middle]) else (low, middle - 1)
    return text[: max(text.rfind("\n", 0, low + 1), 0) or max(text.rfind(" ", 0, low + 1), 0)].rstrip()


def shortened(text: str, fits: Callable[[str], bool], step: Step, what: str, session: Session) -> str:
    """The same, recorded as a fallback where something had to go."""
    kept = fitted(text, fits)
    if len(kept) < len(text):
        session.fell_back(Fallback(step, f"{what} is too long for the window", f"its first {count_words(kept)} words"))
    return kept
