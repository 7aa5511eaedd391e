"""Fitting a page into the window: whether a page fits, and cutting a text to what fits."""

from __future__ import annotations

from collections.abc import Callable

from readagent.core.fitting import largest
from readagent.core.model import Step
from readagent.core.session import Session
from readagent.core.trace import Fallback
from readagent.core.words import count_words
from readagent.errors import UsageError

MIN_WINDOW = 1536  # tokens; a smaller window has no room for a page next to the instruction
TEMPLATE_TOKENS = 240  # what the longest template adds to a page and a goal, with a margin

_BEGINNING, _END = "\n<page>\n", "\n</page>"


def check_window(session: Session) -> None:
    """Raise UsageError if the window has no room for a page."""
    if session.window.tokens is not None and session.window.tokens < MIN_WINDOW:
        raise UsageError(
            f"a window of {session.window.tokens} tokens is too small for web pages",
            hint=f"the minimum is {MIN_WINDOW} tokens",
        )


def page_fits(page: str, goal: str, session: Session) -> bool:
    """Return whether the longest prompt with this page and this goal fits the window."""
    return session.window.prompt is None or session.window.fits(page + goal + "." * int(3.5 * TEMPLATE_TOKENS))


def cut_to_fit(text: str, fits: Callable[[str], bool]) -> str:
    """Return as much of the beginning of a text as fits.

    It ends at the end of a line, or of a word if the first line is too long.
    """
    if fits(text):
        return text
    end = largest(len(text), lambda count: fits(text[:count])) + 1
    kept = text
    while kept and not fits(kept):  # another end can be a token more
        kept = text[: max(text.rfind("\n", 0, end), 0) or max(text.rfind(" ", 0, end), 0)].rstrip()
        end = len(kept)
    return kept


def cut_page(prompt: str, fits: Callable[[str], bool]) -> str:
    """Return as much of the beginning of a prompt with a page as fits. The fence around the page stays closed."""
    if fits(prompt):
        return prompt
    kept = cut_to_fit(prompt.removesuffix(_END), lambda text: fits(text + _END))
    return kept + _END if _BEGINNING in kept else ""


def cut_and_record(text: str, fits: Callable[[str], bool], step: Step, what: str, session: Session) -> str:
    """Cut a text to what fits, and record a fallback if something was cut off."""
    kept = cut_to_fit(text, fits)
    if len(kept) < len(text):
        session.fell_back(Fallback(step, f"{what} is too long for the window", f"its first {count_words(kept)} words"))
    return kept
