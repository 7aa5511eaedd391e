"""Answer a question from several documents at once; pages and quotes refer to the documents they are from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from readagent.core.asking.passages import choose_passages
from readagent.core.asking.prepare import shorten_and_fit
from readagent.core.asking.shortening import shorten_gists
from readagent.core.gists.merge import fit, needs_parts
from readagent.core.memory import GistMemory
from readagent.core.question import Answer, Question, Turn
from readagent.core.reading import ask
from readagent.core.session import Session
from readagent.core.shelf.joined import JoinedMemory, Member, join
from readagent.core.shelf.records import Citation, ShelfAnswer


async def ask_several(
    members: Sequence[Member], question: Question, session: Session, history: Sequence[Turn] = ()
) -> ShelfAnswer:
    """Return one answer from these documents; pages and quotes are numbered as in their own documents.

    A memory that is too long for the window alone is a tree, and parts can be looked into in all of them. If the tops
    of the trees and the other gists are too long together, they are cut, except those that a search finds; if that is
    still too long, the last documents are left out.
    """
    joined = await _joined(members, session)
    if len(joined.members) == 1:
        answer = await ask_one(joined.members[0], question, session, history)
    else:
        answer = await ask(joined.memory, question, session, history, as_in=joined.memory.whole, fit_memory=_unchanged)
    cited = [joined.cite(quote) for quote in answer.quotes]
    quotes = tuple(one for one in cited if one is not None)
    return ShelfAnswer(
        question,
        answer.text,
        answer.choice,
        tuple(member.card for member in joined.members),
        tuple(member.card for member in members[len(joined.members) :]),
        pages=joined.pages(answer.pages),
        did_not_fit=joined.pages(answer.did_not_fit),
        quotes=quotes,
        false_quotes=answer.false_quotes + sum(not quote.by_us for quote in answer.quotes) - _own(quotes),
        found_in_text=answer.found_in_text,
        words=round((1 - answer.compression) * joined.memory.full_words),
        trace=session.trace,
        support=answer.support.with_quotes([at for at, one in enumerate(cited) if one is not None]),
        searched=answer.searched,
    )


async def look_up_in_several(
    members: Sequence[Member], question: Question, session: Session, history: Sequence[Turn] = ()
) -> tuple[Citation, ...]:
    """Return the pages of these documents that matter to a question, as passages, without answering it."""
    joined = await _joined(members, session)
    fit_memory = shorten_and_fit if len(joined.members) == 1 else _unchanged
    found = await choose_passages(joined.memory, question, session, history, fit_memory=fit_memory)
    return tuple(cited for one in found if (cited := joined.cite(one)) is not None)


async def _joined(members: Sequence[Member], session: Session) -> JoinedMemory:
    return join_fitting([replace(member, memory=await fit(member.memory, session)) for member in members], session)


async def ask_one(member: Member, question: Question, session: Session, history: Sequence[Turn] = ()) -> Answer:
    """Return an answer from one document, with pages numbered as before any were merged."""
    return await ask(member.memory, question, session, history, as_in=member.whole)


async def _unchanged(memory: GistMemory, session: Session) -> GistMemory:
    """Return a joined memory as it is: its members have been fitted to the window."""
    return memory


def _own(quotes: Sequence[Citation]) -> int:
    """Return how many quotes are the model's."""
    return sum(not cited.quote.by_us for cited in quotes)


def join_fitting(members: Sequence[Member], session: Session) -> JoinedMemory:
    """Return the joined memory of as many documents, from the first on, as one prompt holds with their gists cut."""
    for count in range(len(members), 1, -1):
        joined = join(members[:count], session.plan)
        if shorten_gists(joined.memory, (), lambda memory: not needs_parts(memory, session)):
            return joined
    return join(members[:1], session.plan)
