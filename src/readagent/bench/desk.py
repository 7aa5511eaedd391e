"""Desk: what the methods of a run share: a model, one reading of each document, vectors, and one way to answer.

Everything goes through the same cache, so that a table costs each reading and each equal prompt once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from readagent.agent import AsyncReadAgent
from readagent.bench.example import Outcome
from readagent.core.document import Document, Paragraph
from readagent.core.embedder import Embedder
from readagent.core.lookup import Situation
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.core.reader import Reader
from readagent.core.reading import ask, gist
from readagent.core.respond import respond, response_prompt
from readagent.core.shrink import fit
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.core.words import count_words
from readagent.embedded.meaning import Array, vectors_of
from readagent.errors import ContextOverflowError, UsageError


@dataclass(frozen=True, slots=True)
class Memories:
    """A memory as it was read, and as it was merged to fit the window; the same one where it fitted."""

    whole: GistMemory
    fitted: GistMemory
    pausing: Trace  # what finding the pages alone took


@dataclass(slots=True)
class Desk:
    """The model of ``agent``, and the ``embedder`` for methods that look for pages by meaning."""

    agent: AsyncReadAgent
    embedder: Embedder | None = None
    _readings: dict[tuple[str, Plan], asyncio.Task[Memories]] = field(default_factory=dict)

    @property
    def plan(self) -> Plan:
        """How documents are read in this run."""
        return self.agent.plan

    async def memory(self, document: Document, plan: Plan | None = None) -> GistMemory:
        """The memory of a document, read once for all methods of the run; its trace says what that took."""
        reading = plan or self.plan
        key = (document.id, Plan(**reading.reading()))
        if key not in self._readings:
            self._readings[key] = asyncio.create_task(self._read(document, key[1]))
        return (await asyncio.shield(self._readings[key])).fitted

    async def _read(self, document: Document, plan: Plan) -> Memories:
        async def attempt(window: Window) -> Memories:
            reader = await self.agent.reader(plan, window=window, keep_text=False)
            whole = await gist(document, reader)
            fitted = await fit(whole, reader)
            pausing = [call for call in reader.trace.calls if call.step in ("paginate", "merge")]
            return Memories(whole, fitted, Trace(keep_text=False, calls=pausing))

        return await self.agent.within_window(attempt)

    def memories(self, trace: Trace | None) -> Memories | None:
        """The memories that came of the reading with this trace, while its document is on the desk."""
        done = (task.result() for task in self._readings.values() if task.done() and not task.exception())
        return next((one for one in done if trace is one.fitted.trace or trace is one.pausing), None)

    def pausing(self, memory: GistMemory) -> Trace:
        """What finding the pages of a memory took, for methods that have no use for its gists."""
        known = self.memories(memory.trace)
        return memory.trace if known is None else known.pausing

    def forget(self, document: Document) -> None:
        """Let go of the readings of a document whose questions are all answered."""
        self._readings = {key: task for key, task in self._readings.items() if key[0] != document.id}

    async def ask(self, memory: GistMemory, question: Question, plan: Plan) -> Outcome:
        """ReadAgent's own answer: look up as the plan says, then answer."""

        async def attempt(window: Window) -> Outcome:
            reader = await self.agent.reader(plan, window=window)
            answer = await ask(memory, question, reader)
            words = round((1 - answer.compression) * memory.full_words)
            return Outcome(answer.text, answer.choice, answer.pages, words, reader.trace, memory.trace)

        return await self.agent.within_window(attempt)

    async def answer(self, shown: GistMemory, opened: Sequence[int], question: Question) -> Outcome:
        """An answer from what is shown, these pages of it in full, with the prompt that all methods share."""
        reader = await self.agent.reader(self.plan)
        situation, pages = Situation(shown, question), tuple(opened)
        if not reader.window.fits(response_prompt(situation, reader, pages)):
            raise ContextOverflowError(f"a context of {shown.words(pages)} words does not fit the model's window")
        text, choice = await respond(situation, reader, pages)
        return Outcome(text, choice, pages, shown.words(pages), reader.trace)

    async def reader(self) -> Reader:
        """A reader with a trace of its own, for methods that ask in their own way."""
        return await self.agent.reader(self.plan)

    async def vectors(self, texts: Sequence[str]) -> Array:
        """A vector for each text, as rows."""
        if self.embedder is None:
            raise UsageError(
                "this method needs an embedder", hint="readagent model pull minilm, or give --embedder URL#MODEL"
            )
        return await vectors_of(texts, self.embedder)


def excerpt(document: Document, parts: Sequence[str]) -> GistMemory:
    """Parts of a document as pages of a memory of their own, to be shown in full instead of the memory of the whole."""
    pages, paragraphs, at = [], [], 0
    for number, part in enumerate(parts):
        pages.append(Page(number, at, at + len(part), count_words(part)))
        paragraphs.append(Paragraph(number, at, at + len(part)))
        at += len(part)
    shown = Document("".join(parts), tuple(paragraphs), title=document.title)
    return GistMemory(shown, tuple(pages), tuple(Gist("", 0) for _ in pages), Plan())
