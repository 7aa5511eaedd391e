"""AsyncReadAgent: a model and a library, to read documents once and to ask about them as often as you like."""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Coroutine,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack
from warnings import warn

from readagent.connection import Connection, hinter_of, is_local
from readagent.core.asking.passages import choose_passages
from readagent.core.asking.position import position
from readagent.core.batches import ask_together
from readagent.core.concurrency import as_finished, on_threads, together
from readagent.core.document import Document
from readagent.core.events import Listener, ignore
from readagent.core.gists.improve import improve
from readagent.core.gists.lengths import long_gists
from readagent.core.gists.sizes import KEPT, choose_sizes
from readagent.core.gists.warnings import warnings
from readagent.core.memory import GistMemory, reading_key, with_calls
from readagent.core.model import Hinter, Model
from readagent.core.pages.growing import extend, grow, is_full, lengthen, rebase
from readagent.core.pages.room import max_page_words
from readagent.core.plan import Plan, preset
from readagent.core.prefix import Prefixes
from readagent.core.prompts import Prompts
from readagent.core.question import Answer, Question, Quote, Turn
from readagent.core.reading import ask
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.domains import domain
from readagent.embedded.named import LOCAL
from readagent.errors import NotInLibraryError, ReadAgentError, UsageError
from readagent.library import Library
from readagent.library.token_facts import tree_of
from readagent.many import FATAL, ForEach, ListenToAll, ignore_all, require_document
from readagent.memories import Fitting, Memories, plan_to_ask
from readagent.models.purse import Budget, Purse
from readagent.models.turns import part_of
from readagent.options import AskOptions, check_options, plan_with, turns
from readagent.retrieval.hints import LazyHinter
from readagent.settings import Settings, load_settings
from readagent.trust import PROJECT_FILE

T = TypeVar("T")
R = TypeVar("R")
Each = Callable[[int, "Answer | ReadAgentError"], None]


class AsyncReadAgent:
    """Reads documents and answers questions about them.

    ``model`` is a name (``"ollama/qwen3:8b"``), the URL of a server, the path of a GGUF file, or a model of your own.
    Where none is given and no setting names one, the embedded reader is used (``local()``). Every call, page and
    answer is kept in the ``library``, so that nothing is paid for twice; without one, as long as the agent lives.

    ``plan`` is a plan or the name of a preset. ``domain`` names instructions for a plan that has none. ``hinter``
    finds pages for hints; by default a search does. ``run`` tells repetitions of the same reading apart. What is not
    given here is taken from the environment and the settings files.
    """

    def __init__(
        self,
        model: str | Path | Model = "",
        *,
        base_url: str | None = None,
        library: Library | None = None,
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
        named = model if isinstance(model, str) else ""
        budget = budget or Budget()
        settings = load_settings({
            "model": named or None, "base_url": base_url, "window": window, "domain": domain, "prompts": prompts,
            "parallel": parallel, "timeout": timeout, "silence": silence, "patience": patience,
            "requests_per_minute": requests_per_minute, "tokens_per_minute": tokens_per_minute,
            "temperature": temperature, "max_tokens": budget.tokens, "max_cost": budget.cost,
            "prices": prices, "model_options": model_options,
        })  # fmt: skip
        if settings.held_back:
            names = ", ".join(settings.held_back)
            warn(f"{names} in {PROJECT_FILE} ignored: run `readagent trust` to trust this folder", stacklevel=2)
        own = None if isinstance(model, str) else model
        self._set_up(settings, own, library, _instructed(plan, settings), hinter, run)

    @classmethod
    def local(
        cls,
        *,
        library: Library | None = None,
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
        library: Library | None = None,
        plan: Plan | None = None,
        hinter: Hinter | None = None,
        run: int = 0,
        purse: Purse | None = None,
    ) -> Self:
        """Return an agent for settings that are resolved already; a plan that is given is used as it is.

        Agents that are given the same ``purse`` share its budget.
        """
        agent = cls.__new__(cls)
        agent._set_up(settings, None, library, plan or _instructed(None, settings), hinter, run, purse)
        return agent

    def _set_up(
        self,
        settings: Settings,
        own: Model | None,
        library: Library | None,
        plan: Plan,
        hinter: Hinter | None,
        run: int,
        purse: Purse | None = None,
    ) -> None:
        self.settings = settings
        self.plan = plan
        self.prompts = Prompts.load(settings.prompts)
        self.library = library or Library.in_memory()
        self._owns_library = library is None
        self._memories = Memories(self.library)
        self._hinter = hinter
        self._own = own
        self._prefixes = Prefixes()
        self.connection = Connection(settings, self.library, own, run, purse)

    @property
    def is_local(self) -> bool:
        """Whether the embedded reader answers. It is small and offline, and better at quoting than at reasoning."""
        return self._own is None and is_local(self.settings)

    async def read(
        self, document: Document, *, plan: Plan | None = None, merge: bool = True, listen: Listener = ignore
    ) -> GistMemory:
        """Return the memory of a document: read now, or taken from the library if it was read in this way before.

        Without ``merge`` it may be longer than the window takes.
        """
        require_document(document)
        wanted, trace = plan or self.plan, Trace(keep_text=False)
        self.connection.on_wait = listen
        chosen = await self.plan_for(document, wanted)

        async def attempt(window: Window) -> GistMemory:
            session = await self._again(chosen, window, trace, listen)
            most = max_page_words(document, session) if wanted.scale else None
            if most is not None and most < chosen.page_words:  # the window turned out to be smaller than reported
                session = replace(session, plan=choose_sizes(wanted, document, window))
            memory = await self._memories.read(document, session)
            after = replace(session, window=await self.connection.window(tree_of(reading)))
            shown = await self._memories.fitted(memory, after) if merge else memory
            return replace(shown, warnings=warnings(shown, wanted, window) or long_gists(shown))

        reading = await self._reading(document, wanted)
        with part_of(document.id):
            return with_calls(await self.connection.within_window(attempt, reading, trace), trace)

    async def read_all(
        self,
        documents: Iterable[Document] | AsyncIterable[Document],
        *,
        plan: Plan | None = None,
        merge: bool = True,
        recall: bool = False,
        listen: ListenToAll = ignore_all,
    ) -> AsyncIterator[tuple[Document, GistMemory | ReadAgentError]]:
        """Read many documents at once; yield each with its memory, or with its error, as soon as that is known.

        Their calls share the slots of the server fairly, and questions go first. A document is taken from
        ``documents`` only when it is needed to keep the slots busy, so that few are held at a time; if ``documents``
        is not asynchronous, it is taken on another thread. With ``recall``, a document that was read before in any way
        is not read again. ``listen`` is called with a document and an event. An error that every document would meet,
        such as a wrong key, is raised.
        """
        work = ForEach(
            partial(self.read_or_recall, plan=plan, merge=merge, recall=recall), listen, model=self.connection.model
        )
        async with aclosing(self.as_finished(documents, work)) as finished:
            async for pair in finished:
                yield pair

    async def read_or_recall(
        self, document: Document, listen: ListenToAll, *, plan: Plan | None, merge: bool, recall: bool
    ) -> GistMemory:
        """Read one of many documents, see ``read_all``."""
        hear = partial(listen, document)
        known = await self.recall(document.id, merge=merge, listen=hear) if recall else None
        return known or await self.read(document, plan=plan, merge=merge, listen=hear)

    def as_finished(
        self,
        documents: Iterable[Document] | AsyncIterable[Document],
        work: Callable[[Document], Coroutine[Any, Any, R]],
    ) -> AsyncGenerator[tuple[Document, R], None]:
        """Yield each document with the result of its work, as many at a time as keep the slots busy."""
        source = aiter(documents) if isinstance(documents, AsyncIterable) else on_threads(documents)
        return as_finished(source, work, self.connection.documents_at_once)

    async def plan_for(self, document: Document, plan: Plan | None = None) -> Plan:
        """Return the plan that a document is read with, its sizes derived from the text where they are to be.

        A document that was begun with other sizes continues with those, so that nothing is read twice, unless they are
        so small that only a tiny window explains them, and the window is larger now.
        """
        wanted = plan or self.plan
        if not wanted.scale:
            return wanted
        name = (await self.connection.model()).name
        fresh = choose_sizes(wanted, document, await self.connection.window(await self._reading(document, wanted)))
        for known in self._memories.begun(document, wanted, name, self.prompts):
            if known.page_words >= min(0.8 * fresh.page_words, *KEPT):
                sizes = ("page_words", "min_page_words", "gist_words", "max_pages", "by_importance")
                return replace(wanted, **{name: getattr(known, name) for name in sizes}, scale=False)
        return fresh

    async def retry(self, memory: GistMemory, *, listen: Listener = ignore) -> GistMemory:
        """Return the memory with gists for the pages that have none: ``memory.leads``. Only these are asked for again.

        The memory in the library is updated. Pages that the model or its server still fails on stay as they are.
        """
        trace = Trace(keep_text=False)

        async def attempt(window: Window) -> GistMemory:
            session = await self._again(memory.plan, window, trace, listen)
            self._memories.keep_if_new(memory)
            return await self._memories.retried(memory, session)

        return with_calls(await self.connection.within_window(attempt, trace=trace), trace)

    async def _reading(self, document: Document, plan: Plan) -> str:
        """Return the name of the reading of a document with a plan, before its sizes are chosen."""
        name = (await self.connection.model()).name
        return f"{document.id} {reading_key(plan, self.prompts.fingerprint, name)} {plan.scale}"

    async def append(
        self, memory: GistMemory, more: str | Document, *, live: bool = False, listen: Listener = ignore
    ) -> GistMemory:
        """Return the memory with more text at its end. Only that is read; all pages but the last stay as they are.

        ``more`` is a text, a document, or the same document as it is now, longer than before. With ``live``, text that
        does not fill a page is kept as it is and not sent to a model. The memory is not merged; ``ask`` does that.
        If another process has added to the document meanwhile, the new text comes after that.
        """
        whole = self._memories.whole(memory)
        document = lengthen(whole.document, more)
        if document.text == whole.document.text:
            return memory
        while True:
            try:
                return await self._append(whole, document, live, listen)
            except NotInLibraryError:
                newer = self._memories.successor(whole)
                if newer is None:
                    raise
                if newer.document.text.startswith(document.text):  # it was kept before it was read
                    return newer
                whole, document = newer, rebase(whole.document, document, newer.document)

    async def _append(self, whole: GistMemory, document: Document, live: bool, listen: Listener) -> GistMemory:
        """Return the memory of the longer document; raise NotInLibraryError if it has grown otherwise meanwhile."""
        if live:  # keep the text before a model is asked
            whole = self._memories.grown(whole, extend(whole, document, self._memories.pinned(whole)))
            if not is_full(whole):
                return whole

        trace = Trace(keep_text=False)

        async def attempt(window: Window) -> GistMemory:
            session = await self._again(whole.plan, window, trace, listen)
            return await grow(whole, document, session, pinned=self._memories.pinned(whole), live=live)

        return self._memories.grown(whole, await self.connection.within_window(attempt, trace=trace))

    async def aged(self, memory: GistMemory) -> GistMemory:
        """Return the memory with its older gists shortened as its plan says, not merged; ``finer`` is the whole one."""

        async def attempt(window: Window) -> GistMemory:
            session = await self.session(memory.plan, window=window)
            return await self._memories.aged(self._memories.whole(memory), session)

        return await self.connection.within_window(attempt)

    async def recall(
        self, document_id: str, *, task: str = "", merge: bool = True, listen: Listener = ignore
    ) -> GistMemory | None:
        """Return the newest memory of a document in the library, merged to fit the window; None if there is none.

        It is the general memory, or the one that was made for a ``task``.
        """
        newest = self.library.memory(document_id, task=task)
        if newest is None:
            return None
        memory = self._memories.whole(newest)
        if not merge:
            return memory

        trace = Trace(keep_text=False)

        async def attempt(window: Window) -> GistMemory:
            session = await self._again(memory.plan, window, trace, listen)
            return await self._memories.fitted(memory, session)

        return with_calls(await self.connection.within_window(attempt, trace=trace), trace)

    async def ask(self, memory: GistMemory, question: str | Question, **options: Unpack[AskOptions]) -> Answer:
        """Return the answer to a question, with its quotes and the pages opened for it. It is kept in the library.

        With ``up_to`` nothing after that position is shown to the model, and turns of ``history`` that knew more are
        left out. The pages of the answer are numbered as in the memory that is given.
        """
        check_options(options, AskOptions, "ask")
        return await self._ask(memory, question, options, memory)

    async def _ask(
        self, memory: GistMemory, question: str | Question, options: AskOptions, numbering: GistMemory
    ) -> Answer:
        asked, trace = Question(question) if isinstance(question, str) else question, Trace()
        plan, history, offset, fitting = self._asking(memory, options, numbering)

        async def attempt(window: Window) -> Answer:
            session = await self._again(plan, window, trace, options.get("listen", ignore))
            return await ask(memory, asked, session, history, offset, as_in=numbering, fit_memory=fitting)

        answer = await self.connection.within_window(attempt, trace=trace)
        name = (await self.connection.model()).name
        self._memories.keep_answer(fitting.shown, answer, name, options.get("thread", ""))
        return answer

    def _asking(
        self, memory: GistMemory, options: AskOptions, numbering: GistMemory
    ) -> tuple[Plan, Sequence[Turn], int | None, Fitting]:
        """Return the plan, the earlier turns, the offset that the text ends at, and what fits the memory."""
        self.connection.on_wait = options.get("listen", ignore)
        up_to = options.get("up_to")
        plan = plan_with(plan_to_ask(memory, self.prompts), options)
        offset = None if up_to is None else position(numbering, up_to)
        return plan, turns(options.get("history", ())), offset, Fitting(self._memories, memory, keep=offset is None)

    async def look_up(
        self, memory: GistMemory, question: str | Question, **options: Unpack[AskOptions]
    ) -> tuple[Quote, ...]:
        """Return the pages that matter to a question, as passages of the text. No answer is asked for.

        They are pages of ``memory.whole``, in the order in which the model chose them.
        """
        check_options(options, AskOptions, "look_up")
        asked, trace = Question(question) if isinstance(question, str) else question, Trace()
        plan, history, offset, fitting = self._asking(memory, options, memory)

        async def attempt(window: Window) -> tuple[Quote, ...]:
            session = await self._again(plan, window, trace, options.get("listen", ignore))
            return await choose_passages(memory, asked, session, history, offset, fit_memory=fitting)

        return await self.connection.within_window(attempt, trace=trace)

    async def ask_all(
        self,
        memory: GistMemory,
        questions: Sequence[str | Question],
        *,
        each: Each | None = None,
        batch: int = 1,
        **options: Unpack[AskOptions],
    ) -> list[Answer | ReadAgentError]:
        """Return the answers to many questions about one memory, in order, with an error where one failed.

        ``each`` is called with the position of a question and its result as soon as that is known. An error that every
        question would meet, such as a wrong key, is raised. With ``batch`` up to so many questions share a call, where
        the look-up is ``direct`` or ``parallel``; each answer has its share of the words and tokens.
        """
        check_options(options, AskOptions, "ask_all")
        if batch < 1:
            raise UsageError(f"batch must be at least 1, not {batch}")
        plan = plan_with(plan_to_ask(memory, self.prompts), options)

        async def fitted(window: Window) -> GistMemory:  # once, and not for every question at the same time
            return await self._memories.fitted(memory, await self.session(plan, window=window, keep_text=False))

        shown = await self.connection.within_window(fitted)
        free = asyncio.Semaphore(self.settings.parallel)

        size = 1 if self.is_local else batch  # the embedded reader answers one question at a time

        async def some(first: int) -> list[Answer | ReadAgentError]:
            asked = questions[first : first + size]
            results: list[Answer | ReadAgentError]
            async with free:
                try:
                    if len(asked) == 1:
                        results = [await self._ask(shown, asked[0], options, memory)]
                    else:
                        results = await self._ask_together(shown, asked, options, memory)
                except FATAL:
                    raise
                except ReadAgentError as error:
                    results = [error] * len(asked)
            for place, result in enumerate(results, first):
                if each is not None:
                    each(place, result)
            return results

        found = await together(some(first) for first in range(0, len(questions), size))
        return [result for results in found for result in results]

    async def _ask_together(
        self, memory: GistMemory, questions: Sequence[str | Question], options: AskOptions, numbering: GistMemory
    ) -> list[Answer | ReadAgentError]:
        asked = [Question(one) if isinstance(one, str) else one for one in questions]
        plan, history, offset, fitting = self._asking(memory, options, numbering)
        traces = [Trace() for _ in asked]

        async def attempt(window: Window) -> list[Answer | ReadAgentError]:
            session = await self.session(plan, window=window, listen=options.get("listen", ignore))
            for trace in traces:
                trace.fallbacks.clear()
            return list(
                await ask_together(memory, asked, session, traces, history, offset, as_in=numbering, fit_memory=fitting)
            )

        results = await self.connection.within_window(attempt)
        name = (await self.connection.model()).name
        for result in results:
            if isinstance(result, Answer):
                self._memories.keep_answer(fitting.shown, result, name, options.get("thread", ""))
        return results

    async def improve(
        self, memory: GistMemory, pages: int | Iterable[int], *, note: str = "", listen: Listener = ignore
    ) -> GistMemory:
        """Return the memory with better gists for these pages; ``note`` says what matters.

        The new gists are pinned: they stay, whatever the document is read with. A page for which the model returns
        nothing usable keeps its gist, and the memory's trace says why.
        """
        numbers, trace = [pages] if isinstance(pages, int) else list(pages), Trace(keep_text=False)

        async def attempt(window: Window) -> GistMemory:
            session = await self._again(memory.plan, window, trace, listen)
            self._memories.keep_if_new(memory)
            made = await improve(memory, numbers, session, note)
            return self.library.pin(replace(memory, trace=session.trace), made)

        return await self.connection.within_window(attempt, trace=trace)

    async def window(self) -> int | None:
        """Return the window in tokens that was given, that the server reports, or that was learnt; None if unknown."""
        return (await self.connection.window()).tokens

    async def session(
        self, plan: Plan, *, window: Window | None = None, listen: Listener = ignore, keep_text: bool = True
    ) -> Session:
        """Return a session with this agent's model and a trace of its own, for the functions of the core."""
        model = await self.connection.model()
        window = window or await self.connection.window()
        if plan.hints is not False and self._hinter is None:
            self._hinter = LazyHinter(lambda: hinter_of(self.settings, self.library))
        trace = Trace(keep_text=keep_text)
        return Session(model, self.prompts, plan, window, trace, listen, self._hinter, self._prefixes)

    async def _again(self, plan: Plan, window: Window, trace: Trace, listen: Listener) -> Session:
        """Return a session for an attempt: what earlier attempts cost stays in the trace, their fallbacks do not."""
        trace.fallbacks.clear()
        return replace(await self.session(plan, window=window, listen=listen), trace=trace)

    async def aclose(self) -> None:
        """Wait for calls in flight, so that what was paid for is kept, and close the connection."""
        await self.connection.aclose()
        if self._owns_library:
            self.library.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _instructed(plan: Plan | str | None, settings: Settings) -> Plan:
    """Return the plan, with the instructions of the domain in the settings where it has none."""
    chosen = plan if isinstance(plan, Plan) else preset(plan or settings.preset)
    return replace(chosen, instructions=chosen.instructions or domain(settings.domain, settings.home))
