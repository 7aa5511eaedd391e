"""AsyncReadAgent: a model and a library, to read documents once and to ask about them as often as you like."""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    Callable,
    Coroutine,
    Iterable,
    Mapping,
)
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from readagent.asker import Asker
from readagent.connection import Connection, server_of, uses_own_server
from readagent.core.concurrency import as_finished, on_threads
from readagent.core.document import Document
from readagent.core.escaping import excerpt
from readagent.core.memory import GistMemory
from readagent.core.model import Hinter, Model
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.session import Session
from readagent.core.trace import Listener, ignore
from readagent.core.window import Window
from readagent.domains import domain
from readagent.embedded.local import LOCAL
from readagent.errors import ReadAgentError
from readagent.library import Library
from readagent.memories import Memories
from readagent.models.hosts import redacted
from readagent.models.ledger import Budget, Ledger
from readagent.models.limits import Limiter
from readagent.models.providers import ONLY_MODEL, OPENAI_URL
from readagent.options import checked_budget, checked_model, named_plan, opened_library, warn_caller
from readagent.overviews import Overviews
from readagent.reader import Reader
from readagent.sessions import Sessions
from readagent.settings import Settings, load_settings
from readagent.source import (
    ForEach,
    ListenToAll,
    S,
    Source,
    document_of,
    ignore_all,
    require_memory,
    require_text,
    several,
)
from readagent.trust import PROJECT_FILE

if TYPE_CHECKING:
    from readagent.estimates import Estimates

R = TypeVar("R")


class AsyncReadAgent(Asker, Overviews):
    """Reads documents and answers questions about them.

    ``model`` is a name (``"ollama/qwen3:8b"``), the URL of a server, the path of a GGUF file, or a model of your own.
    Where none is given and no setting names one, the embedded reader is used (``local()``); where that is not installed
    and OPENAI_BASE_URL is set, the only model of that server, with a warning that names the server. Every call, page
    and answer is kept in the ``library``, which may be given by its path, so that nothing is paid for twice; without
    one, as long as the agent lives.

    ``plan`` is a plan or the name of a preset. ``domain`` names instructions for a plan that has none. ``hinter``
    finds pages for hints; by default a search does. ``run`` tells repetitions of the same reading apart. What is not
    given here is taken from the environment and the settings files.
    """

    def __init__(
        self,
        model: str | Path | Model | None = None,
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
        model = str(model) if isinstance(model, Path) else model
        checked_model(model)
        named = model if isinstance(model, str) else ""
        budget = checked_budget(budget)
        settings = load_settings({
            "model": named or None, "base_url": base_url, "window": window, "domain": domain, "prompts": prompts,
            "parallel": parallel, "timeout": timeout, "silence": silence, "patience": patience,
            "requests_per_minute": requests_per_minute, "tokens_per_minute": tokens_per_minute,
            "temperature": temperature, "max_tokens": budget.tokens, "max_cost": budget.cost,
            "prices": prices, "model_options": model_options,
        })  # fmt: skip
        if settings.held_back:
            names = ", ".join(settings.held_back)
            warn_caller(f"{names} in {PROJECT_FILE} ignored: run `readagent trust` to trust this folder")
        own = None if isinstance(model, str | None) else model
        if own is None and uses_own_server(settings):
            settings = replace(settings, model=ONLY_MODEL, only_model=True)
            warn_caller(f"no model was named: texts go to {server_of(settings)} ({OPENAI_URL})")
        self._set_up(settings, own, library, _instructed(plan, settings), hinter, run)

    @classmethod
    def local(
        cls,
        *,
        library: Library | str | Path | None = None,
        plan: Plan | str | None = None,
        domain: str | None = None,
        run: int = 0,
    ) -> Self:
        """Return an agent with the embedded reader, which needs no server and no key."""
        return cls(LOCAL, library=library, plan=plan, domain=domain, run=run)

    @classmethod
    def from_settings(
        cls,
        settings: Settings,
        *,
        library: Library | str | Path | None = None,
        plan: Plan | None = None,
        hinter: Hinter | None = None,
        run: int = 0,
        ledger: Ledger | None = None,
        limiter: Limiter | None = None,
        model: Model | None = None,
    ) -> Self:
        """Return an agent for settings that are resolved already; a plan that is given is used as it is.

        Agents that are given the same ``ledger`` share its budget. A ``limiter`` decides when calls are sent, in place
        of the rates of the settings. A ``model`` of your own is used in place of the one that the settings name.
        """
        agent = cls.__new__(cls)
        chosen = plan or _instructed(None, settings)
        agent._set_up(settings, model, library, chosen, hinter, run, ledger, limiter)
        return agent

    def _set_up(
        self,
        settings: Settings,
        own: Model | None,
        library: Library | str | Path | None,
        plan: Plan,
        hinter: Hinter | None,
        run: int,
        ledger: Ledger | None = None,
        limiter: Limiter | None = None,
    ) -> None:
        self.settings = settings
        self.plan = plan
        self.library = opened_library(library)
        self._owns_library = self.library is not library
        self._own = own
        self.connection = Connection(settings, self.library, own, run, ledger, limiter)
        self.sessions = Sessions(settings, self.library, self.connection, hinter)
        self._memories = Memories(self.library)
        self._reader = Reader(self.sessions, self._memories)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.model_name}>"

    @property
    def model_name(self) -> str:
        """The model as it was named, or its server; without a password that the address may have."""
        named = self.settings.model or self.settings.base_url or LOCAL
        if self.settings.only_model:
            named = server_of(self.settings)
        return excerpt(redacted(named) if self._own is None else self._own.name)

    @property
    def prompts(self) -> Prompts:
        """The prompt set."""
        return self.sessions.prompts

    @property
    def is_local(self) -> bool:
        """Whether the embedded reader answers. It is small and offline, and better at quoting than at reasoning."""
        return self.connection.is_local

    async def read(self, source: Source, *, plan: Plan | str | None = None, listen: Listener = ignore) -> GistMemory:
        """Return the memory of a document: read now, or taken from the library if it was read in this way before.

        ``source`` is a document, or a path or URL that ``load`` takes; for a text, use ``Document.from_text``. ``plan``
        is a plan or the name of a preset; by default it is the agent's. The memory has all pages. Where their gists are
        too long for one prompt, an index over them is made too, and kept in the library.
        """
        chosen = self._chosen(plan)
        document = await self._loaded(source)
        return await self._reader.read(document, chosen, listen=listen)

    def read_all(
        self,
        sources: Iterable[S] | AsyncIterable[S],
        *,
        plan: Plan | str | None = None,
        recall: bool = False,
        listen: ListenToAll = ignore_all,
    ) -> AsyncGenerator[tuple[S, GistMemory | ReadAgentError], None]:
        """Read many documents at once; yield each source with its memory, or its error, as soon as that is known.

        ``sources`` are documents, paths or URLs, see ``read``. Their calls share the slots of the server fairly, and
        questions go first. A source is taken only when it is needed to keep the slots busy, so that few documents are
        held at a time; if ``sources`` is not asynchronous, it is taken on another thread. With ``recall``, a document
        that was read before in any way is not read again. ``listen`` is called with a document and an event. An error
        that every document would meet, such as a wrong key, is raised.
        """
        return self.as_finished(sources, self.reading_each(plan=plan, recall=recall, listen=listen))

    def reading_each(self, *, plan: Plan | str | None, recall: bool, listen: ListenToAll) -> ForEach[GistMemory]:
        """Return the work for each document of ``read_all``."""
        read = partial(self.read_or_recall, plan=self._chosen(plan), recall=recall)
        return ForEach(read, listen, model=self.connection.model)

    async def read_or_recall(
        self, document: Document, listen: ListenToAll, *, plan: Plan | None, recall: bool
    ) -> GistMemory:
        """Read one of many documents, see ``read_all``."""
        hear = partial(listen, document)
        known = await self.recall(document.id) if recall else None
        return known or await self.read(document, plan=plan, listen=hear)

    def as_finished(
        self, sources: Iterable[S] | AsyncIterable[S], work: Callable[[S], Coroutine[Any, Any, R]]
    ) -> AsyncGenerator[tuple[S, R], None]:
        """Yield each source with the result of its work, as many at a time as keep the slots busy."""
        self.connection.require_open()
        given = several(sources)
        items = aiter(given) if isinstance(given, AsyncIterable) else on_threads(given)
        return as_finished(items, work, self.connection.documents_at_once)

    async def estimate(self, source: Source, *, plan: Plan | str | None = None) -> Estimates:
        """Return the calls, tokens and money that reading a document and asking about it would take.

        The text is not sent. Where the window is not known, the server is asked for it. What is in the library already
        costs nothing, but is counted here.
        """
        from readagent.estimates import estimate_for  # it needs readagent.testing, which nothing else does

        chosen = self._chosen(plan)
        document = await self._loaded(source)
        return await asyncio.to_thread(estimate_for, self.settings, document, chosen, self._own)

    def _chosen(self, plan: Plan | str | None) -> Plan:
        """Return the agent's plan, the preset of this name, or a plan as it is."""
        if plan is None:
            return self.plan
        return _instructed(plan, self.settings) if isinstance(plan, str) else named_plan(plan)

    async def _loaded(self, source: Source) -> Document:
        self.connection.require_open()
        return await document_of(source)

    async def plan_for(self, document: Document, plan: Plan | str | None = None) -> Plan:
        """Return the plan that a document is read with, its sizes derived from the text where they are to be.

        A document that was begun with other sizes continues with those, so that nothing is read twice, unless they are
        so small that only a tiny window explains them, and the window is larger now.
        """
        self.connection.require_open()
        return await self._reader.plan_for(document, self._chosen(plan))

    async def retry(self, memory: GistMemory, *, listen: Listener = ignore) -> GistMemory:
        """Return the memory with gists for the pages that have none: ``memory.leads``. Only these are asked for again.

        The memory in the library is updated. Pages that the model or its server still fails on stay as they are.
        """
        require_memory(memory)
        return await self._reader.retry(memory, listen)

    async def append(
        self, memory: GistMemory, more: str | Document, *, live: bool = False, listen: Listener = ignore
    ) -> GistMemory:
        """Return the memory with more text at its end. Only that is read; all pages but the last stay as they are.

        ``more`` is a text, a document, or the same document as it is now, longer than before. With ``live``, text that
        does not fill a page is kept as it is and not sent to a model.
        If another process has added to the document meanwhile, the new text comes after that.
        """
        require_memory(memory)
        require_text(more)
        self.connection.require_open()
        return await self._reader.append(memory, more, live=live, listen=listen)

    async def aged(self, memory: GistMemory) -> GistMemory:
        """Return the memory with its older gists shortened as its plan says; ``finer`` is the whole one."""
        require_memory(memory)
        return await self._reader.aged(memory)

    async def recall(self, document_id: str, *, task: str = "") -> GistMemory | None:
        """Return the newest memory of a document in the library; None if there is none.

        It is the general memory, or the one that was made for a ``task``.
        """
        self.connection.require_open()
        return self._reader.recall(document_id, task=task)

    async def improve(
        self, memory: GistMemory, pages: int | Iterable[int], *, note: str = "", listen: Listener = ignore
    ) -> GistMemory:
        """Return the memory with better gists for these pages; ``note`` says what matters.

        The new gists are pinned: they stay, whatever the document is read with. A page for which the model returns
        nothing usable keeps its gist, and the memory's trace says why.
        """
        require_memory(memory)
        numbers = [pages] if isinstance(pages, int) else list(pages)
        return await self._reader.improve(memory, numbers, note=note, listen=listen)

    async def window(self) -> int | None:
        """Return the window in tokens that was given, that the server reports, or that was learnt; None if unknown."""
        return (await self.connection.window()).tokens

    async def session(
        self, plan: Plan, *, window: Window | None = None, listen: Listener = ignore, keep_text: bool = True
    ) -> Session:
        """Return a session with this agent's model and a trace of its own, for the functions of the core."""
        return await self.sessions.new(plan, window=window, listen=listen, keep_text=keep_text)

    async def use(self, settings: Settings) -> None:
        """Use the model that these settings name from now on; library and plan stay. Nothing may be going on."""
        before, owns = self.connection, self._owns_library
        await before.aclose()
        self._set_up(settings, None, self.library, self.plan, None, 0)
        self._owns_library = owns

    async def aclose(self) -> None:
        """Wait for calls in flight, so that what was paid for is kept, and close the connection."""
        await self.connection.aclose()
        if self._owns_library:
            self.library.close()

    async def __aenter__(self) -> Self:
        self.connection.require_open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _instructed(plan: Plan | str | None, settings: Settings) -> Plan:
    """Return the plan, with the instructions of the domain in the settings where it has none."""
    chosen = named_plan(settings.preset if plan is None or plan == "" else plan)
    return replace(chosen, instructions=chosen.instructions or domain(settings.domain, settings.home))
