"""Which quotes are near a statement, by vectors and shared words: all that can be said without a model that reasons."""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.model import Embedder
from readagent.core.support.negation import content
from readagent.retrieval.vectors import vectors_of

NEAR = 0.7  # least similarity of a statement and a quote
_SHARED = 0.6  # least share of a statement's content words that the quote has


async def near_quotes(statements: Sequence[str], quotes: Sequence[str], embedder: Embedder) -> str:
    """Return a line for each statement with the quotes that are near it: ``1: near [2]``, or ``1: unknown``."""
    rows = await vectors_of([*statements, *quotes], embedder)
    similar = rows[: len(statements)] @ rows[len(statements) :].T
    lines = []
    for number, statement in enumerate(statements):
        own = content(statement)
        near = [
            str(place + 1)
            for place, quote in enumerate(quotes)
            if own and similar[number, place] >= NEAR and len(own & content(quote)) >= _SHARED * len(own)
        ]
        lines.append(f"{number + 1}: near [{', '.join(near)}]" if near else f"{number + 1}: unknown")
    return "\n".join(lines)
