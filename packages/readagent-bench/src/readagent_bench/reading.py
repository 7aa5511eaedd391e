"""ReadingContext: what methods on documents share: one reading of each document, and one way to answer from text.

All calls go through the same cache, so that a run pays for each reading and each identical prompt once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeVar

from readagent.core.asking.respond import respond, response_prompt
from readagent.core.asking.situation import Situation
from readagent.core.document import Document
from readagent.core.gists.parts import index_of, needs_parts
from readagent.core.gists.sizes import choose_sizes
from readagent.core.memory import Gist, GistMemory, Page, reading_key
from readagent.core.model import Hinter
from readagent.core.pages.paginate import find_pages
from readagent.core.pages.windows import check_page_fits
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.core.reading import ask, read
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.core.words import Paragraph, count_words
from readagent.errors import ContextOverflowError, ReadAgentError, UsageError
from readagent.retrieval.hints import WordHinter
from readagent.source import FATAL
from readagent_bench.context import Context
from readagent_bench.folder import Key
from readagent_bench.records import Asked, Outcome, Preparation

T = TypeVar("T")
_LESS = 0.97  # of the words or chunks that did not fit
GAP = "[...]\n\n"  # marks what is left out between excerpts


@dataclass(slots=True)
class Recorded:
    """What the folder of a run has already: the keys of readings, and the traces of readings by case and ``id()``."""

    readings: set[Key] = field(default_factory=set)
    traces: set[tuple[str, int]] = field(default_factory=set)


def plan_of_run(plan: Plan) -> Plan:
    """Return a plan as runs use it: as in the paper, answers are asked for without quotes, and nothing is checked."""
    return replace(plan, quotes=False, check=False)


@dataclass(slots=True)
class ReadingContext(Context):
    """A context with one reading of each document.

    Without ``gists`` no method of the run uses any, so none are written. ``used`` is the work for a document that the
    trial used last.
    """

    hinter: Hinter = field(default_factory=WordHinter)
    recorded: Recorded = field(default_factory=Recorded)
    gists: bool = True
    used: Preparation | None = None
    _traces: dict[tuple[object, ...], Trace] = field(default_factory=dict)
    _made: dict[tuple[object, ...], asyncio.Task[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.embedder is not None and isinstance(self.hinter, WordHinter):
            from readagent.retrieval.meaning import MeaningHinter

            self.hinter = MeaningHinter(self.embedder)

    @property
    def plan(self) -> Plan:
        """The plan of the run."""
        return plan_of_run(self.agent.plan)

    def with_own_trace(self) -> Self:
        """Return this context for another trial: with an empty trace, and no work used."""
        return replace(self, trace=Trace(), used=None)

    async def once(self, document: Document, what: object, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Make something once per document and return it to every caller; a failure is raised in all of them."""
        key = (document.id, what)
        if key not in self._made:
            self._made[key] = asyncio.create_task(make())
        made: T = await asyncio.shield(self._made[key])
        return made

    async def prepared(
        self,
        document: Document,
        what: object,
        make: Callable[[Trace], Coroutine[Any, Any, T]],
        *,
        for_question: bool = False,
    ) -> T:
        """Return what ``once`` returns, for work that calls the model and records that in the trace it is given.

        If it fails, every trial that needed it has its cost.
        """
        trace = self._traces.setdefault((document.id, what), Trace())
        try:
            return await self.once(document, what, lambda: make(trace))
        except ReadAgentError:
            self.used = Preparation(trace, for_question=for_question, failed=True)
            raise

    def forget(self, document: Document) -> None:
        """Release what was made for a document whose questions are all answered."""
        for made in (self._made, self._traces):
            for key in [key for key in made if key[0] == document.id]:
                del made[key]

    async def aclose(self) -> None:
        """Cancel what is still being made."""
        for task in self._made.values():
            task.cancel()
        await asyncio.gather(*self._made.values(), return_exceptions=True)
        self._made.clear()

    async def memory(self, document: Document, plan: Plan | None = None) -> tuple[GistMemory, Preparation]:
        """Return the memory of a document, which is read once for all methods of the run, and what that took."""
        plan = plan or self.plan
        reading, for_question = self._reading(plan), plan.task != self.plan.task

        async def make(window: Window, trace: Trace) -> GistMemory:
            session = await self._shared_session(choose_sizes(reading, document, window), window, trace)
            return await read(document, session)

        memory = await self._read_once(document, "whole", reading, make, for_question=for_question)
        self.used = Preparation(memory.trace, memory, gists=True, for_question=for_question)
        return memory, self.used

    async def pages(self, document: Document) -> tuple[GistMemory, Preparation]:
        """Return the pages of a document as a memory, and what finding them took, for methods that use no gists.

        If another method of the run uses gists, or pages and gists are made in one pass, the pages are those of that
        reading. Otherwise, or if no gists could be made, the memory has none.
        """
        if self.gists or self.plan.mode != "paper":
            try:
                memory, _ = await self.memory(document)
            except FATAL:
                raise
            except ReadAgentError as error:
                if self.plan.mode != "paper" or error.retryable:
                    raise
            else:
                self.used = Preparation(Trace(), memory)
                return memory, self.used
        reading = self._reading(self.plan)

        async def find(window: Window, trace: Trace) -> GistMemory:
            sized = choose_sizes(reading, document, window)
            session = await self._shared_session(sized, window, trace)
            check_page_fits(document, document.words, session)
            pages = tuple(await find_pages(document, session))
            gists = tuple(Gist("", 0) for _ in pages)
            return GistMemory(document, pages, gists, sized, session.model.name, trace=session.trace)

        memory = await self._read_once(document, "pages", reading, find)
        self.used = Preparation(memory.trace, memory)
        return memory, self.used

    async def _read_once(
        self,
        document: Document,
        what: str,
        reading: Plan,
        make: Callable[[Window, Trace], Coroutine[Any, Any, GistMemory]],
        *,
        for_question: bool = False,
    ) -> GistMemory:
        """Read a document once, in attempts until the window is right; the trace has the calls of the last one."""
        name = f"{document.id} {what} {reading_key(reading, self.agent.prompts.fingerprint, '')} {reading.scale}"

        async def attempts(trace: Trace) -> GistMemory:
            async def once_more(window: Window) -> GistMemory:
                trace.calls.clear()
                trace.fallbacks.clear()
                return await make(window, trace)

            return await self.agent.connection.within_window(once_more, name, trace)

        return await self.prepared(document, (what, reading), attempts, for_question=for_question)

    async def _shared_session(self, plan: Plan, window: Window, trace: Trace) -> Session:
        """Return a session for work that several trials share."""
        return replace(await self.agent.session(plan, window=window, listen=self.listen), trace=trace)

    @staticmethod
    def _reading(plan: Plan) -> Plan:
        """Return the part of a plan that a reading depends on."""
        return Plan(**plan.reading(), scale=plan.scale)

    async def ask(self, asked: Asked, plan: Plan) -> Outcome:
        """Answer as ReadAgent does: read the document, look up pages as the plan says, then answer."""
        known, read_for = await self.memory(asked.document, plan)

        async def attempt(window: Window) -> Outcome:
            session = await self.session(plan, window)
            memory, done = known, read_for
            if needs_parts(memory, session):
                memory, trace = await self._indexed(memory, session)
                done = replace(done, trace=Trace(True, [*done.trace.calls, *trace.calls], done.trace.fallbacks))
            answer = await ask(memory, asked.question, session)
            notes = (f"did not fit: pages {', '.join(map(str, answer.did_not_fit))}",) if answer.did_not_fit else ()
            words = round((1 - answer.compression) * memory.full_words)
            return Outcome(answer.text, answer.choice, answer.pages, words, done, notes)

        return await self.agent.connection.within_window(attempt)

    async def _indexed(self, memory: GistMemory, session: Session) -> tuple[GistMemory, Trace]:
        """Return the index of a memory, which is made once for all methods of the run, and what that took."""

        async def make(trace: Trace) -> tuple[GistMemory, Trace]:
            return await index_of(memory, replace(session, trace=trace)), trace

        return await self.prepared(memory.document, ("index", memory.key), make)

    async def show(self, memory: GistMemory, ranked: Sequence[int], question: Question) -> Outcome:
        """Answer from these pages alone, in the order of the text; those ranked last are dropped if they do not fit."""

        async def attempt(window: Window) -> Outcome:
            session = await self.session(self.plan, window)
            for count in range(len(ranked), 0, -1):
                kept = tuple(sorted(ranked[:count]))
                parts = [(page.start, page.end) for page in (memory.pages[number] for number in kept)]
                shown = Situation.of(excerpt(memory.document, parts), question, excerpts=True)
                if session.window.fits(response_prompt(shown, session, tuple(range(count)))):
                    notes = (f"did not fit: pages {', '.join(map(str, ranked[count:]))}",) if ranked[count:] else ()
                    outcome = await _answer(shown, session, tuple(range(count)))
                    return replace(outcome, pages=kept, notes=notes)
            raise UsageError(f"no page fits a window of {window.tokens} tokens")

        return await self.agent.connection.within_window(attempt)

    async def answer(
        self,
        shown: GistMemory,
        opened: Sequence[int],
        question: Question,
        *,
        excerpts: bool = False,
        sure: bool = False,
    ) -> Outcome:
        """Answer from a memory with these pages opened, with the prompt that all methods share.

        ``excerpts`` if the memory has only parts of the text. ``sure`` if only the server knows whether it fits.
        """
        session, situation = await self.session(), Situation.of(shown, question, excerpts=excerpts)
        pages = tuple(opened)
        if sure:
            session = replace(session, window=replace(session.window, tokens=None))
        if not session.window.fits(response_prompt(situation, session, pages)):
            raise ContextOverflowError(
                f"a context of {shown.words(pages):,} words does not fit a window of {session.window.tokens:,} tokens"
            )
        return await _answer(situation, session, pages)

    async def answer_from(self, texts: Sequence[str], asked: Asked) -> Outcome:
        """Answer from these excerpts of a text alone, with the prompt that all methods share."""
        shown = shown_in_full(asked.document, texts, [count_words(text) for text in texts])
        outcome = await self.answer(shown, range(len(texts)), asked.question, excerpts=True)
        return replace(outcome, pages=None)

    async def session(self, plan: Plan | None = None, window: Window | None = None) -> Session:
        """Return a session with this context's trace and hinter, also for methods with prompts of their own."""
        return replace(await Context.session(self, plan, window), hinter=self.hinter)


async def most_that_fit(
    wanted: int, attempt: Callable[[int, bool], Awaitable[Outcome]], *, sure: bool
) -> tuple[int, Outcome]:
    """Return the outcome of an attempt with so many words or chunks, or with as many as fit, and how many these are.

    An attempt that is ``sure`` leaves it to the server whether they fit. If that refuses them, the estimates decide.
    """
    number = wanted
    while True:
        try:
            return number, await attempt(number, sure)
        except ContextOverflowError:
            if not sure:
                number = min(number - 1, int(_LESS * number))
            if number < 1:  # not even a few fit
                raise
            sure = False


async def _answer(situation: Situation, session: Session, opened: tuple[int, ...]) -> Outcome:
    response = await respond(situation, session, opened)
    return Outcome(response.text, response.choice, opened, situation.view.words(opened))


def excerpt(document: Document, spans: Sequence[tuple[int, int]]) -> GistMemory:
    """Return a memory whose pages are these spans of a document, to be shown in full; gaps between them are marked."""
    texts, words, at = [], [], 0
    for start, end in spans:
        texts.append((GAP if document.text[at:start].strip() else "") + document.text[start:end])
        words.append(count_words(document.text[start:end]))
        at = end
    if texts and document.text[at:].strip():
        texts[-1] = f"{texts[-1].rstrip()}\n\n{GAP}"
    return shown_in_full(document, texts, words)


def shown_in_full(document: Document, texts: Sequence[str], words: Sequence[int]) -> GistMemory:
    """Return a memory whose pages are these texts, with these numbers of words, to be shown in full."""
    pages, paragraphs, at = [], [], 0
    for number, (text, count) in enumerate(zip(texts, words, strict=True)):
        pages.append(Page(number, at, at + len(text), count))
        paragraphs.append(Paragraph(number, at, at + len(text)))
        at += len(text)
    shown = Document("".join(texts), tuple(paragraphs), title=document.title)
    return GistMemory(shown, tuple(pages), tuple(Gist("", 0) for _ in pages), Plan())
