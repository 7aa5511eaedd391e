"""AsyncReadAgent: a reader tied to a model and a library. Read once, ask as often as you like."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, TypeVar

from readagent.connect import hinter_of, is_local
from readagent.connected import Connected
from readagent.core.asking.position import position
from readagent.core.concurrency import together
from readagent.core.document import Document
from readagent.core.events import Listener, deaf
from readagent.core.gists.improve import improve
from readagent.core.gists.sizes import settled
from readagent.core.memory import GistMemory
from readagent.core.model import Hinter, Model
from readagent.core.pages.growing import extended, grow, is_full, longer
from readagent.core.plan import LookUp, Plan, preset
from readagent.core.prefix import Prefixes
from readagent.core.prompts import Prompts
from readagent.core.question import Answer, Question
from readagent.core.reading import Turn, ask, most_words
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.domains import domain
from readagent.embedded.local import LOCAL
from readagent.errors import (
    BudgetExceededError,
    LibraryError,
    ReadAgentError,
    UnauthorizedError,
    UnknownModelError,
)
from readagent.keeping import Keeping
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
    words do it, and vectors too where the embedded weights are there. Anything else is a setting, as ``window=8192`` or
    ``domain="law"``, which gives instructions to a plan that has none.
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
        chosen = preset(plan or self.settings.preset) if not isinstance(plan, Plan) else plan
        said = chosen.instructions or domain(self.settings.domain, self.settings.home)
        self.plan = replace(chosen, instructions=said)
        self.prompts = Prompts.load(self.settings.prompts)
        self.library = library
        self._keeping = Keeping(library)
        self._hinter = hinter
        self._own = None if isinstance(source, str) else source
        self._prefixes = Prefixes()
        self._connected = Connected(self.settings, library, self._own, run)

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
        wanted = plan or self.plan
        chosen = await self.plan_for(document, wanted)

        async def attempt(window: Window) -> GistMemory:
            session = await self.session(chosen, window=window, listen=listen, keep_text=False)
            most = most_words(document, session) if wanted.scale else None
            if most is not None and most < chosen.page_words:  # the window turned out to be smaller than it was said
                session = replace(session, plan=settled(wanted, document, window))
            memory = await self._keeping.gisted(document, session)
            return await self._keeping.fitted(memory, session) if merge else memory

        return await self.within_window(attempt)

    async def plan_for(self, document: Document, plan: Plan | None = None) -> Plan:
        """The plan that a document is read with: where sizes follow from the text, with those sizes.

        What was begun with other sizes goes on with them, so that nothing is read twice.
        """
        wanted = plan or self.plan
        if not wanted.scale:
            return wanted
        name = (await self._connected.model()).name
        known = self._keeping.begun(document, wanted, name, self.prompts.fingerprint)
        if known is not None:
            sizes = ("page_words", "min_page_words", "gist_words", "max_pages", "by_importance")
            return replace(wanted, **{name: getattr(known, name) for name in sizes}, scale=False)
        return settled(wanted, document, await self._connected.window())

    async def append(
        self, memory: GistMemory, more: str | Document, *, live: bool = False, listen: Listener = deaf
    ) -> GistMemory:
        """The memory with more at the end of its text; only that is read, and all pages but the last stay as they are.

        ``more`` is a text, a document, or the same document as it is now, longer than it was. With ``live``, what does
        not fill a page waits unread, as it is; it is kept before the model is asked. The memory is not merged: asking
        does that where the window demands it.
        """
        whole = self._keeping.whole(memory)
        document = longer(whole.document, more)
        if document.text == whole.document.text:
            return memory
        if live:
            whole = self._keeping.grown(whole, extended(whole, document, self._keeping.pinned(whole)))
            if not is_full(whole):
                return whole

        async def attempt(window: Window) -> GistMemory:
            session = await self.session(whole.plan, window=window, listen=listen, keep_text=False)
            return await grow(whole, document, session, pinned=self._keeping.pinned(whole), live=live)

        return self._keeping.grown(whole, await self.within_window(attempt))

    async def aged(self, memory: GistMemory) -> GistMemory:
        """The memory with its older gists shortened as its plan says, not merged; the whole one is its ``finer``."""

        async def attempt(window: Window) -> GistMemory:
            return await self._keeping.aged(self._keeping.whole(memory), await self.session(memory.plan, window=window))

        return await self.within_window(attempt)

    async def recall(
        self, document_id: str, *, task: str = "", merge: bool = True, listen: Listener = deaf
    ) -> GistMemory | None:
        """The newest memory of a document in the library, made to fit this model's window; None if there is none.

        It is the general one, or with ``task`` the one that was made for that task.
        """
        if self.library is None:
            return None
        newest = self.library.memory(document_id, task=task)
        if newest is None:
            return None
        memory = self._keeping.whole(newest)
        if not merge:
            return memory

        async def attempt(window: Window) -> GistMemory:
            return await self._keeping.fitted(
                memory, await self.session(memory.plan, window=window, listen=listen, keep_text=False)
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
        history: Sequence[Turn] = (),
        thread: str = "",
        as_in: GistMemory | None = None,
        listen: Listener = deaf,
    ) -> Answer:
        """The answer to a question, with its quotes and the pages opened for it; kept in the library if there is one.

        ``up_to`` is how far the text may be known: a page, a chapter's heading, a share (``"40%"``) or the last
        sentence; nothing behind it is seen, and what was said in ``history`` with more known is left out. A memory too
        long for this model's window is merged first; pages are numbered as in the memory that is given all the same, or
        as in another memory of the same text, ``as_in``.
        """
        asked, numbering = Question(question) if isinstance(question, str) else question, as_in or memory
        given: dict[str, Any] = {"look_up": look_up, "max_pages": max_pages, "quotes": quotes, "hints": hints}
        plan = replace(memory.plan, **{name: value for name, value in given.items() if value is not None})
        offset = None if up_to is None else position(numbering, up_to)

        async def attempt(window: Window) -> tuple[Answer, GistMemory]:
            session = await self.session(plan, window=window, listen=listen)
            if offset is not None:  # what is seen is a text of its own, which the library need not know
                return await ask(memory, asked, session, history, offset, as_in=numbering), memory
            fitted = await self._keeping.fitted(memory, session)
            return await ask(fitted, asked, session, history, as_in=numbering), fitted

        answer, fitted = await self.within_window(attempt)
        self._keeping.keep_answer(fitted, answer, (await self._connected.model()).name, thread)
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
            return await self._keeping.fitted(memory, await self.session(plan, window=window, keep_text=False))

        shown = await self.within_window(fitted)
        free = asyncio.Semaphore(self.settings.parallel)

        async def one(place: int, question: str | Question) -> Answer | ReadAgentError:
            async with free:
                try:
                    came: Answer | ReadAgentError = await self.ask(shown, question, as_in=memory, **how)
                except _FATAL:
                    raise
                except ReadAgentError as error:
                    came = error
            if each is not None:
                each(place, came)
            return came

        return await together(one(place, question) for place, question in enumerate(questions))

    async def improve(
        self, memory: GistMemory, pages: int | Iterable[int], *, note: str = "", listen: Listener = deaf
    ) -> GistMemory:
        """The memory with the gists of these pages made anew, better than they were; ``note`` says what matters.

        In the library they are fixed then, all at once: kept, whatever the document is read with. A page for which the
        model gives nothing usable keeps its gist, and the memory's trace tells why.
        """
        numbers = [pages] if isinstance(pages, int) else list(pages)

        async def attempt(window: Window) -> GistMemory:
            session = await self.session(memory.plan, window=window, listen=listen, keep_text=False)
            self._keeping.keep_if_new(memory)
            made = await improve(memory, numbers, session, note)
            return self._keeping.pin(replace(memory, trace=session.trace), made)

        return await self.within_window(attempt)

    async def window(self) -> int | None:
        """The window in tokens: as given, as the server says, or as learnt from an overflow; None if unknown."""
        return (await self._connected.window()).tokens

    async def session(
        self, plan: Plan, *, window: Window | None = None, listen: Listener = deaf, keep_text: bool = True
    ) -> Session:
        """A reader over this agent's model with a trace of its own, for the functions of the core."""
        model = await self._connected.model()
        window = window or await self._connected.window()
        if plan.hints and self._hinter is None:
            self._hinter = hinter_of(self.settings, self.library)
        trace = Trace(keep_text=keep_text)
        return Session(model, self.prompts, plan, window, trace, listen, self._hinter, self._prefixes)

    async def within_window(self, attempt: Callable[[Window], Awaitable[T]]) -> T:
        """Do it; after an overflow do it again with the smaller window that was learnt. What was paid for is kept."""
        return await self._connected.within_window(attempt)

    async def aclose(self) -> None:
        """Wait for calls under way, so that what was paid for is kept, and close the connection."""
        await self._connected.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
