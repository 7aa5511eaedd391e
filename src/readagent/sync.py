"""ReadAgent and Shelf: the same as AsyncReadAgent and AsyncShelf for code that does not await."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, Self

from readagent.agent import AsyncReadAgent, Each
from readagent.conversation import AsyncConversation
from readagent.core.document import Document
from readagent.core.events import Listener, deaf
from readagent.core.memory import GistMemory
from readagent.core.model import Embedder, Hinter, Model
from readagent.core.plan import LookUp, Plan
from readagent.core.question import Answer, Question
from readagent.core.reading import Turn
from readagent.core.shelf.records import Card, ShelfAnswer
from readagent.embedded.local import LOCAL
from readagent.errors import ReadAgentError
from readagent.library import Library
from readagent.private_loop import PrivateLoop
from readagent.settings import Settings
from readagent.shelf import AsyncShelf


class ReadAgent:
    """Runs an AsyncReadAgent on a loop of its own, so that it works in scripts, threads and notebooks alike."""

    def __init__(
        self,
        source: str | Model = "",
        *,
        model: str = "",
        library: Library | None = None,
        plan: Plan | str | None = None,
        run: int = 0,
        hinter: Hinter | None = None,
        **settings: Any,
    ) -> None:
        self._agent = AsyncReadAgent(
            source, model=model, library=library, plan=plan, run=run, hinter=hinter, **settings
        )
        self._loop = PrivateLoop(self._agent.aclose)

    @classmethod
    def local(cls, **settings: Any) -> Self:
        """See AsyncReadAgent.local."""
        return cls(LOCAL, **settings)

    @property
    def is_local(self) -> bool:
        """See AsyncReadAgent.is_local."""
        return self._agent.is_local

    @property
    def settings(self) -> Settings:
        return self._agent.settings

    @property
    def plan(self) -> Plan:
        return self._agent.plan

    def read(
        self, document: Document, *, plan: Plan | None = None, merge: bool = True, listen: Listener = deaf
    ) -> GistMemory:
        """See AsyncReadAgent.read."""
        return self._loop.wait(self._agent.read(document, plan=plan, merge=merge, listen=listen))

    def plan_for(self, document: Document, plan: Plan | None = None) -> Plan:
        """See AsyncReadAgent.plan_for."""
        return self._loop.wait(self._agent.plan_for(document, plan))

    def append(
        self, memory: GistMemory, more: str | Document, *, live: bool = False, listen: Listener = deaf
    ) -> GistMemory:
        """See AsyncReadAgent.append."""
        return self._loop.wait(self._agent.append(memory, more, live=live, listen=listen))

    def recall(
        self, document_id: str, *, task: str = "", merge: bool = True, listen: Listener = deaf
    ) -> GistMemory | None:
        """See AsyncReadAgent.recall."""
        return self._loop.wait(self._agent.recall(document_id, task=task, merge=merge, listen=listen))

    def ask(
        self,
        memory: GistMemory,
        question: str | Question,
        *,
        look_up: LookUp | None = None,
        max_pages: int | None = None,
        up_to: int | str | None = None,
        quotes: bool | None = None,
        hints: bool | None = None,
        history: Sequence[Turn] = (),
        thread: str = "",
        listen: Listener = deaf,
    ) -> Answer:
        """See AsyncReadAgent.ask."""
        return self._loop.wait(
            self._agent.ask(
                memory,
                question,
                look_up=look_up,
                max_pages=max_pages,
                up_to=up_to,
                quotes=quotes,
                hints=hints,
                history=history,
                thread=thread,
                listen=listen,
            )
        )

    def ask_all(
        self, memory: GistMemory, questions: Sequence[str | Question], *, each: Each | None = None, **how: Any
    ) -> list[Answer | ReadAgentError]:
        """See AsyncReadAgent.ask_all; ``each`` is called on the agent's own thread."""
        return self._loop.wait(self._agent.ask_all(memory, questions, each=each, **how))

    def improve(
        self, memory: GistMemory, pages: int | Iterable[int], *, note: str = "", listen: Listener = deaf
    ) -> GistMemory:
        """See AsyncReadAgent.regist."""
        return self._loop.wait(self._agent.improve(memory, pages, note=note, listen=listen))

    def window(self) -> int | None:
        """See AsyncReadAgent.window."""
        return self._loop.wait(self._agent.window())

    def close(self) -> None:
        """Wait for calls under way and end the private loop; the end of the program does that too."""
        self._loop.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Shelf:
    """The same as AsyncShelf over a ReadAgent: ``Shelf(agent, "contracts")``."""

    def __init__(self, agent: ReadAgent, name: str, *, embedder: Embedder | None = None) -> None:
        self._shelf = AsyncShelf(agent._agent, name, embedder=embedder)
        self._loop = agent._loop

    @property
    def name(self) -> str:
        return self._shelf.name

    def add(self, document: Document | GistMemory, *, kind: str = "", listen: Listener = deaf) -> Card:
        """See AsyncShelf.add."""
        return self._loop.wait(self._shelf.add(document, kind=kind, listen=listen))

    def cards(self) -> list[Card]:
        """See AsyncShelf.cards."""
        return self._shelf.cards()

    def remove(self, document_id: str) -> None:
        """See AsyncShelf.remove."""
        self._shelf.remove(document_id)

    def ask(self, question: str | Question, **how: Any) -> ShelfAnswer:
        """See AsyncShelf.ask."""
        return self._loop.wait(self._shelf.ask(question, **how))


class Conversation:
    """The same as AsyncConversation, over a ReadAgent."""

    def __init__(self, agent: ReadAgent, name: str = "conversation", *, plan: Plan | None = None) -> None:
        self._conversation = AsyncConversation(agent._agent, name, plan=plan)
        self._loop = agent._loop

    @property
    def name(self) -> str:
        return self._conversation.name

    def memory(self) -> GistMemory:
        """See AsyncConversation.memory."""
        return self._loop.wait(self._conversation.memory())

    def add(self, speaker: str, text: str) -> None:
        """See AsyncConversation.add."""
        self._loop.wait(self._conversation.add(speaker, text))

    def ask(self, question: str | Question, **how: Any) -> Answer:
        """See AsyncConversation.ask."""
        return self._loop.wait(self._conversation.ask(question, **how))

    def context(self, words: int | None = None, *, tokens: int | None = None) -> str:
        """See AsyncConversation.context."""
        return self._loop.wait(self._conversation.context(words, tokens=tokens))
