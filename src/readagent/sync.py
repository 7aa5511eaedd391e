"""ReadAgent, Shelf and Conversation: the async classes for code that does not await."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from readagent.agent import AsyncReadAgent
from readagent.asker import Each
from readagent.connection import Connection
from readagent.conversation import AsyncConversation
from readagent.core.document import Document
from readagent.core.events import Listener, ignore
from readagent.core.memory import GistMemory
from readagent.core.messages import ASSISTANT, Message
from readagent.core.model import Embedder, Hinter, Model
from readagent.core.overviews.records import (
    Entity,
    Note,
    Overview,
    Person,
    Section,
    StudyQuestion,
    Summary,
    Term,
    TimelineEvent,
)
from readagent.core.overviews.shelf_summary import ShelfSummary
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question, Quote
from readagent.core.shelf.records import Card, Citation, ShelfAnswer
from readagent.core.turns import Spoken
from readagent.errors import ReadAgentError
from readagent.library import Library
from readagent.many import ListenToAll, ignore_all
from readagent.models.purse import Budget
from readagent.options import AskOptions, ShelfOptions
from readagent.overviews import OverviewOptions
from readagent.private_loop import PrivateLoop
from readagent.settings import Settings
from readagent.shelf import AsyncShelf
from readagent.source import S, Source, several
from readagent.text_stream import TextStream

if TYPE_CHECKING:
    from readagent.estimates import Estimates


class ReadAgent:
    """Reads documents and answers questions about them, in scripts, threads and notebooks alike.

    It runs an AsyncReadAgent on an event loop of its own; see there for the parameters.
    """

    def __init__(
        self,
        model: str | Path | Model = "",
        *,
        base_url: str | None = None,
        library: Library | str | Path | None = None,
        plan: Plan | str | None = None,
        window: int | None = None,
        domain: str | None = None,
        prompts: str | None = None,
        budget: Budget | None = None,
        prices: Mapping[str, tuple[float, float]] | None = None,
        parallel: int | None = None,
        timeout: float | None = None,
        silence: float | None = None,
        patience: float | None = None,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        temperature: float | None = None,
        model_options: Mapping[str, Any] | None = None,
        hinter: Hinter | None = None,
        run: int = 0,
    ) -> None:
        self._run(AsyncReadAgent(
            model, base_url=base_url, library=library, plan=plan, window=window, domain=domain, prompts=prompts,
            budget=budget, prices=prices, parallel=parallel, timeout=timeout, silence=silence, patience=patience,
            requests_per_minute=requests_per_minute, tokens_per_minute=tokens_per_minute, temperature=temperature,
            model_options=model_options, hinter=hinter, run=run,
        ))  # fmt: skip

    @classmethod
    def local(
        cls,
        *,
        library: Library | str | Path | None = None,
        plan: Plan | str | None = None,
        domain: str | None = None,
        run: int = 0,
    ) -> Self:
        """See AsyncReadAgent.local."""
        return cls._over(AsyncReadAgent.local(library=library, plan=plan, domain=domain, run=run))

    @classmethod
    def from_settings(
        cls,
        settings: Settings,
        *,
        library: Library | str | Path | None = None,
        plan: Plan | None = None,
        hinter: Hinter | None = None,
        run: int = 0,
    ) -> Self:
        """See AsyncReadAgent.from_settings."""
        return cls._over(AsyncReadAgent.from_settings(settings, library=library, plan=plan, hinter=hinter, run=run))

    @classmethod
    def _over(cls, agent: AsyncReadAgent) -> Self:
        made = cls.__new__(cls)
        made._run(agent)
        return made

    def _run(self, agent: AsyncReadAgent) -> None:
        self._agent = agent
        self._loop = PrivateLoop(agent.aclose)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._agent.model_name}>"

    @property
    def is_local(self) -> bool:
        """See AsyncReadAgent.is_local."""
        return self._agent.is_local

    @property
    def settings(self) -> Settings:
        return self._agent.settings

    @property
    def connection(self) -> Connection:
        return self._agent.connection

    @property
    def plan(self) -> Plan:
        return self._agent.plan

    @property
    def library(self) -> Library:
        return self._agent.library

    def read(
        self, source: Source, *, plan: Plan | str | None = None, merge: bool = True, listen: Listener = ignore
    ) -> GistMemory:
        """See AsyncReadAgent.read."""
        return self._loop.wait(self._agent.read(source, plan=plan, merge=merge, listen=listen))

    def read_all(
        self,
        sources: Iterable[S],
        *,
        plan: Plan | str | None = None,
        merge: bool = True,
        recall: bool = False,
        listen: ListenToAll = ignore_all,
    ) -> Iterator[tuple[S, GistMemory | ReadAgentError]]:
        """See AsyncReadAgent.read_all. Sources are taken on the caller's thread; ``listen`` is called on another."""
        work = self._agent.reading_each(plan=plan, merge=merge, recall=recall, listen=listen)
        return self._loop.as_finished(several(sources), work, self._agent.connection.documents_at_once)

    def estimate(self, source: Source, *, plan: Plan | str | None = None) -> Estimates:
        """See AsyncReadAgent.estimate."""
        return self._loop.wait(self._agent.estimate(source, plan=plan))

    def plan_for(self, document: Document, plan: Plan | str | None = None) -> Plan:
        """See AsyncReadAgent.plan_for."""
        return self._loop.wait(self._agent.plan_for(document, plan))

    def append(
        self, memory: GistMemory, more: str | Document, *, live: bool = False, listen: Listener = ignore
    ) -> GistMemory:
        """See AsyncReadAgent.append."""
        return self._loop.wait(self._agent.append(memory, more, live=live, listen=listen))

    def recall(
        self, document_id: str, *, task: str = "", merge: bool = True, listen: Listener = ignore
    ) -> GistMemory | None:
        """See AsyncReadAgent.recall."""
        return self._loop.wait(self._agent.recall(document_id, task=task, merge=merge, listen=listen))

    def ask(self, memory: GistMemory, question: str | Question, **options: Unpack[AskOptions]) -> Answer:
        """See AsyncReadAgent.ask."""
        return self._loop.wait(self._agent.ask(memory, question, **options))

    def look_up(self, memory: GistMemory, question: str | Question, **options: Unpack[AskOptions]) -> tuple[Quote, ...]:
        """See AsyncReadAgent.look_up."""
        return self._loop.wait(self._agent.look_up(memory, question, **options))

    def stream(self, memory: GistMemory, question: str | Question, **options: Unpack[AskOptions]) -> TextStream[Answer]:
        """See AsyncReadAgent.stream."""
        return TextStream(self._loop, self._agent.stream(memory, question, **options))

    def ask_all(
        self,
        memory: GistMemory,
        questions: Sequence[str | Question],
        *,
        each: Each | None = None,
        batch: int = 1,
        **options: Unpack[AskOptions],
    ) -> list[Answer | ReadAgentError]:
        """See AsyncReadAgent.ask_all; ``each`` is called on the agent's own thread."""
        return self._loop.wait(self._agent.ask_all(memory, questions, each=each, batch=batch, **options))

    def summary(
        self, memory: GistMemory, *, words: int = 300, about: str = "", audience: str = "",
        **options: Unpack[OverviewOptions],
    ) -> Summary:  # fmt: skip
        """See AsyncReadAgent.summary."""
        return self._loop.wait(self._agent.summary(memory, words=words, about=about, audience=audience, **options))

    def outline(self, memory: GistMemory, **options: Unpack[OverviewOptions]) -> Overview[Section]:
        """See AsyncReadAgent.outline."""
        return self._loop.wait(self._agent.outline(memory, **options))

    def people(self, memory: GistMemory, **options: Unpack[OverviewOptions]) -> Overview[Person]:
        """See AsyncReadAgent.people."""
        return self._loop.wait(self._agent.people(memory, **options))

    def timeline(self, memory: GistMemory, **options: Unpack[OverviewOptions]) -> Overview[TimelineEvent]:
        """See AsyncReadAgent.timeline."""
        return self._loop.wait(self._agent.timeline(memory, **options))

    def entities(self, memory: GistMemory, **options: Unpack[OverviewOptions]) -> Overview[Entity]:
        """See AsyncReadAgent.entities."""
        return self._loop.wait(self._agent.entities(memory, **options))

    def glossary(self, memory: GistMemory, **options: Unpack[OverviewOptions]) -> Overview[Term]:
        """See AsyncReadAgent.glossary."""
        return self._loop.wait(self._agent.glossary(memory, **options))

    def questions(
        self, memory: GistMemory, count: int = 10, **options: Unpack[OverviewOptions]
    ) -> Overview[StudyQuestion]:
        """See AsyncReadAgent.questions."""
        return self._loop.wait(self._agent.questions(memory, count, **options))

    def notes(
        self, memory: GistMemory, template: str | Sequence[str], *, words: int = 80, **options: Unpack[OverviewOptions]
    ) -> Overview[Note]:
        """See AsyncReadAgent.notes."""
        return self._loop.wait(self._agent.notes(memory, template, words=words, **options))

    def compare(
        self, memories: Sequence[GistMemory], *, words: int = 300, about: str = "", check: bool | None = None,
        retry: bool = False, listen: Listener = ignore,
    ) -> Summary:  # fmt: skip
        """See AsyncReadAgent.compare."""
        made = self._agent.compare(memories, words=words, about=about, check=check, retry=retry, listen=listen)
        return self._loop.wait(made)

    def improve(
        self, memory: GistMemory, pages: int | Iterable[int], *, note: str = "", listen: Listener = ignore
    ) -> GistMemory:
        """See AsyncReadAgent.improve."""
        return self._loop.wait(self._agent.improve(memory, pages, note=note, listen=listen))

    def retry(self, memory: GistMemory, *, listen: Listener = ignore) -> GistMemory:
        """See AsyncReadAgent.retry."""
        return self._loop.wait(self._agent.retry(memory, listen=listen))

    def window(self) -> int | None:
        """See AsyncReadAgent.window."""
        return self._loop.wait(self._agent.window())

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


class Shelf:
    """Documents of a ReadAgent's library that are asked together: ``Shelf(agent, "contracts")``."""

    def __init__(self, agent: ReadAgent, name: str, *, embedder: Embedder | None = None) -> None:
        self._shelf = AsyncShelf(agent._agent, name, embedder=embedder)
        self._loop = agent._loop

    def __repr__(self) -> str:
        return repr(self._shelf)

    @property
    def name(self) -> str:
        return self._shelf.name

    def add(self, source: Source | GistMemory, *, kind: str = "", listen: Listener = ignore) -> Card:
        """See AsyncShelf.add."""
        return self._loop.wait(self._shelf.add(source, kind=kind, listen=listen))

    def add_all(
        self,
        sources: Iterable[S],
        *,
        kind: str = "",
        recall: bool = True,
        listen: ListenToAll = ignore_all,
    ) -> Iterator[tuple[S, GistMemory | ReadAgentError]]:
        """See AsyncShelf.add_all. Sources are taken on the caller's thread; ``listen`` is called on another."""
        work = self._shelf.adding_each(kind=kind, recall=recall, listen=listen)
        return self._loop.as_finished(several(sources), work, self._shelf.agent.connection.documents_at_once)

    def cards(self) -> list[Card]:
        """See AsyncShelf.cards."""
        return self._shelf.cards()

    def remove(self, document_id: str) -> None:
        """See AsyncShelf.remove."""
        self._shelf.remove(document_id)

    def ask(self, question: str | Question, **options: Unpack[ShelfOptions]) -> ShelfAnswer:
        """See AsyncShelf.ask."""
        return self._loop.wait(self._shelf.ask(question, **options))

    def summary(
        self, *, words: int = 300, about: str = "", audience: str = "", check: bool | None = None,
        retry: bool = False, listen: Listener = ignore,
    ) -> ShelfSummary:  # fmt: skip
        """See AsyncShelf.summary."""
        made = self._shelf.summary(words=words, about=about, audience=audience, check=check, retry=retry, listen=listen)
        return self._loop.wait(made)

    def look_up(self, question: str | Question, **options: Unpack[ShelfOptions]) -> tuple[Citation, ...]:
        """See AsyncShelf.look_up."""
        return self._loop.wait(self._shelf.look_up(question, **options))

    def stream(self, question: str | Question, **options: Unpack[ShelfOptions]) -> TextStream[ShelfAnswer]:
        """See AsyncShelf.stream."""
        return TextStream(self._loop, self._shelf.stream(question, **options))


class Conversation:
    """The memory of a conversation, kept in a ReadAgent's library: ``Conversation(agent, "support")``."""

    def __init__(self, agent: ReadAgent, name: str = "conversation", *, plan: Plan | None = None) -> None:
        self._conversation = AsyncConversation(agent._agent, name, plan=plan)
        self._loop = agent._loop

    def __repr__(self) -> str:
        return repr(self._conversation)

    @property
    def name(self) -> str:
        return self._conversation.name

    def memory(self) -> GistMemory:
        """See AsyncConversation.memory."""
        return self._loop.wait(self._conversation.memory())

    def add(self, speaker: str, text: str) -> None:
        """See AsyncConversation.add."""
        self._loop.wait(self._conversation.add(speaker, text))

    def add_messages(self, messages: Iterable[Message]) -> None:
        """See AsyncConversation.add_messages."""
        self._loop.wait(self._conversation.add_messages(messages))

    def turns(self) -> list[Spoken]:
        """See AsyncConversation.turns."""
        return self._loop.wait(self._conversation.turns())

    def ask(self, question: str | Question, **options: Unpack[AskOptions]) -> Answer:
        """See AsyncConversation.ask."""
        return self._loop.wait(self._conversation.ask(question, **options))

    def stream(self, question: str | Question, **options: Unpack[AskOptions]) -> TextStream[Answer]:
        """See AsyncConversation.stream."""
        return TextStream(self._loop, self._conversation.stream(question, **options))

    def context(
        self,
        question: str | Question | int | None = None,
        *,
        words: int | None = None,
        tokens: int | None = None,
    ) -> str:
        """See AsyncConversation.context."""
        return self._loop.wait(self._conversation.context(question, words=words, tokens=tokens))

    def messages(
        self,
        question: str | None = None,
        *,
        words: int | None = None,
        tokens: int | None = None,
        assistant: str = ASSISTANT,
    ) -> list[dict[str, str]]:
        """See AsyncConversation.messages."""
        return self._loop.wait(self._conversation.messages(question, words=words, tokens=tokens, assistant=assistant))

    def forget(self, number: int) -> None:
        """See AsyncConversation.forget."""
        self._loop.wait(self._conversation.forget(number))

    def delete(self) -> None:
        """See AsyncConversation.delete."""
        self._loop.wait(self._conversation.delete())
