"""Find pages as in the paper: label the legal places in the next ``page_words``, ask for one, continue there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from readagent.core.choice import Choice
from readagent.core.memory import Page
from readagent.core.model import Ask, Material
from readagent.core.pages.breaks import PageBreaks
from readagent.core.pages.first_calls import FirstCalls
from readagent.core.session import Session
from readagent.core.tags import escape_tags
from readagent.core.trace import Fallback

_CUES = ("break point", "breakpoint", "label", "pause", "point")


async def pause_by_pause(
    text: PageBreaks,
    start: int,
    section: int,
    previous: str,
    session: Session,
    calls: FirstCalls,
    found: Callable[[Page], None],
) -> None:
    """Find the pages of one section, from ``start`` on; ``previous`` is the text of the page before, or ""."""
    while start < section:
        async with calls:
            end = await pause(text, start, section, previous, session)
        found(text.page(0, start, end))
        previous = text.document.text[start:end]
        start = end


async def pause(text: PageBreaks, start: int, section: int, previous: str, session: Session) -> int:
    """Return the offset where the page that begins at ``start`` ends; ``section`` is the end of its section."""
    places, ask_about = text.legal(start, section)
    if len(places) == 1 or not ask_about:
        return places[-1]
    pieces = text.pieces(start, places, section)
    labels = tuple(str(label) for label in range(1, len(places) + 1))
    passage = labelled(pieces, len(labels))
    prompt = _prompt(session, passage, escape_tags(previous.strip()) if session.plan.show_previous else "")
    if prompt is None:
        session.fell_back(Fallback("paginate", "the passage does not fit the window", "the last label", at=start))
        return places[-1]
    ask = Ask("paginate", prompt, Choice(labels, cues=_CUES), Material(passages=tuple(pieces)))
    (label,) = await session.decide(ask, lambda: labels[-1:], at=start)
    return places[int(label) - 1]


def labelled(pieces: Sequence[str], count: int) -> str:
    """Return the pieces of a passage, each of the first ``count`` followed by its label: <1>, <2> and so on."""
    shown = [escape_tags(piece) for piece in pieces]
    passage = "".join(f"{piece}\n<{label}>\n" for label, piece in enumerate(shown[:count], start=1))
    return (passage + "".join(shown[count:])).strip()


def _prompt(session: Session, passage: str, previous: str) -> str | None:
    """Return the prompt, without the previous page if that does not fit; None if nothing fits."""
    for context in dict.fromkeys((previous, "")):
        prompt = session.prompts.fill("paginate", passage=passage, previous=context)
        if session.window.fits(prompt):
            return prompt
    return None
