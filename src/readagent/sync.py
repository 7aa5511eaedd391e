"""ReadAgent, Shelf and Conversation: the async classes for code that does not await."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Self, Unpack

from readagent.agent import AsyncReadAgent
from readagent.connection import Connection
from readagent.conversation import AsyncConversation
from readagent.core.memory import GistMemory
from readagent.core.model import Embedder
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question
from readagent.core.shelf.shelf_answer import Card, ShelfAnswer
from readagent.errors import ReadAgentError
from readagent.library import Library
from readagent.options import AskOptions, ShelfOptions
from readagent.private_loop import PrivateLoop, Waiting, takes_the_same_as, waits
from readagent.settings import Settings
from readagent.shelf import AsyncShelf
from readagent.source import ListenToAll, S, ignore_all, several
from readagent.stream import TextStream


class ReadAgent(Waiting[AsyncReadAgent]):
    """Reads documents and answers questions about them, in scripts, threads and notebooks alike.

    It runs an AsyncReadAgent on an event loop and a thread of its own, where it calls listeners; see there for the
    parameters.
    """

    @takes_the_same_as(AsyncReadAgent)
    def __init__(self, *given: Any, **options: Any) -> None:
        self._run(AsyncReadAgent(*given, **options))

    @classmethod
    @takes_the_same_as(AsyncReadAgent.local)
    def local(cls, **options: Any) -> Self:
        """See AsyncReadAgent.local."""
        return cls._over(AsyncReadAgent.local(**options))

    @classmethod
    @takes_the_same_as(AsyncReadAgent.from_settings)
    def from_settings(cls, settings: Settings, **options: Any) -> Self:
        """See AsyncReadAgent.from_settings."""
        return cls._over(AsyncReadAgent.from_settings(settings, **options))

    @classmethod
    def _over(cls, agent: AsyncReadAgent) -> Self:
        made = cls.__new__(cls)
        made._run(agent)
        return made

    def _run(self, agent: AsyncReadAgent) -> None:
        self._inner = agent
        self._loop = PrivateLoop(agent.aclose)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._inner.model_name}>"

    @property
    def is_local(self) -> bool:
        """See AsyncReadAgent.is_local."""
        return self._inner.is_local

    @property
    def settings(self) -> Settings:
        return self._inner.settings

    @property
    def connection(self) -> Connection:
        return self._inner.connection

    @property
    def plan(self) -> Plan:
        return self._inner.plan

    @property
    def library(self) -> Library:
        return self._inner.library

    read = waits(AsyncReadAgent.read)
    estimate = waits(AsyncReadAgent.estimate)
    plan_for = waits(AsyncReadAgent.plan_for)
    append = waits(AsyncReadAgent.append)
    recall = waits(AsyncReadAgent.recall)
    ask = waits(AsyncReadAgent.ask)
    look_up = waits(AsyncReadAgent.look_up)
    ask_all = waits(AsyncReadAgent.ask_all)
    summary = waits(AsyncReadAgent.summary)
    outline = waits(AsyncReadAgent.outline)
    extract = waits(AsyncReadAgent.extract)
    people = waits(AsyncReadAgent.people)
    timeline = waits(AsyncReadAgent.timeline)
    entities = waits(AsyncReadAgent.entities)
    glossary = waits(AsyncReadAgent.glossary)
    questions = waits(AsyncReadAgent.questions)
    notes = waits(AsyncReadAgent.notes)
    compare = waits(AsyncReadAgent.compare)
    improve = waits(AsyncReadAgent.improve)
    retry = waits(AsyncReadAgent.retry)
    window = waits(AsyncReadAgent.window)

    def read_all(
        self,
        sources: Iterable[S],
        *,
        plan: Plan | str | None = None,
        recall: bool = False,
        listen: ListenToAll = ignore_all,
    ) -> Iterator[tuple[S, GistMemory | ReadAgentError]]:
        """See AsyncReadAgent.read_all. Sources are taken on the caller's thread; ``listen`` is called on another."""
        work = self._inner.reading_each(plan=plan, recall=recall, listen=listen)
        return self._loop.as_finished(several(sources), work, self._inner.connection.documents_at_once)

    def stream(self, memory: GistMemory, question: str | Question, **options: Unpack[AskOptions]) -> TextStream[Answer]:
        """See AsyncReadAgent.stream."""
        return TextStream(self._loop, self._inner.stream(memory, question, **options))

    def close(self) -> None:
        """Wait for calls in flight and end the loop; the end of the program does that too."""
        self._loop.end()

    def __enter__(self) -> Self:
        self._loop.require_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Shelf(Waiting[AsyncShelf]):
    """Documents of a ReadAgent's library that are asked together: ``Shelf(agent, "contracts")``."""

    def __init__(self, agent: ReadAgent, name: str, *, embedder: Embedder | None = None) -> None:
        self._inner = AsyncShelf(agent._inner, name, embedder=embedder)
        self._loop = agent._loop

    def __repr__(self) -> str:
        return repr(self._inner)

    @property
    def name(self) -> str:
        return self._inner.name

    add = waits(AsyncShelf.add)
    ask = waits(AsyncShelf.ask)
    summary = waits(AsyncShelf.summary)
    look_up = waits(AsyncShelf.look_up)

    def add_all(
        self,
        sources: Iterable[S],
        *,
        kind: str = "",
        recall: bool = True,
        listen: ListenToAll = ignore_all,
    ) -> Iterator[tuple[S, GistMemory | ReadAgentError]]:
        """See AsyncShelf.add_all. Sources are taken on the caller's thread; ``listen`` is called on another."""
        work = self._inner.adding_each(kind=kind, recall=recall, listen=listen)
        return self._loop.as_finished(several(sources), work, self._inner.agent.connection.documents_at_once)

    def cards(self) -> list[Card]:
        """See AsyncShelf.cards."""
        return self._inner.cards()

    def remove(self, document_id: str) -> None:
        """See AsyncShelf.remove."""
        self._inner.remove(document_id)

    def stream(self, question: str | Question, **options: Unpack[ShelfOptions]) -> TextStream[ShelfAnswer]:
        """See AsyncShelf.stream."""
        return TextStream(self._loop, self._inner.stream(question, **options))


class Conversation(Waiting[AsyncConversation]):
    """The memory of a conversation, kept in a ReadAgent's library: ``Conversation(agent, "support")``."""

    def __init__(self, agent: ReadAgent, name: str = "conversation", *, plan: Plan | None = None) -> None:
        self._inner = AsyncConversation(agent._inner, name, plan=plan)
        self._loop = agent._loop

    def __repr__(self) -> str:
        return repr(self._inner)

    @property
    def name(self) -> str:
        return self._inner.name

    memory = waits(AsyncConversation.memory)
    add = waits(AsyncConversation.add)
    add_messages = waits(AsyncConversation.add_messages)
    turns = waits(AsyncConversation.turns)
    ask = waits(AsyncConversation.ask)
    context = waits(AsyncConversation.context)
    messages = waits(AsyncConversation.messages)
    forget = waits(AsyncConversation.forget)
    delete = waits(AsyncConversation.delete)

    def stream(self, question: str | Question, **options: Unpack[AskOptions]) -> TextStream[Answer]:
        """See AsyncConversation.stream."""
        return TextStream(self._loop, self._inner.stream(question, **options))
