"""A question, its answer and its quotes as HTML, for the exports that are made of it."""

from __future__ import annotations

from collections.abc import Callable

from readagent.core.markup import marked_up
from readagent.core.memory import GistMemory
from readagent.core.places import page_name
from readagent.library import evidence
from readagent.library.rows import KeptAnswer


def exchange(answer: KeptAnswer, memory: GistMemory, heading: str, address: Callable[[int], str]) -> str:
    """Return a section under a ``heading`` such as h2; quotes link to the ``address`` of a page counted from 1."""
    parts = [f"<{heading}>{marked_up(answer.question.text)}</{heading}><p>{marked_up(answer.text)}</p>"]
    if near := evidence.heading(answer.quotes, answer.found_in_text):
        parts.append(f"<p><small>{near}</small></p>")
    for quote in answer.quotes:
        place = marked_up(page_name(quote.page, quote.place))
        link = f'<a href="{address(memory.page_at(quote.start) + 1)}">{place}</a>'
        parts.append(f"<blockquote><p>{marked_up(quote.text)} <small>{link}</small></p></blockquote>")
    parts += [f"<p><small>{marked_up(one)}</small></p>" for one in evidence.notes(answer)]
    return f"<section>{''.join(parts)}</section>"
