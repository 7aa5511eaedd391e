"""One answer from several documents: pages are looked up in all of them, and what it cites is led back to its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from readagent.core.asking.hints import narrowed
from readagent.core.gists.merge import fits
from readagent.core.question import Answer, Question
from readagent.core.reading import ask
from readagent.core.session import Session
from readagent.core.shelf.joined import Bound, Member, bind
from readagent.core.shelf.records import Citation, ShelfAnswer


async def ask_several(members: Sequence[Member], question: Question, session: Session) -> ShelfAnswer:
    """One answer from these documents: pages are looked up in all of them, and each quote is led back to its own.

    Where the gists of all are too long for the window, a search says which are shown whole and which by their
    beginnings; where even that is too long, the documents named last are left out.
    """
    bound = within_room(members, session)
    if len(bound.members) == 1:
        answer = await ask_one(bound.members[0], question, session)
    else:
        hints = session.plan.hints or not fits(bound.memory, session)
        answer = await ask(bound.memory, question, replace(session, plan=replace(session.plan, hints=hints)))
    cited = [bound.cited(quote) for quote in answer.quotes]
    quotes = tuple(one for one in cited if one is not None)
    return ShelfAnswer(
        question,
        answer.text,
        answer.choice,
        tuple(member.card for member in bound.members),
        tuple(member.card for member in members[len(bound.members) :]),
        pages=bound.pages(answer.pages),
        did_not_fit=bound.pages(answer.did_not_fit),
        quotes=quotes,
        false_quotes=answer.false_quotes + sum(not quote.by_us for quote in answer.quotes) - _own(quotes),
        found_in_text=answer.found_in_text,
        words=round((1 - answer.compression) * bound.memory.full_words),
        trace=session.trace,
    )


async def ask_one(member: Member, question: Question, session: Session) -> Answer:
    """An answer from one document alone, its pages numbered as before any were merged."""
    return await ask(member.memory, question, session, as_in=member.whole)


def _own(quotes: Sequence[Citation]) -> int:
    """How many quotes are the model's own."""
    return sum(not cited.quote.by_us for cited in quotes)


def within_room(members: Sequence[Member], session: Session) -> Bound:
    """As many of the documents, the first ones first, as can be shown side by side with all their pages."""
    for count in range(len(members), 1, -1):
        bound = bind(members[:count], session.plan)
        if fits(bound.memory, session) or narrowed(bound.memory, (), lambda memory: fits(memory, session)) is not None:
            return bound
    return bind(members[:1], session.plan)
