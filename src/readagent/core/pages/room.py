"""How many words a page may have so that it fits the window together with its prompt."""

from __future__ import annotations

from readagent.core.document import Document
from readagent.core.session import Session
from readagent.errors import UsageError


def max_page_words(document: Document, session: Session) -> int | None:
    """Return the maximum words of a page of this document, or None if the window is unknown."""
    if session.window.prompt is None:
        return None
    around = max(session.window.count(session.prompts.fill("paginate", passage="")), 100) + 100
    a_word = session.window.count(document.text) / max(1, document.words)
    return int((session.window.prompt - around) / a_word)


def check_page_fits(document: Document, words: int, session: Session) -> None:
    """Raise UsageError if a page of the plan's size does not fit the window; ``words`` are those of the document."""
    possible = max_page_words(document, session)
    if possible is not None and min(words, session.plan.page_words) > possible:
        raise UsageError(
            f"a window of {session.window.tokens} tokens cannot take a page of {session.plan.page_words} words",
            hint=f"use pages of at most {possible // 10 * 10} words, or a larger window"
            if possible >= 10
            else "use a larger window",
        )
