"""AsyncReadAgent: a reader tied to a model and a library. Read once, ask as often as you like."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, TypeVar

from readagent.connect import Connection, connect, hinter_of, is_local, wrap
from readagent.core.document import Document
from readagent.core.events import Listener, deaf
from readagent.core.hints import Hinter
from readagent.core.memory import GistMemory, reading_key
from readagent.core.model import Model
from readagent.core.plan import Expand, LookUp, Plan, preset
from readagent.core.position import position
from readagent.core.prompts import Prompts
from readagent.core.question import Answer, Question
from readagent.core.reader import Reader
from readagent.core.reading import Turn, ask, gist
from readagent.core.shrink import fit
from readagent.core.together import together
from readagent.core.trace import Fallback, Trace
from readagent.core.window import Window
from readagent.embedded.local import LOCAL
from readagent.errors import (
    BudgetExceededError,
    ContextOverflowError,
    LibraryError,
    ReadAgentError,
    UnauthorizedError,
    UnknownModelError,
)
from readagent.library import Library
from readagent.settings import Settings, load_settings

T = TypeVar("T")
Each = Callable[[int, "Answer | ReadAgentError"], None]
_FATAL = (UnauthorizedError, UnknownModelError, BudgetExceededError, LibraryError)  # what no question would escape


class AsyncReadAgent:
    """Reads documents and answers questions about them.

    ``source`` is a short name (``"ollama/qwen3:8b"``), the URL of a server, the path of a GGUF file, or a model of your
    own; where it is empty and no setting names a model, the embedded reader is meant (``local()``). With a
    ``library`` every call, page and answer is kept and nothing is ever paid twice; without one, within this agent.
    ``run`` tells repetitions of the same reading apart. ``hinter`` finds pages where a plan wants hints; without one,
    words do it, and vectors too where the embedded weights are there. Anything else is a setting, as ``window=8192``.
    """

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
        if isinstance(source, str):
            settings |= {"model": model or source or None, "base_url": source if model and source else None}
        self.settings: Settings = load_settings(settings)
        self.plan = preset(plan or self.settings.preset) if not isinstance(plan, Plan) else plan
        self.prompts = Prompts.load(self.settings.prompts)
        self.library = library
        self._run = run
        self._hinter = hinter
        self._own = None if isinstance(source, str) else source
        self._connection: Connection | None = None
        self._window: Window | None = None

    @classmethod
    def local(cls, **settings: Any) -> Self:
        """An agent with the embedded reader, which needs no server and no key."""
        return cls(LOCAL, **settings)

    @property
    def is_local(self) -> bool:
        """Whether the embedded reader answers: small, offline, and better at quoting than at reasoning."""
        return self._own is None and is_local(self.settings)

    async def read(
        self, document: Document, *, plan: Plan | None = None, merge: bool = True, listen: Listener = deaf
    ) -> GistMemory:
        """The memory of a document: read now, or taken from the library if it was read in this way before.

        Without ``merge`` it may be too long for the window, which asking with hints can do with.
        """

        async def attempt(window: Window) -> GistMemory:
            reader = await self.reader(plan or self.plan, window=window, listen=listen, keep_text=False)
            memory = await self._gisted(document, reader)
            return await self._fitted(memory, reader) if merge else memory

        return await self.within_window(attempt)

    async def recall(self, document_id: str, *, merge: bool = True, listen: Listener = deaf) -> GistMemory | None:
        """The newest memory of a document in the library, made to fit this model's window; None if there is none."""
        if self.library is None:
            return None
        newest = self.library.memory(document_id)
        if newest is None:
            return None
        whole = reading_key(newest.plan, newest.prompts, newest.model)
        memory = newest if newest.window is None else self.library.memory(document_id, key=whole) or newest
        if not merge:
            return memory

        async def attempt(window: Window) -> GistMemory:
            return await self._fitted(
                memory, await self.reader(memory.plan, window=window, listen=listen, keep_text=False)
            )

        return await self.within_window(attempt)

    async def ask(
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
        """The answer to a question, with its quotes and the pages opened for it; kept in the library if there is one.

        ``up_to`` is how far the text may be known: a page, a chapter's heading, a share (``"40%"``) or the last
        sentence; nothing behind it is seen, and what was said in ``history`` with more known is left out. A memory too
        long for this model's window is merged first, and the pages are those of the merged memory, which ``recall``
        gives.
        """
        asked = Question(question) if isinstance(question, str) else question
        given: dict[str, Any] = {"look_up": look_up, "max_pages": max_pages, "quotes": quotes, "hints": hints,
                                 "keywords": keywords, "expand": expand}  # fmt: skip
        plan = replace(memory.plan, **{name: value for name, value in given.items() if value is not None})
        offset = None if up_to is None else position(memory, up_to)

        async def attempt(window: Window) -> tuple[Answer, GistMemory]:
            reader = await self.reader(plan, window=window, listen=listen)
            if offset is not None:  # what is seen is a text of its own, which the library need not know
                return await ask(memory, asked, reader, history, offset), memory
            fitted = await self._fitted(memory, reader)
            return await ask(fitted, asked, reader, history), fitted

        answer, fitted = await self.within_window(attempt)
        if self.library is not None:
            try:
                self.library.add(memory.document)
                name = (await self._connected()).model.name
                self.library.keep_answer(memory.document.id, fitted.key, answer, model=name, thread=thread)
            except LibraryError as error:  # the answer is there and paid for: better not kept than lost
                answer.trace.fallbacks.append(Fallback("keep", str(error), "the answer, which is not in the library"))
        return answer

    async def ask_all(
        self, memory: GistMemory, questions: Sequence[str | Question], *, each: Each | None = None, **how: Any
    ) -> list[Answer | ReadAgentError]:
        """The answers to many questions about one memory, at the same time, in their order; an error where one failed.

        ``each`` is called with a question's place and what came of it, as soon as that is known. What would fail for
        all of them, such as a wrong key, ends it. ``how`` is what ``ask`` takes.
        """
        hints = memory.plan.hints if how.get("hints") is None else how["hints"]

        async def fitted(window: Window) -> GistMemory:  # once, and not for every question at the same time
            plan = replace(memory.plan, hints=hints)
            return await self._fitted(memory, await self.reader(plan, window=window, keep_text=False))

        shown = await self.within_window(fitted)
        free = asyncio.Semaphore(self.settings.parallel)

        async def one(place: int, question: str | Question) -> Answer | ReadAgentError:
            async with free:
                try:
                    came: Answer | ReadAgentError = await self.ask(shown, question, **how)
                except _FATAL:
                    raise
                except ReadAgentError as error:
                    came = error
            if each is not None:
                each(place, came)
            return came

        return await together(one(place, question) for place, question in enumerate(questions))

    async def window(self) -> int | None:
        """The window in tokens: as given, as the server says, or as learnt from an overflow; None if unknown."""
        return (await self._known_window()).tokens

    async def reader(
        self, plan: Plan, *, window: Window | None = None, listen: Listener = deaf, keep_text: bool = True
    ) -> Reader:
        """A reader over this agent's model with a trace of its own, for the functions of the core."""
        model = (await self._connected()).model
        window = window or await self._known_window()
        if plan.hints and self._hinter is None:
            self._hinter = hinter_of(self.settings, self.library)
        return Reader(model, self.prompts, plan, window, Trace(keep_text=keep_text), listen, self._hinter)

    async def within_window(self, attempt: Callable[[Window], Awaitable[T]]) -> T:
        """Do it; after an overflow do it again with the smaller window that was learnt. What was paid for is kept."""
        connection = await self._connected()
        while True:
            window = await self._known_window()
            try:
                return await attempt(window)
            except ContextOverflowError as error:
                self._window = window.learnt(error)
                if connection.endpoint is not None:
                    connection.endpoint.learn_window(self._window.tokens)
            except ReadAgentError:
                await connection.model.drain()
                raise

    async def aclose(self) -> None:
        """Wait for calls under way, so that what was paid for is kept, and close the connection."""
        if self._connection is not None:
            await self._connection.model.drain()
            await self._connection.aclose()
            self._connection = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _gisted(self, document: Document, reader: Reader) -> GistMemory:
        """All pages and their gists, before any are merged."""
        key = reading_key(reader.plan, reader.prompts.fingerprint, reader.model.name)
        if self.library is None:
            return await gist(document, reader)
        self.library.add(document)
        known = self.library.memory(document.id, key=key)
        if known is not None:
            return known
        self._start(document.id, key, reader, None)
        return self._keep(await gist(document, reader), reader)

    async def _fitted(self, memory: GistMemory, reader: Reader) -> GistMemory:
        """The memory as it fits the window; what had to be merged for that is kept too. Hints may do without that."""
        if reader.plan.hints:
            return memory
        if memory.window is not None and memory.window == reader.window.tokens:
            return memory
        if self.library is not None and reader.window.tokens is not None:
            key = reading_key(memory.plan, memory.prompts, memory.model, reader.window.tokens)
            known = self.library.memory(memory.document.id, key=key)
            if known is not None:
                return known
        fitted = await fit(memory, reader)
        return fitted if fitted is memory else self._keep(fitted, reader)

    def _start(self, document_id: str, key: str, reader: Reader, window: int | None) -> int:
        assert self.library is not None
        return self.library.start_reading(
            document_id,
            key,
            model=reader.model.name,
            prompts=reader.prompts.fingerprint,
            plan=reader.plan,
            window=window,
        )

    def _keep(self, memory: GistMemory, reader: Reader) -> GistMemory:
        if self.library is not None:
            self.library.add(memory.document)
            reading = self._start(memory.document.id, memory.key, reader, memory.window)
            self.library.finish_reading(reading, memory)
        return memory

    async def _connected(self) -> Connection:
        if self._connection is None:
            if self._own is not None:
                self._connection = wrap(self._own, self.settings, self.library, run=self._run)
            else:
                self._connection = await connect(self.settings, self.library, run=self._run)
        return self._connection

    async def _known_window(self) -> Window:
        if self._window is None:
            tokens, endpoint = self.settings.window, (await self._connected()).endpoint
            if tokens is None and endpoint is not None:
                tokens = await endpoint.window()
            self._window = Window(tokens)
        return self._window
