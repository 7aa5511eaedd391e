"""ReadAgent: the same as AsyncReadAgent for code that does not await."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from readagent.agent import AsyncReadAgent, Each
from readagent.core.document import Document
from readagent.core.events import Listener, deaf
from readagent.core.hints import Hinter
from readagent.core.memory import GistMemory
from readagent.core.model import Model
from readagent.core.plan import Expand, LookUp, Plan
from readagent.core.question import Answer, Question
from readagent.core.reading import Turn
from readagent.embedded.local import LOCAL
from readagent.errors import ReadAgentError
from readagent.library import Library
from readagent.private_loop import PrivateLoop
from readagent.settings import Settings


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

    def recall(self, document_id: str, *, merge: bool = True, listen: Listener = deaf) -> GistMemory | None:
        """See AsyncReadAgent.recall."""
        return self._loop.wait(self._agent.recall(document_id, merge=merge, listen=listen))

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
        keywords: int | None = None,
        expand: Expand | None = None,
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
                keywords=keywords,
                expand=expand,
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
