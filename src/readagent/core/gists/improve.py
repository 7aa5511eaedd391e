"""Improve gists: the model rewrites the gists of some pages, with a note from the user."""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.concurrency import together
from readagent.core.events import GistDone, Improving
from readagent.core.gists.measure import Measure
from readagent.core.gists.pinning import page_of
from readagent.core.gists.shorten import Earlier, gist_prompt, shorten, split_to_fit
from readagent.core.memory import Gist, GistMemory
from readagent.core.session import Session
from readagent.core.trace import Fallback
from readagent.core.words import count_words, lead
from readagent.errors import UsageError

_KEPT = "the gist as it was"
_LEAST = 10  # minimum words for the gist of a part, or of a merged page, whose gist must not grow


async def improve(memory: GistMemory, numbers: Sequence[int], session: Session, note: str = "") -> dict[int, Gist]:
    """Return new gists of these pages, by page number; ``note`` tells the model what matters.

    A page is left out if the model returned nothing usable, and the reason is recorded.
    """
    chosen = sorted({page_of(memory, number).number for number in numbers})
    session.emit(Improving(len(chosen)))
    made = await together(_improve(memory, number, session, note) for number in chosen)
    return {number: gist for number, gist in zip(chosen, made, strict=True) if gist is not None}


async def _improve(memory: GistMemory, number: int, session: Session, note: str) -> Gist | None:
    """Return a new gist of one page, made of parts if the page is too long for the window; None if it is useless."""
    text, gist = memory.page_text(number).strip(), memory.gists[number]
    merged = memory.window is not None and not session.plan.gist_words
    limit = max(_LEAST, Measure.of(text).length(gist.text)) if merged else None
    earlier = _earlier(session, gist, limit, note.strip())
    pieces, words, made, problem = split_to_fit(session, text, limit, earlier), count_words(text), list[str](), ""
    for piece in pieces:
        share = None if limit is None else max(_LEAST, limit * count_words(piece) // max(1, words))
        shortened, problem = await shorten(session, piece, share, earlier)
        if problem:
            break
        made.append(shortened)
    whole = " ".join(made)
    if not problem and whole == gist.text.strip():
        problem = "it was the same gist again"
    session.emit(GistDone(number))
    if problem:
        session.fell_back(Fallback("gist", problem, _KEPT, number))
        return None
    return Gist(whole, count_words(whole))


def _earlier(session: Session, gist: Gist, limit: int | None, note: str) -> Earlier:
    """Return what to show of the gist and the note: as much of the gist as leaves half of the prompt free."""
    words = gist.words
    half = None if session.window.prompt is None else session.window.prompt // 2
    while True:
        earlier = Earlier(gist.text if words >= gist.words else lead(gist.text, words), note)
        if half is None or session.window.count(gist_prompt(session, "", limit, earlier)) <= half:
            return earlier
        if words <= 1:
            raise UsageError(
                f"the note is too long for a window of {session.window.tokens} tokens", hint="shorten the note"
            )
        words = words * 3 // 4
