"""EmbeddedReader: a model like any other to the core, that decides by measuring and never by talking.

Pauses, gists, pages and options are found with sentence vectors and words; a small language model, where there is
one, only words the answer from the few paragraphs that bear on the question. Every decision is legal by construction.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from readagent.core.embedder import Embedder
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Reply
from readagent.core.question import Question
from readagent.core.trace import Usage
from readagent.core.words import estimate_tokens
from readagent.embedded.answer import WEAK, Support, quotable, supported_options, supporting
from readagent.embedded.find import Finder
from readagent.embedded.meaning import understood, unit, vectors_of
from readagent.embedded.pause import best_pause, starts_section
from readagent.embedded.shorten import shortened
from readagent.errors import UsageError
from readagent.retrieval.evidence import scaled
from readagent.retrieval.passages import passages

VERSION = "embedded-1"
_APART = 0.35  # likeness of neighbouring pages under which the second begins something new
_KEPT = 4  # memories whose evidence is kept at hand


class Wording(Protocol):
    """A small language model, for what cannot be measured: wording an answer, and how likely a text is."""

    @property
    def name(self) -> str: ...

    async def answer(self, question: str, passages: Sequence[str]) -> str: ...

    async def likelihoods(self, question: str, passages: Sequence[str], options: Sequence[str]) -> list[float]: ...

    async def aclose(self) -> None: ...


class EmbeddedReader:
    """Reads with an embedder, and words its answers with a language model; without one it answers in quotes."""

    def __init__(self, embedder: Embedder, wording: Wording | None = None) -> None:
        self._embedder = embedder
        self._wording = wording
        self._finders: OrderedDict[tuple[str, str], Finder] = OrderedDict()

    @property
    def name(self) -> str:
        worded = f" {self._wording.name}" if self._wording is not None else ""
        return f"{VERSION} {self._embedder.name}{worded}"

    async def complete(self, ask: Ask) -> Reply:
        """The reply to an ask, worked out from its material."""
        match ask.step:
            case "paginate":
                text = await self._pause(ask)
            case "gist":
                text = await self._gist(ask)
            case "merge":
                text = await self._merge(ask)
            case "look_up":
                text = await self._look_up(ask)
            case "respond":
                text = await self._respond(ask)
        if ask.listen is not None:
            ask.listen(text)
        return Reply(text, usage=Usage(estimate_tokens(ask.prompt), estimate_tokens(text)))

    async def aclose(self) -> None:
        """End the language model, if it was ever needed."""
        if self._wording is not None:
            await self._wording.aclose()

    async def _pause(self, ask: Ask) -> str:
        assert ask.choice is not None
        label = await best_pause(ask.material.passages, len(ask.choice.values), self._embedder)
        return f"Break point: <{label}>"

    async def _gist(self, ask: Ask) -> str:
        (passage,) = ask.material.passages
        await vectors_of(passages(passage), self._embedder)  # kept, so that looking up later is quick
        return shortened(await understood(passage, self._embedder), ask.material.words)

    async def _merge(self, ask: Ask) -> str:
        first, second = ask.material.passages
        if starts_section(first, second):
            return "yes"
        rows = await vectors_of([first, second], self._embedder)
        return "yes" if float(unit(rows[0]) @ unit(rows[1])) < _APART else "no"

    async def _look_up(self, ask: Ask) -> str:
        memory, question = self._about(ask)
        assert ask.choice is not None
        finder = self._finder(memory)
        if ask.choice.single:
            pages = await finder.pages(question, 1 + len(ask.material.opened))
            left = [page for page in pages if page not in ask.material.opened]
            return f"Page {left[0]}" if left else "STOP"
        pages = await finder.pages(question, ask.choice.most)
        return f"I want to look up Page [{', '.join(map(str, pages))}] to check."

    async def _respond(self, ask: Ask) -> str:
        memory, question = self._about(ask)
        pages = ask.material.opened or tuple((await self._finder(memory).ranked(question))[0][:2])
        support = await supporting(memory, pages, question.text, self._embedder, most=4)
        if question.kind == "choice":
            return await self._choose(question, support)
        if question.kind == "claim":
            quotes = await quotable(support, question.text, self._embedder, most=1)
            return f"Answer: {'true' if quotes and quotes[0].strength >= 2 * WEAK else 'false'}"
        return await self._answer(question, support)

    async def _choose(self, question: Question, support: Sequence[Support]) -> str:
        """The option that evidence and likelihood speak for together."""
        scores = await supported_options(question, support, self._embedder)
        if self._wording is not None:
            likely = await self._wording.likelihoods(question.text, [one.text for one in support[:2]], question.options)
            scores = scaled(scores) + scaled(np.asarray(likely, np.float32))
        best = int(np.argmax(scores))
        return f"Answer: ({question.letters[best]}) {question.options[best]}"

    async def _answer(self, question: Question, support: Sequence[Support]) -> str:
        """A sentence or two, and the sentences of the text that support them; only those where there is little."""
        quotes = await quotable(support, question.text, self._embedder)
        shown = "\n".join(f'Page {quote.page}: "{quote.text}"' for quote in quotes)
        if max((quote.strength for quote in quotes), default=0.0) < WEAK:
            return f"The text does not seem to say. The nearest passages:\n{shown}".rstrip()
        if self._wording is None:
            return shown
        worded = await self._wording.answer(question.text, [one.text for one in support[:2]])
        return f"{worded}\n{shown}".strip()

    def _about(self, ask: Ask) -> tuple[GistMemory, Question]:
        if ask.material.memory is None or ask.material.question is None:
            raise UsageError(f"the embedded reader cannot {ask.step} without a memory and a question")
        return ask.material.memory, ask.material.question

    def _finder(self, memory: GistMemory) -> Finder:
        key = (memory.document.id, memory.key)
        finder = self._finders.pop(key, None) or Finder(memory, self._embedder)
        self._finders[key] = finder
        if len(self._finders) > _KEPT:
            self._finders.popitem(last=False)
        return finder
