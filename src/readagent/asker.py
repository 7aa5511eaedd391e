"""Asker: the methods of an agent that answer questions about a memory, one or many."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, Unpack

from readagent.core.asking.descent import choose_passages
from readagent.core.asking.position import memory_up_to, position
from readagent.core.batches import ask_together
from readagent.core.concurrency import together
from readagent.core.memory import GistMemory
from readagent.core.overviews.entries import Span
from readagent.core.overviews.global_questions import Scope, answer_over_all, asks_for_content, scope_of
from readagent.core.overviews.question_scope import chapter_asked_for
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question, Quote, Turn, as_question
from readagent.core.reading import ask
from readagent.core.trace import Listener, Trace, calls_about, ignore
from readagent.core.window import Window
from readagent.errors import ReadAgentError, UsageError
from readagent.memories import Fitting, Memories, plan_to_ask
from readagent.options import AskOptions, check_options, plan_with, turns
from readagent.sessions import Sessions
from readagent.source import FATAL, require_memory
from readagent.stream import AsyncTextStream

Each = Callable[[int, "Answer | ReadAgentError"], None]


class Asker:
    """The methods of an agent that ask its model about a memory, and keep the answers in its library."""

    sessions: Sessions
    _memories: Memories

    async def ask(self, memory: GistMemory, question: str | Question, **options: Unpack[AskOptions]) -> Answer:
        """Return the answer to a question, with its quotes and the pages opened for it. It is kept in the library.

        With ``up_to`` nothing after that position is shown to the model, and turns of ``history`` that knew more are
        left out. The pages of the answer are numbered as in the memory that is given.
        """
        check_options(options, AskOptions, "ask")
        require_memory(memory)
        return await self._ask(memory, question, options, memory)

    def stream(
        self, memory: GistMemory, question: str | Question, **options: Unpack[AskOptions]
    ) -> AsyncTextStream[Answer]:
        """Return the text of an answer as it arrives, and then the answer; the keywords are those of ``ask``.

        See AsyncTextStream. It asks when the first piece is wanted.
        """
        check_options(options, AskOptions, "stream")
        require_memory(memory)
        self.sessions.connection.require_open()
        asked = as_question(question)

        def ask(listen: Listener) -> Coroutine[Any, Any, Answer]:
            return self._ask(memory, asked, {**options, "listen": listen}, memory)

        return AsyncTextStream(ask, options.get("listen", ignore))

    async def _ask(
        self, memory: GistMemory, question: str | Question, options: AskOptions, numbering: GistMemory
    ) -> Answer:
        """Return the answer to one question, its pages numbered as in ``numbering``."""
        asked, trace = as_question(question), Trace()
        plan, history, offset, fitting = self._asking(memory, options, numbering)
        scope, span = self._scope(memory, asked, plan, options)
        if span and offset is not None:
            span = (span[0], min(span[1], offset))
            scope = scope if span[0] < span[1] else ""

        async def attempt(window: Window) -> Answer:
            session = await self.sessions.again(plan, window, trace, options.get("listen", ignore))
            if scope:
                session = replace(session, unusable="retry" if options.get("retry") else "keep")
                known = memory.whole if offset is None else await memory_up_to(memory.whole, offset, session)
                return await answer_over_all(known, asked, session, scope, offset, span)
            return await ask(memory, asked, session, history, offset, as_in=numbering, fit_memory=fitting)

        connection = self.sessions.connection
        with calls_about(memory.document.id):
            answer = await connection.within_window(attempt, trace=trace)
        name = (await connection.model()).name
        return self._memories.keep_answer(fitting.shown, answer, name, options.get("thread", ""))

    def _scope(self, memory: GistMemory, asked: Question, plan: Plan, options: AskOptions) -> tuple[Scope, Span | None]:
        """Return whether a question is about the whole text, or about a chapter and which.

        It is not if ``look_up`` is given, or it follows earlier ones. The offline reader can find passages, select
        sentences and find dates, but not tell characters or go through a text for a list.
        """
        if options.get("look_up"):
            return "", None
        scope, span = scope_of(asked, memory.document.title), None
        if not scope and (span := chapter_asked_for(asked, memory.whole)):
            scope = "summary"
        if self.sessions.connection.is_local:
            able = scope in ("summary", "timeline")
            return scope if able else "summary" if scope == "theme" and asks_for_content(asked) else "", span
        few = len(memory.whole.pages) <= plan.max_pages
        return "" if few or (options.get("history") and scope != "summary") else scope, span

    async def look_up(
        self, memory: GistMemory, question: str | Question, **options: Unpack[AskOptions]
    ) -> tuple[Quote, ...]:
        """Return the pages that matter to a question, as passages of the text. No answer is asked for.

        They are pages of ``memory.whole``, in the order in which the model chose them.
        """
        check_options(options, AskOptions, "look_up")
        asked, trace = as_question(question), Trace()
        plan, history, offset, fitting = self._asking(memory, options, memory)

        async def attempt(window: Window) -> tuple[Quote, ...]:
            session = await self.sessions.again(plan, window, trace, options.get("listen", ignore))
            return await choose_passages(memory, asked, session, history, offset, fit_memory=fitting)

        with calls_about(memory.document.id):
            return await self.sessions.connection.within_window(attempt, trace=trace)

    def _asking(
        self, memory: GistMemory, options: AskOptions, numbering: GistMemory
    ) -> tuple[Plan, Sequence[Turn], int | None, Fitting]:
        """Return the plan, the earlier turns, the offset that the text ends at, and what fits the memory."""
        self.sessions.connection.on_wait = options.get("listen", ignore)
        up_to = options.get("up_to")
        plan = plan_with(plan_to_ask(memory, self.sessions.prompts), options)
        offset = None if up_to is None else position(numbering, up_to)
        return plan, turns(options.get("history", ())), offset, Fitting(self._memories, memory, keep=offset is None)

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
        require_memory(memory)
        if batch < 1:
            raise UsageError(f"batch must be at least 1, not {batch}", hint="batch=1 asks one question per call")
        if self.sessions.connection.is_local:
            batch = 1  # the embedded reader answers one question at a time
        plan = plan_with(plan_to_ask(memory, self.sessions.prompts), options)

        async def fitted(window: Window) -> GistMemory:  # once, and not for every question at the same time
            return await self._memories.fitted(memory, await self.sessions.new(plan, window=window, keep_text=False))

        with calls_about(memory.document.id):
            shown = await self.sessions.connection.within_window(fitted)
        free = asyncio.Semaphore(self.sessions.parallel)

        async def some(places: Sequence[int]) -> list[Answer | ReadAgentError]:
            asked = [questions[place] for place in places]
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
            for place, result in zip(places, results, strict=True):
                if each is not None:
                    each(place, result)
            return results

        groups = _groups([bool(self._scope(memory, as_question(one), plan, options)[0]) for one in questions], batch)
        found = await together(some(places) for places in groups)
        results = {place: one for places, some in zip(groups, found, strict=True)
                   for place, one in zip(places, some, strict=True)}  # fmt: skip
        return [results[place] for place in range(len(questions))]

    async def _ask_together(
        self, memory: GistMemory, questions: Sequence[str | Question], options: AskOptions, numbering: GistMemory
    ) -> list[Answer | ReadAgentError]:
        asked = [as_question(one) for one in questions]
        plan, history, offset, fitting = self._asking(memory, options, numbering)
        traces = [Trace() for _ in asked]

        async def attempt(window: Window) -> list[Answer | ReadAgentError]:
            session = await self.sessions.new(plan, window=window, listen=options.get("listen", ignore))
            for trace in traces:
                trace.fallbacks.clear()
            return list(
                await ask_together(memory, asked, session, traces, history, offset, as_in=numbering, fit_memory=fitting)
            )

        with calls_about(memory.document.id):
            results = await self.sessions.connection.within_window(attempt)
        name = (await self.sessions.connection.model()).name
        thread, keep = options.get("thread", ""), self._memories.keep_answer
        return [keep(fitting.shown, one, name, thread) if isinstance(one, Answer) else one for one in results]


def _groups(alone: Sequence[bool], batch: int) -> list[list[int]]:
    """Return the places of the questions that are asked together; those that must be asked alone are."""
    shared = [place for place, is_alone in enumerate(alone) if not is_alone]
    groups = [shared[at : at + batch] for at in range(0, len(shared), batch)]
    return sorted([*groups, *([place] for place, is_alone in enumerate(alone) if is_alone)])
