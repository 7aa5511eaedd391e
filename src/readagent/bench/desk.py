"""Desk: what the methods of a run share: a model, one reading of each document, vectors, and one way to answer.

Everything goes through the same cache, so that a table costs each reading and each equal prompt once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from readagent.agent import AsyncReadAgent
from readagent.bench.example import Outcome, Studied
from readagent.core.asking.position import cut
from readagent.core.asking.respond import respond, response_prompt
from readagent.core.asking.situation import Situation
from readagent.core.document import Document, Paragraph
from readagent.core.gists.ageing import shorten_older
from readagent.core.gists.merge import fit
from readagent.core.gists.sizes import choose_sizes
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.model import Embedder, Hinter
from readagent.core.pages.growing import grow
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.core.reading import ask, read
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.core.words import count_words
from readagent.errors import ContextOverflowError, UsageError
from readagent.retrieval.hints import WordHinter
from readagent.retrieval.hybrid import HybridHinter
from readagent.retrieval.vectors import Array, vectors_of

T = TypeVar("T")
_PAUSING = ("paginate", "merge")


@dataclass(frozen=True, slots=True)
class Memories:
    """A memory as it was read, and as it was merged to fit the window; the same one where it fitted."""

    whole: GistMemory
    fitted: GistMemory

    def read(self) -> Studied:
        """For methods that use the gists."""
        return Studied(self.fitted.trace, self.fitted, self.whole)

    def paged(self) -> Studied:
        """For methods that have no use for the gists: what finding the pages took."""
        trace = self.fitted.trace
        calls = [call for call in trace.calls if call.step in _PAUSING]
        return Studied(Trace(True, calls, [one for one in trace.fallbacks if one.step in _PAUSING]), self.fitted)


@dataclass(slots=True)
class Desk:
    """The model of ``agent``, and the ``embedder`` for methods that look for pages by meaning.

    ``trace`` holds the calls that were made at this desk for a question; what was made once for a document has traces
    of its own. ``documents`` are all those of the run, for methods that ask several.
    """

    agent: AsyncReadAgent
    embedder: Embedder | None = None
    trace: Trace = field(default_factory=Trace)
    hinter: Hinter = field(default_factory=WordHinter)
    documents: Sequence[Document] = ()
    _made: dict[tuple[object, ...], asyncio.Task[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.embedder is not None and isinstance(self.hinter, WordHinter):
            self.hinter = HybridHinter(self.embedder)

    def seat(self) -> Desk:
        """The same desk, with a trace of its own: one for each question."""
        return replace(self, trace=Trace())

    @property
    def plan(self) -> Plan:
        """How documents are read in this run; answers are asked for as in the paper, without quotes."""
        return replace(self.agent.plan, quotes=False)

    async def once(self, document: Document, what: object, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What is made once for a document, whoever asks for it; a failure is everybody's too."""
        key = (document.id, what)
        if key not in self._made:
            self._made[key] = asyncio.create_task(make())
        made: T = await asyncio.shield(self._made[key])
        return made

    def forget(self, document: Document) -> None:
        """Let go of what was made for a document whose questions are all answered."""
        for key in [key for key in self._made if key[0] == document.id]:
            del self._made[key]

    async def aclose(self) -> None:
        """End what is still being made."""
        for task in self._made.values():
            task.cancel()
        await asyncio.gather(*self._made.values(), return_exceptions=True)
        self._made.clear()

    async def memories(self, document: Document, plan: Plan | None = None) -> Memories:
        """The memories of a document, read once for all methods of the run; their trace says what that took."""
        return await self._memories(document, plan or self.plan, "at once", read)

    async def grown(self, document: Document, plan: Plan) -> Memories:
        """The memories of a document that was read as it grew, part by part."""
        return await self._memories(document, plan, "as it grew", _grown)

    async def _memories(
        self, document: Document, plan: Plan, how: str, read: Callable[[Document, Session], Awaitable[GistMemory]]
    ) -> Memories:
        reading = Plan(**plan.reading(), recent=plan.recent, floor_words=plan.floor_words, scale=plan.scale)

        async def attempt(window: Window) -> Memories:
            session = await self.agent.session(choose_sizes(reading, document, window), window=window)
            whole = await read(document, session)
            return Memories(whole, await fit(await shorten_older(whole, session), session))

        return await self.once(document, (how, reading), lambda: self.agent.within_window(attempt))

    async def ask(self, memories: Memories, question: Question, plan: Plan) -> Outcome:
        """ReadAgent's own answer: look up as the plan says, then answer."""

        async def attempt(window: Window) -> Outcome:
            session = await self.session(plan, window)
            memory = await fit(memories.fitted, session)
            answer = await ask(memory, question, session)
            studied = replace(memories.read(), memory=memory)
            notes = (f"no room for pages {', '.join(map(str, answer.did_not_fit))}",) if answer.did_not_fit else ()
            words = round((1 - answer.compression) * memory.full_words)
            return Outcome(answer.text, answer.choice, answer.pages, words, studied, notes)

        return await self.agent.within_window(attempt)

    async def show(self, memory: GistMemory, ranked: Sequence[int], question: Question) -> Outcome:
        """An answer from these pages alone, in the order of the text; where not all find room, from the first ones."""

        async def attempt(window: Window) -> Outcome:
            session = await self.session(self.plan, window)
            for count in range(len(ranked), 0, -1):
                kept = tuple(sorted(ranked[:count]))
                shown = Situation(excerpt(memory.document, [memory.page_text(number) for number in kept]), question)
                if session.window.fits(response_prompt(shown, session, tuple(range(count)))):
                    notes = (f"no room for pages {', '.join(map(str, ranked[count:]))}",) if ranked[count:] else ()
                    outcome = await _answer(shown, session, tuple(range(count)))
                    return replace(outcome, pages=kept, notes=notes)
            raise UsageError(f"not one page fits a window of {window.tokens} tokens")

        return await self.agent.within_window(attempt)

    async def answer(self, shown: GistMemory, opened: Sequence[int], question: Question) -> Outcome:
        """An answer from what is shown, these pages of it in full, with the prompt that all methods share."""
        session, situation, pages = await self.session(), Situation(shown, question), tuple(opened)
        if not session.window.fits(response_prompt(situation, session, pages)):
            raise ContextOverflowError(
                f"a context of {shown.words(pages):,} words does not fit a window of {session.window.tokens:,} tokens"
            )
        return await _answer(situation, session, pages)

    async def session(self, plan: Plan | None = None, window: Window | None = None) -> Session:
        """A reader that writes to the trace of this desk, also for methods that ask in their own way."""
        session = await self.agent.session(plan or self.plan, window=window)
        return replace(session, trace=self.trace, hinter=self.hinter)

    async def vectors(self, texts: Sequence[str]) -> Array:
        """A vector for each text, as rows."""
        if self.embedder is None:
            raise UsageError(
                "this method needs an embedder", hint="readagent model pull minilm, or give --embedder URL#MODEL"
            )
        return await vectors_of(texts, self.embedder)


async def _answer(situation: Situation, session: Session, opened: tuple[int, ...]) -> Outcome:
    response = await respond(situation, session, opened)
    return Outcome(response.text, response.choice, opened, situation.memory.words(opened))


async def _grown(document: Document, session: Session) -> GistMemory:
    """A text read as it grew: chapter by chapter, or session by session; paragraph by paragraph where it has none."""
    top = min((one.heading for one in document.paragraphs if one.heading), default=0)
    starts = [one.start for one in document.paragraphs if one.heading == top]
    memory = GistMemory(cut(document, 0), (), (), session.plan, session.model.name, session.prompts.fingerprint)
    for end in [*starts, len(document.text)]:
        if end:
            memory = await grow(memory, cut(document, end), session, live=True)
    return memory


def excerpt(document: Document, parts: Sequence[str]) -> GistMemory:
    """Parts of a document as pages of a memory of their own, to be shown in full instead of the memory of the whole."""
    pages, paragraphs, at = [], [], 0
    for number, part in enumerate(parts):
        pages.append(Page(number, at, at + len(part), count_words(part)))
        paragraphs.append(Paragraph(number, at, at + len(part)))
        at += len(part)
    shown = Document("".join(parts), tuple(paragraphs), title=document.title)
    return GistMemory(shown, tuple(pages), tuple(Gist("", 0) for _ in pages), Plan())
