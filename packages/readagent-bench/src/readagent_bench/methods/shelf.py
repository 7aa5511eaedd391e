"""All documents of the run on one shelf: the model chooses documents by their cards, then pages."""

from __future__ import annotations

from dataclasses import dataclass, replace

from readagent.core.concurrency import together
from readagent.core.document import Document
from readagent.core.question import Question
from readagent.core.shelf.ask import Member, ask_several
from readagent.core.shelf.cards import MOST_SHOWN, card_of, catalogue, choose
from readagent.core.shelf.shelf_answer import Card
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.errors import ReadAgentError
from readagent.retrieval.bm25 import Bm25
from readagent.retrieval.hints import fuse_rankings
from readagent_bench.example import Asked, Outcome, Preparation
from readagent_bench.reading import ReadingContext

RIGHT, WRONG = "the right document was chosen", "the right document was not chosen"
_SHELF = Document("", ())  # the key of what is made once for all documents


@dataclass(frozen=True, slots=True)
class Shelved:
    """The documents of a run, the work done for each, and an index of their words."""

    members: tuple[Member, ...]
    prepared: dict[str, Preparation]
    words: Bm25


@dataclass(frozen=True, slots=True)
class ShelfMethod:
    """Opens up to ``most`` documents per question."""

    most: int

    @property
    def name(self) -> str:
        return f"shelf:{self.most}"

    @property
    def title(self) -> str:
        return f"Shelf, {'1 document' if self.most == 1 else f'1-{self.most} documents'}"

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        try:
            shelf = await context.once(_SHELF, "shelf", lambda: _shelved(context, asked.document))
        except ReadAgentError:
            context.used = context.cost_so_far(asked.document)
            raise
        context.used = shelf.prepared.get(asked.document.id)
        nearest = await _nearest(shelf, asked.question, context)
        members = {member.card.document: member for member in shelf.members}

        async def attempt(window: Window) -> Outcome:
            session = await context.session(window=window)
            cards = [member.card for member in shelf.members]
            chosen = await choose(cards, asked.question, session, most=self.most, nearest=nearest)
            answer = await ask_several([members[card.document] for card in chosen], asked.question, session)
            pages = tuple(page.page for page in answer.pages if page.document == asked.document.id)
            note = RIGHT if any(card.document == asked.document.id for card in answer.documents) else WRONG
            done = shelf.prepared.get(asked.document.id)
            return Outcome(answer.text, answer.choice, pages, answer.words, done, (note,))

        return await context.agent.connection.within_window(attempt)


async def _shelved(context: ReadingContext, document: Document) -> Shelved:
    """Read every document of the run and make its card."""
    documents = {one.id: one for one in (*context.documents, document) if one.words}
    made = await together(_member(context, one) for one in documents.values())
    words = Bm25([one.text for one in documents.values()])
    return Shelved(tuple(one for one, _ in made), {one.card.document: done for one, done in made}, words)


async def _member(context: ReadingContext, document: Document) -> tuple[Member, Preparation]:
    memories = await context.memories(document)

    async def attempt(window: Window) -> tuple[Card, Trace]:
        session = await context.agent.session(context.plan, window=window, listen=context.listen)
        return await card_of(memories.whole, session), session.trace

    card, carded = await context.agent.connection.within_window(attempt)
    read = memories.fitted.trace
    trace = Trace(True, [*read.calls, *carded.calls], [*read.fallbacks, *carded.fallbacks])
    fitted = replace(memories.fitted, trace=trace)
    return Member(card, fitted), Preparation(trace, fitted, memories.whole)


async def _nearest(shelf: Shelved, question: Question, context: ReadingContext) -> list[int]:
    """Return the indices of the documents, ranked by a search in their cards and in their words."""
    hints = await context.hinter.hints(catalogue([member.card for member in shelf.members]), question)
    scores = shelf.words.scores(question.shown())
    by_words = sorted((place for place, score in enumerate(scores) if score), key=lambda place: -scores[place])
    rankings = ([hint.page for hint in hints if hint.score > 0], by_words)
    return [int(place) for place in fuse_rankings([list(map(str, some[:MOST_SHOWN])) for some in rankings])]


def make(kind: str, number: int) -> ShelfMethod:
    return ShelfMethod(number)
