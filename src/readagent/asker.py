"""Asker: answers questions about a memory, one or many. The work behind an agent's ``ask``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from readagent.core.asking.passages import choose_passages
from readagent.core.asking.position import memory_up_to, position
from readagent.core.batches import ask_together
from readagent.core.concurrency import together
from readagent.core.events import ignore
from readagent.core.memory import GistMemory
from readagent.core.overviews.chapter_questions import chapter_asked_for
from readagent.core.overviews.global_questions import Scope, answer_over_all, asks_for_content, scope_of
from readagent.core.overviews.span import Span
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question, Quote, Turn, as_question
from readagent.core.reading import ask
from readagent.core.subject import calls_about
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.errors import ReadAgentError, UsageError
from readagent.many import FATAL
from readagent.memories import Fitting, Memories, plan_to_ask
from readagent.options import AskOptions, plan_with, turns
from readagent.sessions import Sessions

Each = Callable[[int, "Answer | ReadAgentError"], None]


class Asker:
    """Asks the model of an agent, and keeps answers in its library. See AsyncReadAgent for the methods."""

    def __init__(self, sessions: Sessions, memories: Memories) -> None:
        self._sessions, self._memories = sessions, memories
        self._connection = sessions.connection

    async def ask(
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
            session = await self._sessions.again(plan, window, trace, options.get("listen", ignore))
            if scope:
                session = replace(session, unusable="retry" if options.get("retry") else "keep")
                known = memory.whole if offset is None else await memory_up_to(memory.whole, offset, session)
                return await answer_over_all(known, asked, session, scope, offset, span)
            return await ask(memory, asked, session, history, offset, as_in=numbering, fit_memory=fitting)

        with calls_about(memory.document.id):
            answer = await self._connection.within_window(attempt, trace=trace)
        name = (await self._connection.model()).name
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
        if self._connection.is_local:
            able = scope in ("summary", "timeline")
            return scope if able else "summary" if scope == "theme" and asks_for_content(asked) else "", span
        few = len(memory.whole.pages) <= plan.max_pages
        return "" if few or (options.get("history") and scope != "summary") else scope, span

    async def look_up(self, memory: GistMemory, question: str | Question, options: AskOptions) -> tuple[Quote, ...]:
        """Return the pages that matter to a question; see AsyncReadAgent.look_up."""
        asked, trace = as_question(question), Trace()
        plan, history, offset, fitting = self._asking(memory, options, memory)

        async def attempt(window: Window) -> tuple[Quote, ...]:
            session = await self._sessions.again(plan, window, trace, options.get("listen", ignore))
            return await choose_passages(memory, asked, session, history, offset, fit_memory=fitting)

        with calls_about(memory.document.id):
            return await self._connection.within_window(attempt, trace=trace)

    def _asking(
        self, memory: GistMemory, options: AskOptions, numbering: GistMemory
    ) -> tuple[Plan, Sequence[Turn], int | None, Fitting]:
        """Return the plan, the earlier turns, the offset that the text ends at, and what fits the memory."""
        self._connection.on_wait = options.get("listen", ignore)
        up_to = options.get("up_to")
        plan = plan_with(plan_to_ask(memory, self._sessions.prompts), options)
        offset = None if up_to is None else position(numbering, up_to)
        return plan, turns(options.get("history", ())), offset, Fitting(self._memories, memory, keep=offset is None)

    async def ask_all(
        self,
        memory: GistMemory,
        questions: Sequence[str | Question],
        options: AskOptions,
        *,
        each: Each | None,
        batch: int,
        parallel: int,
    ) -> list[Answer | ReadAgentError]:
        """Return the answers to many questions, in order; ``parallel`` calls are made at a time."""
        if batch < 1:
            raise UsageError(f"batch must be at least 1, not {batch}", hint="batch=1 asks one question per call")
        plan = plan_with(plan_to_ask(memory, self._sessions.prompts), options)

        async def fitted(window: Window) -> GistMemory:  # once, and not for every question at the same time
            return await self._memories.fitted(memory, await self._sessions.new(plan, window=window, keep_text=False))

        with calls_about(memory.document.id):
            shown = await self._connection.within_window(fitted)
        free = asyncio.Semaphore(parallel)

        async def some(places: Sequence[int]) -> list[Answer | ReadAgentError]:
            asked = [questions[place] for place in places]
            results: list[Answer | ReadAgentError]
            async with free:
                try:
                    if len(asked) == 1:
                        results = [await self.ask(shown, asked[0], options, memory)]
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
            session = await self._sessions.new(plan, window=window, listen=options.get("listen", ignore))
            for trace in traces:
                trace.fallbacks.clear()
            return list(
                await ask_together(memory, asked, session, traces, history, offset, as_in=numbering, fit_memory=fitting)
            )

        with calls_about(memory.document.id):
            results = await self._connection.within_window(attempt)
        name = (await self._connection.model()).name
        thread, keep = options.get("thread", ""), self._memories.keep_answer
        return [keep(fitting.shown, one, name, thread) if isinstance(one, Answer) else one for one in results]


def _groups(alone: Sequence[bool], batch: int) -> list[list[int]]:
    """Return the places of the questions that are asked together; those that must be asked alone are."""
    shared = [place for place, is_alone in enumerate(alone) if not is_alone]
    groups = [shared[at : at + batch] for at in range(0, len(shared), batch)]
    return sorted([*groups, *([place] for place, is_alone in enumerate(alone) if is_alone)])
