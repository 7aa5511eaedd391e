"""AsyncShelf: many documents asked at once. Their cards say which of them to open, then pages are looked up."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from shlex import quote
from typing import Any, TypeVar, Unpack

from readagent.agent import AsyncReadAgent
from readagent.core.asking.position import memory_up_to, position
from readagent.core.asking.snippets import found_in
from readagent.core.document import Document
from readagent.core.escaping import excerpt
from readagent.core.memory import GistMemory, reading_key
from readagent.core.model import Embedder
from readagent.core.overviews.global_questions import answer_over_shelf
from readagent.core.overviews.shelf_summary import ShelfSummary, summarize_shelf
from readagent.core.question import Question, Turn, as_question
from readagent.core.session import Session, Unusable
from readagent.core.shelf.ask import Member, ask_several, look_up_in_several
from readagent.core.shelf.cards import MOST_SHOWN, card_of, choose, gists_key
from readagent.core.shelf.compare import MOST_COMPARED, compare_all
from readagent.core.shelf.shelf_answer import Card, Citation, ShelfAnswer
from readagent.core.trace import Fallback, Listener, Trace, calls_about, ignore
from readagent.core.window import Window
from readagent.embedded.local import local_embedder
from readagent.errors import LibraryError, NotInLibraryError, ReadAgentError, UsageError
from readagent.memories import Memories
from readagent.options import ShelfOptions, check_options, plan_with, turns
from readagent.overviews import estimates_name, require_model
from readagent.retrieval.bm25 import content_words
from readagent.retrieval.hints import card_text, fuse_rankings, rank_by_meaning, search_texts
from readagent.source import ForEach, ListenToAll, S, Source, document_of, ignore_all
from readagent.stream import AsyncTextStream

T = TypeVar("T")

_READ = 4  # documents opened for a question, at most
_COMPARED = 20  # documents compared, at most
_MANY = 1000  # documents on a shelf; if there are more, only the cards that a search finds are loaded
_FOUND = 3 * MOST_SHOWN  # documents that a search finds among many
_PASSAGES = 16  # documents whose nearest words are shown


class AsyncShelf:
    """The shelf of this name in the agent's library. Adding the first document creates it.

    ``embedder`` finds cards by meaning; without one, the embedded weights do where they are installed.
    """

    def __init__(self, agent: AsyncReadAgent, name: str, *, embedder: Embedder | None = None) -> None:
        self.agent = agent
        self.name = " ".join(name.split())
        if not self.name:
            raise UsageError("a shelf needs a name")
        self._library = agent.library
        self._embedder = embedder or local_embedder(agent.settings.home, agent.library)

    def __repr__(self) -> str:
        return f"<Shelf {excerpt(self.name)!r}>"

    async def add(self, source: Source | GistMemory, *, kind: str = "", listen: Listener = ignore) -> Card:
        """Add a document to the shelf and return its card. The document is read first if it was not read yet.

        ``source`` is a memory, a document, or a path or URL, as for ``AsyncReadAgent.read``. ``kind`` is the kind of
        text, such as "contract", where the document itself does not say.
        """
        self.agent.connection.require_open()
        given = source if isinstance(source, GistMemory) else await document_of(source)
        return await self._add(await self._whole(given, listen), kind, listen, self._library.shelves.now())

    async def _add(self, memory: GistMemory, kind: str, listen: Listener, added: str) -> Card:
        """Add a document that was read, as one that was added at this time."""
        shelves, card = self._library.shelves, await self.keep_card(memory, kind=kind, listen=listen)
        if all(row.name.casefold() != self.name.casefold() for row in shelves.all()):  # as `find` compares them
            shelves.new(self.name)
        shelves.put(self.name, card.document, added=added)
        return card

    async def keep_card(self, memory: GistMemory, *, kind: str = "", listen: Listener = ignore) -> Card:
        """Return the card of a document that was read; it is made and kept if it is not known."""
        shelves = self._library.shelves
        known = shelves.card(memory.document.id, memory.key)
        if known is not None and known.gists == gists_key(memory):
            card = replace(known, title=memory.document.title or known.title)
        else:
            card = await self._card(memory, kind or (known.kind if known is not None else ""), listen)
        if kind:
            card = replace(card, kind=kind)
        if card != known:
            shelves.keep_card(memory.key, card)
        if self._embedder is not None and not shelves.has_vector(card.document, memory.key, self._embedder.name):
            vectors = await self._embedder.embed([card_text(card)])
            shelves.keep_vector(card.document, memory.key, self._embedder.name, vectors)
        return card

    def add_all(
        self,
        sources: Iterable[S] | AsyncIterable[S],
        *,
        kind: str = "",
        recall: bool = True,
        listen: ListenToAll = ignore_all,
    ) -> AsyncGenerator[tuple[S, GistMemory | ReadAgentError], None]:
        """Add many documents at once; yield each source with its memory, or its error, once it is on the shelf.

        Without ``recall``, documents are read as the agent reads them now, even if they were read otherwise before.
        See ``AsyncReadAgent.read_all`` for the rest.
        """
        return self.agent.as_finished(sources, self.adding_each(kind=kind, recall=recall, listen=listen))

    def adding_each(self, *, kind: str, recall: bool, listen: ListenToAll) -> ForEach[GistMemory]:
        """Return the work for each document of ``add_all``."""
        add = partial(self.add_one, kind=kind, recall=recall)
        return ForEach(add, listen, model=self.agent.connection.model)

    async def add_one(self, document: Document, listen: ListenToAll, *, kind: str, recall: bool) -> GistMemory:
        """Add one of many documents, see ``add_all``, and return its memory."""
        began = self._library.shelves.now()  # documents are on the shelf in the order in which they were begun
        self._library.add(document, current=True)
        memory = await self.agent.read_or_recall(document, listen, plan=None, recall=recall)
        hear = partial(listen, document)
        await self._add(await self._whole(memory, hear), kind, hear, began)
        return memory

    def cards(self) -> list[Card]:
        """Return the cards of all documents on the shelf, in the order in which they were added."""
        self.agent.connection.require_open()
        return self._library.shelves.cards(self.name)

    def remove(self, document_id: str) -> None:
        """Remove a document from the shelf; it stays in the library."""
        self.agent.connection.require_open()
        self._library.shelves.take_off(self.name, document_id)

    async def ask(self, question: str | Question, **options: Unpack[ShelfOptions]) -> ShelfAnswer:
        """Return one answer from the documents that matter to a question, each page and quote with its document.

        At most ``documents`` are opened: 4, or 20 to compare. With ``compare`` each of them is asked for one line, and
        the answer is made from these lines. Where the model says that a question is about the whole text, it is
        answered from all pages of the documents. With ``up_to`` nothing after these positions is
        shown to the model, and ``history``, which may know more, is left out. The answer is kept in the library.
        """
        check_options(options, ShelfOptions, "ask")
        self.agent.connection.require_open()
        asked = as_question(question)
        history = _history(options)

        async def answer(members: Sequence[Member], session: Session) -> tuple[ShelfAnswer, str]:
            async def over_all(memory: GistMemory, session: Session) -> ShelfAnswer:
                kept = replace(session, unusable="retry" if options.get("retry") else "keep")
                return await answer_over_shelf(members, asked, kept)

            if options.get("compare"):
                require_model(self.agent.connection, "compare")
                made = await compare_all(members, asked, session, history)
            else:
                made = await ask_several(members, asked, session, history, over_all=None if history else over_all)
            texts = {member.card.document: member.whole.document for member in members}
            return replace(made, texts=texts), session.model.name

        places = await self._places(options)
        (made, model), cards, among = await self._with_chosen(asked, options, answer, places)
        with calls_about(*(card.document for card in cards)):
            unread = len(self._library.shelves.without_card(self.name))
            return self._kept(replace(made, among=among, unread=unread, up_to=places), model)

    async def summary(
        self, *, words: int = 300, about: str = "", audience: str = "", check: bool | None = None,
        retry: bool = False, listen: Listener = ignore,
    ) -> ShelfSummary:  # fmt: skip
        """Return a summary of each document, as ``AsyncReadAgent.summary`` makes it, and one of all of them.

        That of all is written from the others, and ``ShelfSummary.sources`` says which document a statement is from.
        """
        connection, trace = self.agent.connection, Trace()
        connection.require_open()
        connection.on_wait = listen
        require_model(connection, "summary")
        cards = self._some_cards()

        async def attempt(window: Window) -> ShelfSummary:
            plan = self.agent.plan if check is None else replace(self.agent.plan, check=check)
            unusable: Unusable = "retry" if retry else "keep"
            session = await self.agent.sessions.again(plan, window, trace, listen, unusable)
            return await summarize_shelf(members, session, words=words, about=about, audience=audience, check=check)

        with calls_about(*(card.document for card in cards)):
            members = await self._members(cards)
            name = await estimates_name(connection, [member.memory for member in members])
            return await connection.within_window(attempt, name, trace)

    async def look_up(self, question: str | Question, **options: Unpack[ShelfOptions]) -> tuple[Citation, ...]:
        """Return the pages that matter to a question, each as a passage of its document. No answer is asked for."""
        check_options(options, ShelfOptions, "look_up")
        self.agent.connection.require_open()
        asked = as_question(question)

        async def passages(members: Sequence[Member], session: Session) -> tuple[Citation, ...]:
            return await look_up_in_several(members, asked, session, _history(options))

        return (await self._with_chosen(asked, options, passages, await self._places(options)))[0]

    async def _with_chosen(
        self,
        question: Question,
        options: ShelfOptions,
        work: Callable[[Sequence[Member], Session], Awaitable[T]],
        places: Mapping[str, int],
    ) -> tuple[T, Sequence[Card], int]:
        """Choose the documents for a question.

        Return the result of the work on them, the cards to choose from, and the number of documents on the shelf.

        ``places`` are the offsets that documents are known up to.
        """
        wanted = _with_last(question, _history(options))
        listen, most = options.get("listen", ignore), _most(options.get("documents"), options.get("compare", False))
        cards, among, found = await self._candidates(wanted, places)

        async def attempt(window: Window) -> T:
            session = await self.agent.session(plan_with(self.agent.plan, options), window=window, listen=listen)
            if found is not None:
                session.fell_back(_searched(cards, among, found))
            cut = await self._up_to(cards, places, session)
            known = [cut[card.document].card if card.document in cut else card for card in cards]
            nearest = await self.nearest(wanted, known, up_to=places, found=found)
            pages = self._library.shelves.best_pages(self.name, content_words(wanted.shown()), _PASSAGES, up_to=places)
            passages = found_in(pages, wanted.shown())
            chosen = await choose(known, wanted, session, most=most, nearest=nearest, found=passages)
            members = await self._members(chosen, cut=cut)
            session = replace(session, plan=plan_with(members[0].memory.plan, options))
            memories = Memories(self._library)
            for place, one in enumerate(members):
                if one.card.document not in cut:
                    members[place] = replace(one, memory=await memories.fitted(one.memory, session))
            return await work(members, session)

        with calls_about(*(card.document for card in cards)):
            return await self.agent.connection.within_window(attempt), cards, among

    async def _candidates(
        self, question: Question, places: Mapping[str, int]
    ) -> tuple[Sequence[Card], int, Sequence[Sequence[str]] | None]:
        """Return the cards to choose from, the number of documents on the shelf, and what was searched for that.

        Of many documents, the candidates are those that a search finds, and the first ones if it finds too few.
        """
        shelves = self._library.shelves
        shelf = next((row for row in shelves.all() if row.name.casefold() == self.name.casefold()), None)
        if shelf is None or shelf.documents <= _MANY or places:
            cards = self._some_cards()
            return cards, shelf.documents if shelf is not None else len(cards), None
        found = [*shelves.search(self.name, content_words(question.shown()), _FOUND)]
        if self._embedder is not None:
            wanted = await self._embedder.embed(search_texts(question))
            found.append(shelves.nearest(self.name, self._embedder.name, wanted, _FOUND))
        names = fuse_rankings(found)[:_FOUND]
        if len(names) < MOST_SHOWN:
            names = list(dict.fromkeys([*names, *shelves.first(shelf.id, MOST_SHOWN)]))
        return shelves.cards_of(shelf.id, names) or self._some_cards(), shelf.documents, found

    def stream(self, question: str | Question, **options: Unpack[ShelfOptions]) -> AsyncTextStream[ShelfAnswer]:
        """Return the text of an answer as it arrives, and then the answer; see ``AsyncReadAgent.stream``."""
        check_options(options, ShelfOptions, "stream")
        self.agent.connection.require_open()
        asked = as_question(question)

        def ask(listen: Listener) -> Coroutine[Any, Any, ShelfAnswer]:
            heard: ShelfOptions = {**options, "listen": listen}
            return self.ask(asked, **heard)

        return AsyncTextStream(ask, options.get("listen", ignore))

    async def nearest(
        self,
        question: Question,
        cards: Sequence[Card],
        *,
        up_to: Mapping[str, int] | None = None,
        found: Sequence[Sequence[str]] | None = None,
    ) -> list[int]:
        """Return the positions of the cards that a search finds for a question, the nearest first.

        Words are searched in cards and pages; vectors, where there are any, are those of the cards. ``up_to`` are
        offsets by document; what lies after them is not searched. ``found`` are the documents by words and vectors, if
        that is known.
        """
        words = content_words(question.shown())
        rankings = [*(found or self._library.shelves.search(self.name, words, MOST_SHOWN, up_to=up_to))]
        if self._embedder is not None and not found:
            rankings.append(await rank_by_meaning(cards, question, self._embedder, MOST_SHOWN))
        places = {card.document: place for place, card in enumerate(cards)}
        return [places[document] for document in fuse_rankings(rankings) if document in places]

    async def _whole(self, document: Document | GistMemory, listen: Listener) -> GistMemory:
        """Return the memory of a document; read it now if needed."""
        if isinstance(document, GistMemory):
            key = reading_key(document.plan, document.prompts, document.model)
            return self._library.memory(document.document.id, key=key) or Memories(self._library).keep(document)
        self._library.add(document, current=True)
        known = await self.agent.recall(document.id)
        return known or await self.agent.read(document, listen=listen)

    async def _card(self, memory: GistMemory, kind: str, listen: Listener) -> Card:
        async def attempt(window: Window) -> Card:
            session = await self.agent.session(memory.plan, window=window, listen=listen, keep_text=False)
            return await card_of(memory, session, kind=kind)

        with calls_about(memory.document.id):
            return await self.agent.connection.within_window(attempt)

    def _some_cards(self) -> list[Card]:
        """Return the cards of all documents on the shelf; raise NotInLibraryError if there are none."""
        if cards := self.cards():
            return cards
        raise NotInLibraryError(
            f"there are no documents on the shelf {self.name!r}",
            hint=f"add some: readagent shelf add {quote(self.name)} FILE; without FILE it reads those that wait",
        )

    async def _members(self, cards: Sequence[Card], *, cut: Mapping[str, Member] | None = None) -> list[Member]:
        """Return the memories of these documents.

        ``cut`` are those that are known already, because only a part of them is used.
        """
        members = []
        for card in cards:
            known = (cut or {}).get(card.document)
            memory = known.memory if known is not None else await self._recall(card)
            if memory is not None:
                members.append(Member(card, memory))
        if not members:
            raise NotInLibraryError(f"the documents chosen from the shelf {self.name!r} have been removed meanwhile")
        return members

    async def _recall(self, card: Card) -> GistMemory | None:
        """Return the memory of a document; where there is none but for a task, it is that."""
        row = self._library.row(card.document)
        for task in ("", *(row.tasks if row is not None else ())):
            memory = await self.agent.recall(card.document, task=task)
            if memory is not None:
                return memory
        return None

    async def _places(self, options: ShelfOptions) -> dict[str, int]:
        """Return the offsets that documents are to be used up to, where these are before the end."""
        given = options.get("up_to") or {}
        if not given:
            return {}
        if not isinstance(given, Mapping):
            raise UsageError(
                f"`up_to` of a shelf is a position for each document, not {given!r}", hint='give `up_to={"ID": 3}`'
            )
        cards = {card.document: card for card in self._some_cards()}
        places = {}
        for document, up_to in given.items():
            if document not in cards:
                raise NotInLibraryError(f"the document {document} is not on the shelf {self.name!r}")
            memory = await self._recall(cards[document])
            if memory is not None and (offset := position(memory, up_to)) < len(memory.document.text):
                places[document] = offset
        return places

    async def _up_to(self, cards: Sequence[Card], places: Mapping[str, int], session: Session) -> dict[str, Member]:
        """Return the documents that are used up to a place, each with a card that is about no more of it."""
        members = {}
        for card in cards:
            if card.document in places and (whole := await self._recall(card)) is not None:
                reader = replace(session, plan=whole.plan)
                memory = await memory_up_to(whole, places[card.document], reader)
                own = await card_of(memory, reader, kind=card.kind)
                members[card.document] = Member(replace(own, document=card.document, title=card.title), memory)
        return members

    def _kept(self, answer: ShelfAnswer, model: str) -> ShelfAnswer:
        try:
            return replace(answer, id=self._library.shelves.keep_answer(self.name, answer, model=model))
        except LibraryError as error:  # the answer is paid for: return it even if it cannot be kept
            answer.trace.fallbacks.append(Fallback("keep", str(error), "the answer, which is not in the library"))
        return answer


def _searched(cards: Sequence[Card], among: int, found: Sequence[Sequence[str]]) -> Fallback:
    """Return the note that only these of many documents were considered, because a search found them."""
    hits = {document for ranking in found for document in ranking}
    number = sum(card.document in hits for card in cards)
    if number == len(cards):
        others, taken = "the others were not considered", "the documents found"
    else:
        first = f"the first {len(cards) - number:,}"
        others, taken = f"of the others, only {first} were considered", f"the documents found, and {first} others"
    return Fallback("cards", f"{number:,} of {among:,} documents were found by a search; {others}", taken)


def _history(options: ShelfOptions) -> Sequence[Turn]:
    """Return the earlier turns; those of a shelf do not say how much of each document they knew."""
    history = turns(options.get("history", ()))
    return () if options.get("up_to") else history


def _with_last(question: Question, history: Sequence[Turn]) -> Question:
    """Return what documents are chosen for: a question that follows another one may not say what it is about."""
    return replace(question, text=f"{history[-1].question} {question.text}") if history else question


def _most(documents: int | None, compare: bool) -> int:
    """Return the maximum number of documents to open."""
    most = (_COMPARED if compare else _READ) if documents is None else documents
    if most < 1 or (compare and most > MOST_COMPARED):
        raise UsageError(
            f"{most} documents cannot be {'compared' if compare else 'read'} for a question",
            hint=f"give 1 to {MOST_COMPARED}" if compare else "give 1 or more",
        )
    return most
