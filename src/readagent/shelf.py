"""AsyncShelf: many documents read through one memory of memories. Cards say which to read, then pages are looked up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from readagent.agent import AsyncReadAgent
from readagent.core.document import Document
from readagent.core.events import Listener, deaf
from readagent.core.memory import GistMemory, reading_key
from readagent.core.model import Embedder
from readagent.core.plan import LookUp
from readagent.core.question import Question
from readagent.core.shelf.ask import ask_several
from readagent.core.shelf.cards import card_of, gists_key
from readagent.core.shelf.choose import MOST_SHOWN, choose
from readagent.core.shelf.compare import MOST_COMPARED, compare_all
from readagent.core.shelf.joined import Member
from readagent.core.shelf.records import Card, ShelfAnswer
from readagent.core.trace import Fallback
from readagent.core.window import Window
from readagent.embedded.local import local_embedder
from readagent.errors import LibraryError, NotInLibraryError, UsageError
from readagent.keeping import Keeping
from readagent.library import Library
from readagent.retrieval.cards import card_text, fuse_rankings, rank_by_meaning
from readagent.retrieval.terms import content_words

_READ = 4  # documents that are read for a question, at most
_COMPARED = 20  # documents that are compared, at most


class AsyncShelf:
    """The shelf of this name in the agent's library; it is made when a first document is put on it.

    ``embedder`` finds cards by their meaning; without one, the embedded weights do where they are there.
    """

    def __init__(self, agent: AsyncReadAgent, name: str, *, embedder: Embedder | None = None) -> None:
        if agent.library is None:
            raise UsageError("a shelf needs a library", hint='as in ReadAgent(…, library=Library("my-library"))')
        self.agent = agent
        self.name = " ".join(name.split())
        self._library: Library = agent.library
        self._embedder = embedder or local_embedder(agent.settings.home, agent.library)

    async def add(self, document: Document | GistMemory, *, kind: str = "", listen: Listener = deaf) -> Card:
        """Put a document on the shelf. It is read if it was not, and its card is made if it has none of its gists.

        ``kind`` is what kind of text it is, such as "contract", where the document itself does not say.
        """
        shelves = self._library.shelves
        memory = await self._whole(document, listen)
        known = shelves.card(memory.document.id, memory.key)
        if known is not None and known.gists == gists_key(memory):
            card = known
        else:
            card = await self._card(memory, kind or (known.kind if known is not None else ""), listen)
        if kind:
            card = replace(card, kind=kind)
        if card != known:
            shelves.keep_card(memory.key, card)
        if all(row.name != self.name for row in shelves.all()):
            shelves.new(self.name)
        shelves.put(self.name, card.document)
        if self._embedder is not None:
            await self._embedder.embed([card_text(card)])  # kept, so that asking is quick
        return card

    def cards(self) -> list[Card]:
        """The cards of all documents on the shelf, in the order in which they were put there."""
        return self._library.shelves.cards(self.name)

    def remove(self, document_id: str) -> None:
        """Take a document off the shelf; it stays in the library."""
        self._library.shelves.take_off(self.name, document_id)

    async def ask(
        self,
        question: str | Question,
        *,
        compare: bool = False,
        documents: int | None = None,
        look_up: LookUp | None = None,
        max_pages: int | None = None,
        quotes: bool | None = None,
        hints: bool | None = None,
        listen: Listener = deaf,
    ) -> ShelfAnswer:
        """One answer from the documents that bear on a question, each page and quote with the document it stands in.

        At most ``documents`` are read for it: 4, or 20 where they are compared. With ``compare`` each of them is asked
        for one line, and the answer is made of these. The rest is as in ``AsyncReadAgent.ask``. Answers are kept.
        """
        asked = Question(question) if isinstance(question, str) else question
        most = _most(documents, compare)
        given: dict[str, Any] = {"look_up": look_up, "max_pages": max_pages, "quotes": quotes, "hints": hints}
        given = {name: value for name, value in given.items() if value is not None}
        cards = self.cards()
        if not cards:
            raise NotInLibraryError(
                f"nothing stands on the shelf {self.name!r}", hint=f"readagent shelf add {self.name} FILE"
            )
        nearest = await self.nearest(asked, cards)

        async def attempt(window: Window) -> tuple[ShelfAnswer, str]:
            session = await self.agent.session(replace(self.agent.plan, hints=True), window=window, listen=listen)
            chosen = await choose(cards, asked, session, most=most, nearest=nearest)
            members = await self._members(chosen, listen)
            session = replace(session, plan=replace(members[0].memory.plan, **given))
            answer = await (compare_all if compare else ask_several)(members, asked, session)
            return replace(answer, among=len(cards)), session.model.name

        return self._kept(*await self.agent.within_window(attempt))

    async def nearest(self, question: Question, cards: Sequence[Card]) -> list[int]:
        """Places of the cards that a search finds for a question, the nearest first: by words, and by meaning.

        Words are looked for in the cards and in the pages of the documents; vectors, where there are any, are of cards.
        """
        rankings = [*self._library.shelves.search(self.name, content_words(question.shown()), MOST_SHOWN)]
        if self._embedder is not None:
            rankings.append(await rank_by_meaning(cards, question, self._embedder, MOST_SHOWN))
        places = {card.document: place for place, card in enumerate(cards)}
        return [places[document] for document in fuse_rankings(rankings) if document in places]

    async def _whole(self, document: Document | GistMemory, listen: Listener) -> GistMemory:
        """The memory of a document before any pages were merged, as it is in the library; read now if need be."""
        if isinstance(document, GistMemory):
            key = reading_key(document.plan, document.prompts, document.model)
            return self._library.memory(document.document.id, key=key) or Keeping(self._library).keep(document)
        self._library.add(document, current=True)
        known = await self.agent.recall(document.id, merge=False, listen=listen)
        return known or await self.agent.read(document, merge=False, listen=listen)

    async def _card(self, memory: GistMemory, kind: str, listen: Listener) -> Card:
        async def attempt(window: Window) -> Card:
            session = await self.agent.session(memory.plan, window=window, listen=listen, keep_text=False)
            return await card_of(memory, session, kind=kind)

        return await self.agent.within_window(attempt)

    async def _members(self, cards: Sequence[Card], listen: Listener) -> list[Member]:
        """The memories of these documents, made to fit this model's window; those made for a task where it is all."""
        members = []
        for card in cards:
            row = self._library.row(card.document)
            for task in ("", *(row.tasks if row is not None else ())):
                memory = await self.agent.recall(card.document, task=task, listen=listen)
                if memory is not None:
                    members.append(Member(card, memory))
                    break
        if not members:
            raise NotInLibraryError(f"what was chosen from the shelf {self.name!r} was removed meanwhile")
        return members

    def _kept(self, answer: ShelfAnswer, model: str) -> ShelfAnswer:
        try:
            self._library.shelves.keep_answer(self.name, answer, model=model)
        except LibraryError as error:  # the answer is there and paid for: better not kept than lost
            answer.trace.fallbacks.append(Fallback("keep", str(error), "the answer, which is not in the library"))
        return answer


def _most(documents: int | None, compare: bool) -> int:
    """How many documents are read at most."""
    most = (_COMPARED if compare else _READ) if documents is None else documents
    if most < 1 or (compare and most > MOST_COMPARED):
        raise UsageError(
            f"{most} documents cannot be {'compared' if compare else 'read'} for a question",
            hint=f"give 1 to {MOST_COMPARED}" if compare else "give 1 or more",
        )
    return most
