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
from readagent.core.embedder import Embedder, Vectors
from readagent.core.lookup import Situation
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.core.reader import Reader
from readagent.core.reading import ask, read
from readagent.core.respond import respond, response_prompt
from readagent.core.window import Window
from readagent.core.words import count_words
from readagent.errors import ContextOverflowError, UsageError


@dataclass(slots=True)
class Desk:
    """The model of ``agent``, and the ``embedder`` for methods that look for pages by meaning."""

    agent: AsyncReadAgent
    embedder: Embedder | None = None
    _readings: dict[tuple[str, Plan], asyncio.Task[GistMemory]] = field(default_factory=dict)

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
        return await asyncio.shield(self._readings[key])

    async def _read(self, document: Document, plan: Plan) -> GistMemory:
        async def attempt(window: Window) -> GistMemory:
            return await read(document, await self.agent.reader(plan, window=window, keep_text=False))

        return await self.agent.within_window(attempt)

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

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        """A vector for each text."""
        if self.embedder is None:
            raise UsageError(
                "this method needs an embedder", hint="readagent model pull minilm, or give --embedder URL#MODEL"
            )
        return await self.embedder.embed(texts)


def excerpt(document: Document, parts: Sequence[str]) -> GistMemory:
    """Parts of a document as pages of a memory of their own, to be shown in full instead of the memory of the whole."""
    pages, paragraphs, at = [], [], 0
    for number, part in enumerate(parts):
        pages.append(Page(number, at, at + len(part), count_words(part)))
        paragraphs.append(Paragraph(number, at, at + len(part)))
        at += len(part)
    shown = Document("".join(parts), tuple(paragraphs), title=document.title)
    return GistMemory(shown, tuple(pages), tuple(Gist("", 0) for _ in pages), Plan())
