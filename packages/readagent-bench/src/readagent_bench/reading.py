"""ReadingContext: what methods on documents share: one reading of each document, and one way to answer from text.

All calls go through the same cache, so that a run pays for each reading and each identical prompt once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeVar

from readagent.core.asking.position import cut
from readagent.core.asking.respond import respond, response_prompt
from readagent.core.asking.situation import Situation
from readagent.core.document import Document
from readagent.core.gists.parts import index_of, needs_parts
from readagent.core.gists.rewrite import shorten_older
from readagent.core.gists.sizes import choose_sizes
from readagent.core.memory import Gist, GistMemory, Page, reading_key
from readagent.core.model import Hinter
from readagent.core.pages.growing import grow
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
from readagent_bench.context import Context, window_for_prompt, window_for_text
from readagent_bench.example import Asked, Outcome, Preparation
from readagent_bench.folder import Key

T = TypeVar("T")
_PAUSING = ("paginate", "merge", "read", "mode")  # the last two if one pass was tried
_LESS = 0.97  # of the words or chunks that did not fit
GAP = "[...]\n\n"  # marks what is left out between excerpts


@dataclass(frozen=True, slots=True)
class Memories:
    """The memory of a document as it was read, and with its older gists shortened; the same one if none were."""

    whole: GistMemory
    fitted: GistMemory

    def preparation(self) -> Preparation:
        """Return the cost of the memory for methods that use the gists."""
        return Preparation(self.fitted.trace, self.fitted, self.whole)

    def pages_only(self) -> Preparation:
        """Return the cost of the pages alone, for methods that do not use the gists.

        Pages that were found in one pass with their gists have the cost of that pass: there is no way to find them
        without it.
        """
        trace = self.fitted.trace
        if self.whole.plan.mode == "fast":
            return Preparation(trace, self.fitted)
        calls = [call for call in trace.calls if call.step in _PAUSING]
        return Preparation(Trace(True, calls, [one for one in trace.fallbacks if one.step in _PAUSING]), self.fitted)


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
    """A context with one reading of each document. ``documents`` are those of the run, for methods that use several.

    Without ``gists`` no method of the run uses any, so none are written. ``note`` is shown with every free question
    when it is answered, and not when pages are searched for it. ``used`` is the work for a document that the trial used
    last.
    """

    hinter: Hinter = field(default_factory=WordHinter)
    documents: Sequence[Document] = ()
    recorded: Recorded = field(default_factory=Recorded)
    gists: bool = True
    note: str = ""
    used: Preparation | None = None
    _traces: dict[tuple[object, ...], Trace] = field(default_factory=dict)
    _made: dict[tuple[object, ...], asyncio.Task[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.embedder is not None and isinstance(self.hinter, WordHinter):
            from readagent.retrieval.evidence import HybridHinter

            self.hinter = HybridHinter(self.embedder)

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

    def cost_so_far(self, document: Document) -> Preparation:
        """Return the cost of all work for a document so far, for a method that could not finish it."""
        traces = [trace for key, trace in self._traces.items() if key[0] == document.id]
        calls = [call for trace in traces for call in trace.calls]
        return Preparation(Trace(True, calls, [one for trace in traces for one in trace.fallbacks]), failed=True)

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

    async def memories(self, document: Document, plan: Plan | None = None, room: int = 0) -> Memories:
        """Return the memories of a document, which is read once for all methods of the run.

        With ``room``, sizes are chosen as for a window that has so many tokens for gists and pages.
        """
        return await self._memories(document, plan or self.plan, "whole", read, room)

    async def pages(self, document: Document) -> tuple[GistMemory, Preparation]:
        """Return the pages of a document as a memory, and what finding them took, for methods that use no gists.

        If another method of the run uses gists, or pages and gists are made in one pass, the pages are those of that
        reading. Otherwise, or if no gists could be made, the memory has none.
        """
        if self.gists or self.plan.mode != "paper":
            try:
                memories = await self.memories(document)
            except FATAL:
                raise
            except ReadAgentError as error:
                if self.plan.mode != "paper" or error.retryable:
                    raise
            else:
                self.used = memories.pages_only()
                return memories.fitted, self.used
        reading = self._reading(self.plan)

        async def find(window: Window, trace: Trace) -> GistMemory:
            sized = choose_sizes(reading, document, window)
            session = await self._shared_session(sized, window, trace)
            check_page_fits(document, document.words, session)
            pages = tuple(await find_pages(document, session))
            gists = tuple(Gist("", 0) for _ in pages)
            return GistMemory(document, pages, gists, sized, session.model.name, trace=session.trace)

        name = f"{document.id} pages {reading_key(reading, self.agent.prompts.fingerprint, '')} {reading.scale}"
        memory = await self.prepared(document, ("pages", reading), lambda trace: self._attempted(find, name, trace))
        self.used = Preparation(memory.trace, memory)
        return memory, self.used

    async def grown(self, document: Document, plan: Plan) -> Memories:
        """Return the memories of a document that was read part by part, as if it were growing."""
        return await self._memories(document, plan, "grown", _grown)

    async def _memories(
        self,
        document: Document,
        plan: Plan,
        how: str,
        read: Callable[[Document, Session], Awaitable[GistMemory]],
        room: int = 0,
    ) -> Memories:
        reading = self._reading(plan)
        for_question = plan.task != self.plan.task

        async def make(window: Window, trace: Trace) -> Memories:
            sized = choose_sizes(reading, document, window_for_text(room, window) if room else window)
            session = await self._shared_session(sized, window, trace)
            whole = await read(document, session)
            return Memories(whole, await shorten_older(whole, session))

        name = f"{document.id} {how} {room} {reading_key(reading, self.agent.prompts.fingerprint, '')} {reading.scale}"
        memories = await self.prepared(
            document,
            (how, reading, room),
            lambda trace: self._attempted(make, name, trace),
            for_question=for_question,
        )
        self.used = replace(memories.preparation(), for_question=for_question)
        return memories

    async def _attempted(self, attempt: Callable[[Window, Trace], Awaitable[T]], name: str, trace: Trace) -> T:
        """Make attempts at a reading until the window is right; the trace has the calls of the last one."""

        async def once_more(window: Window) -> T:
            trace.calls.clear()
            trace.fallbacks.clear()
            return await attempt(window, trace)

        return await self.agent.connection.within_window(once_more, name, trace)

    async def _shared_session(self, plan: Plan, window: Window, trace: Trace) -> Session:
        """Return a session for work that several trials share."""
        return replace(await self.agent.session(plan, window=window, listen=self.listen), trace=trace)

    @staticmethod
    def _reading(plan: Plan) -> Plan:
        """Return the part of a plan that a reading depends on."""
        return Plan(**plan.reading(), recent=plan.recent, floor_words=plan.floor_words, scale=plan.scale)

    def noted(self, question: Question) -> Question:
        """Return a question as it is shown to the model that answers it."""
        shown = f"{question.text} {self.note}" if self.note and question.kind == "free" else question.text
        return replace(question, text=shown)

    async def ask(self, memories: Memories, question: Question, plan: Plan, room: int = 0) -> Outcome:
        """Answer as ReadAgent does: look up pages as the plan says, then answer.

        With ``room``, gists and pages in a prompt have at most so many tokens; the memory leaves some for pages.
        """

        async def attempt(window: Window) -> Outcome:
            session = await self.session(plan, window)
            if room:
                shown = Situation.of(shown_in_full(memories.whole.document, [], []), self.noted(question))
                used = window.count(response_prompt(shown, session, ()))
                session = replace(session, window=window_for_prompt(used + room, window))
            memory, done = memories.fitted, memories.preparation()
            if needs_parts(memory, session):
                memory, trace = await self._indexed(memory, session)
                done = replace(done, trace=Trace(True, [*done.trace.calls, *trace.calls], done.trace.fallbacks))
            answer = await ask(memory, self.noted(question), session)
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
                shown = Situation.of(excerpt(memory.document, parts), self.noted(question), excerpts=True)
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
        session, situation = await self.session(), Situation.of(shown, self.noted(question), excerpts=excerpts)
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


async def _grown(document: Document, session: Session) -> GistMemory:
    """Read a text as if it grew: by chapter or session, or by paragraph if it has neither."""
    top = min((one.heading for one in document.paragraphs if one.heading), default=0)
    starts = [one.start for one in document.paragraphs if one.heading == top]
    memory = GistMemory(cut(document, 0), (), (), session.plan, session.model.name, session.prompts.fingerprint)
    for end in [*starts, len(document.text)]:
        if end:
            memory = await grow(memory, cut(document, end), session, live=True)
    return memory


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
