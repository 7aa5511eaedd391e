"""PageView: what one prompt shows of a page, and the elements that a model can name from it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from readagent.core.session import Session
from readagent.core.trace import Fallback
from readagent.core.words import count_words
from readagent_browse.dom import Element, Snapshot
from readagent_browse.fitting import cut_to_fit, page_fits
from readagent_browse.snippets import Snippet
from readagent_browse.templates import page_head, templates

_TAG_WITH_ID = re.compile(r"<[a-zA-Z][^\s<>]* id=([^\s<>]+)")


@dataclass(frozen=True, slots=True)
class PageView:
    """A page, or parts of it, as the beginning of a prompt; ``words`` counts the words of the page only."""

    prompt: str
    elements: tuple[Element, ...]
    words: int


def plain_view(
    snapshot: Snapshot, snippets: Sequence[Snippet], goal: str, session: Session, *, of: int | None = None
) -> PageView:
    """Return these snippets in full, one after the other; what exceeds the window is cut off and recorded.

    ``of`` is the number of snippets of the whole page, if these are not all of them.
    """
    extent = f": {len(snippets)} of its {of} parts" if of is not None and of > len(snippets) else ""

    def fill(page: str) -> str:
        return templates().fill("page", head=page_head(snapshot.title, snapshot.url), page=page, extent=extent)

    text = cut_to_fit(
        "\n".join(snippet.html for snippet in snippets), lambda page: page_fits(fill(page), goal, session)
    )
    total = sum(snippet.words for snippet in snippets)
    if (words := count_words(text)) < total:
        session.fell_back(Fallback("act", "the page is too long for the window", f"its first {words} of {total} words"))
    shown = set(_TAG_WITH_ID.findall(text))
    elements = (element for snippet in snippets for element in snippet.elements if element.id in shown)
    return PageView(fill(text), tuple(elements), words)
