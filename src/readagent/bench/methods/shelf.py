"""All documents of the run on one shelf: which of them bear on the question is chosen from cards, then pages."""

from __future__ import annotations

from dataclasses import dataclass, replace

from readagent.bench.desk import Desk
from readagent.bench.example import Outcome, Studied
from readagent.core.concurrency import together
from readagent.core.document import Document
from readagent.core.question import Question
from readagent.core.shelf.ask import ask_several
from readagent.core.shelf.cards import card_of
from readagent.core.shelf.choose import MOST_SHOWN, catalogue, choose
from readagent.core.shelf.joined import Member
from readagent.core.shelf.records import Card
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.retrieval.bm25 import Bm25
from readagent.retrieval.cards import fuse_rankings

RIGHT, WRONG = "the right document was chosen", "the right document was not chosen"
_SHELF = Document("", ())  # what belongs to no document alone is kept under


@dataclass(frozen=True, slots=True)
class Shelved:
    """The documents of a run, what reading each took with its card, and an index of all their words."""

    members: tuple[Member, ...]
    studied: dict[str, Studied]
    words: Bm25


@dataclass(frozen=True, slots=True)
class ShelfMethod:
    """``most`` documents are read for a question, at most."""

    most: int

    @property
    def name(self) -> str:
        return f"shelf:{self.most}"

    @property
    def title(self) -> str:
        return f"Shelf, {'1 document' if self.most == 1 else f'1-{self.most} documents'}"

    async def answer(self, document: Document, question: Question, desk: Desk) -> Outcome:
        shelf = await desk.once(_SHELF, "shelf", lambda: _shelved(desk, document))
        nearest = await _nearest(shelf, question, desk)
        members = {member.card.document: member for member in shelf.members}

        async def attempt(window: Window) -> Outcome:
            session = await desk.session(window=window)
            cards = [member.card for member in shelf.members]
            chosen = await choose(cards, question, session, most=self.most, nearest=nearest)
            answer = await ask_several([members[card.document] for card in chosen], question, session)
            pages = tuple(page.page for page in answer.pages if page.document == document.id)
            note = RIGHT if any(card.document == document.id for card in answer.documents) else WRONG
            return Outcome(answer.text, answer.choice, pages, answer.words, shelf.studied.get(document.id), (note,))

        return await desk.agent.within_window(attempt)


async def _shelved(desk: Desk, document: Document) -> Shelved:
    """Every document of the run, read and with its card."""
    documents = {one.id: one for one in (*desk.documents, document) if one.words}
    made = await together(_member(desk, one) for one in documents.values())
    words = Bm25([one.text for one in documents.values()])
    return Shelved(tuple(one for one, _ in made), {one.card.document: studied for one, studied in made}, words)


async def _member(desk: Desk, document: Document) -> tuple[Member, Studied]:
    memories = await desk.memories(document)

    async def attempt(window: Window) -> tuple[Card, Trace]:
        session = await desk.agent.session(desk.plan, window=window)
        return await card_of(memories.whole, session), session.trace

    card, carded = await desk.agent.within_window(attempt)
    read = memories.fitted.trace
    trace = Trace(True, [*read.calls, *carded.calls], [*read.fallbacks, *carded.fallbacks])
    fitted = replace(memories.fitted, trace=trace)
    return Member(card, fitted), Studied(trace, fitted, memories.whole)


async def _nearest(shelf: Shelved, question: Question, desk: Desk) -> list[int]:
    """Places of the documents, as a search in their cards and in all their words ranks them."""
    hints = await desk.hinter.hints(catalogue([member.card for member in shelf.members]), question)
    scores = shelf.words.scores(question.shown())
    by_words = sorted((place for place, score in enumerate(scores) if score), key=lambda place: -scores[place])
    rankings = ([hint.page for hint in hints if hint.score > 0], by_words)
    return [int(place) for place in fuse_rankings([list(map(str, some[:MOST_SHOWN])) for some in rankings])]


def make(kind: str, number: int) -> ShelfMethod:
    return ShelfMethod(number)
