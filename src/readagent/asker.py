"""Asker: the methods of an agent that answer questions about a memory, one or many."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, Unpack

from readagent.core.asking.position import position
from readagent.core.asking.prepare import choose_passages
from readagent.core.concurrency import together
from readagent.core.memory import GistMemory
from readagent.core.overviews.global_questions import answer_over_all
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question, Quote, Turn, as_question
from readagent.core.reading import ask
from readagent.core.session import Session
from readagent.core.trace import Listener, Trace, calls_about, ignore
from readagent.core.window import Window
from readagent.errors import ReadAgentError, UsageError
from readagent.memories import Fitting, Memories
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
        left out. The pages of the answer are numbered as in ``memory.whole``.
        """
        check_options(options, AskOptions, "ask")
        require_memory(memory)
        asked, trace = as_question(question), Trace()
        plan, history, offset, fitting = self._asking(memory, options)

        async def attempt(window: Window) -> Answer:
            session = await self.sessions.again(plan, window, trace, options.get("listen", ignore))

            async def over_all(known: GistMemory, session: Session) -> Answer:
                kept = replace(session, unusable="retry" if options.get("retry") else "keep")
                return await answer_over_all(known, asked, kept, offset)

            return await ask(
                memory, asked, session, history, offset, fit_memory=fitting,
                over_all=None if history else over_all,
            )  # fmt: skip

        connection = self.sessions.connection
        with calls_about(memory.document.id):
            answer = await connection.within_window(attempt, trace=trace)
        if connection.is_local:  # it searches all passages, whatever gists a prompt shows
            answer = replace(answer, searched=None)
        name = (await connection.model()).name
        return self._memories.keep_answer(fitting.shown, answer, name, options.get("thread", ""))

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
            heard: AskOptions = {**options, "listen": listen}
            return self.ask(memory, asked, **heard)

        return AsyncTextStream(ask, options.get("listen", ignore))

    async def look_up(
        self, memory: GistMemory, question: str | Question, **options: Unpack[AskOptions]
    ) -> tuple[Quote, ...]:
        """Return the pages that matter to a question, as passages of the text. No answer is asked for.

        They are pages of ``memory.whole``, in the order in which the model chose them.
        """
        check_options(options, AskOptions, "look_up")
        asked, trace = as_question(question), Trace()
        plan, history, offset, fitting = self._asking(memory, options)

        async def attempt(window: Window) -> tuple[Quote, ...]:
            session = await self.sessions.again(plan, window, trace, options.get("listen", ignore))
            return await choose_passages(memory, asked, session, history, offset, fit_memory=fitting)

        with calls_about(memory.document.id):
            return await self.sessions.connection.within_window(attempt, trace=trace)

    def _asking(self, memory: GistMemory, options: AskOptions) -> tuple[Plan, Sequence[Turn], int | None, Fitting]:
        """Return the plan, the earlier turns, the offset that the text ends at, and what fits the memory."""
        self.sessions.connection.on_wait = options.get("listen", ignore)
        up_to = options.get("up_to")
        plan = plan_with(memory.plan, options)
        offset = None if up_to is None else position(memory.whole, up_to)
        return plan, turns(options.get("history", ())), offset, Fitting(self._memories, memory, keep=offset is None)

    async def ask_all(
        self,
        memory: GistMemory,
        questions: Sequence[str | Question],
        *,
        each: Each | None = None,
        **options: Unpack[AskOptions],
    ) -> list[Answer | ReadAgentError]:
        """Return the answers to many questions about one memory, in order, with an error where one failed.

        ``each`` is called with the position of a question and its result as soon as that is known. An error that every
        question would meet, such as a wrong key, is raised.
        """
        check_options(options, AskOptions, "ask_all")
        if isinstance(questions, str):
            raise UsageError("the questions are one text", hint="give a list of questions")
        require_memory(memory)
        plan = plan_with(memory.plan, options)

        async def fitted(window: Window) -> GistMemory:  # once, and not for every question at the same time
            return await self._memories.fitted(memory, await self.sessions.new(plan, window=window, keep_text=False))

        with calls_about(memory.document.id):
            shown = await self.sessions.connection.within_window(fitted)
        free = asyncio.Semaphore(self.sessions.parallel)

        async def one(place: int) -> Answer | ReadAgentError:
            result: Answer | ReadAgentError
            async with free:
                try:
                    result = await self.ask(shown, questions[place], **options)
                except FATAL:
                    raise
                except ReadAgentError as error:
                    result = error
            if each is not None:
                each(place, result)
            return result

        return await together(one(place) for place in range(len(questions)))
