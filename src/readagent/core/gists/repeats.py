"""Find gists that several pages have in common, and ask for them once more.

Pages are compared in the order of the text when all have a gist, so it does not matter which gist came first.
"""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.concurrency import together
from readagent.core.document import Document
from readagent.core.gists.shorten import gist_page
from readagent.core.memory import Gist, Page
from readagent.core.session import Session
from readagent.core.terms import Terms, terms

_ALIKE = 0.5  # share of the terms of two pages that both have, from which the pages may have the same gist


async def without_repeats(
    document: Document, pages: Sequence[Page], gists: Sequence[Gist], session: Session
) -> tuple[Gist, ...]:
    """Return the gists, with new ones for pages that have the gist of an earlier page, or leads if these fail too."""
    texts = [document.text[page.start : page.end] for page in pages]
    again = repeats(texts, gists)
    made = await together(gist_page(session, pages[i], texts[i], unlike=gists[i].text) for i in again)
    better = dict(zip(again, made, strict=True))
    return tuple(better.get(number, gist) for number, gist in enumerate(gists))


def repeats(texts: Sequence[str], gists: Sequence[Gist]) -> list[int]:
    """Return the positions of gists that a model wrote for an earlier page too; pages that are alike may share one."""
    first: dict[Terms, str] = {}
    found = []
    for number, (text, gist) in enumerate(zip(texts, gists, strict=True)):
        own = terms(gist.text) if gist.origin == "model" else None
        if not own:
            continue
        other = first.setdefault(own, text)
        if other is not text and not _are_alike(terms(other), terms(text)):
            found.append(number)
    return found


def _are_alike(one: Terms, other: Terms) -> bool:
    return len(one & other) >= _ALIKE * len(one | other)
