"""LocalModel: a model like any other to the core, that decides by measuring and never by talking.

Pauses, gists, pages and options are found with sentence vectors and words; a small language model, where there is
one, only words the answer from the few paragraphs that bear on the question. Every decision is legal by construction.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from readagent.core.form import Pages
from readagent.core.gists.shorten import LEAD_SHARE
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Embedder, Reply
from readagent.core.question import Question
from readagent.core.trace import Usage
from readagent.core.words import estimate_tokens
from readagent.embedded.answer import WEAK, Support, borne_out, flowing, quotable, supported_options, supporting
from readagent.embedded.find import Finder
from readagent.embedded.meaning import understood
from readagent.embedded.pause import best_pause, starts_section
from readagent.embedded.shorten import shortened
from readagent.errors import UsageError
from readagent.retrieval.evidence import scaled
from readagent.retrieval.passages import passages
from readagent.retrieval.vectors import meant, unit, vectors_of

VERSION = "embedded-2"
_APART = 0.35  # likeness of neighbouring pages under which the second begins something new
_KEPT = 4  # memories whose evidence is kept at hand


class Wording(Protocol):
    """A small language model, for what cannot be measured: wording an answer, and how likely a text is."""

    @property
    def name(self) -> str: ...

    async def answer(self, question: str, passages: Sequence[str]) -> str: ...

    async def likelihoods(self, question: str, passages: Sequence[str], options: Sequence[str]) -> list[float]: ...

    async def follows(self, before: str, text: str) -> float: ...

    async def aclose(self) -> None: ...


class LocalModel:
    """Reads with an embedder, and words its answers with a language model; without one it answers in quotes.

    ``by_likelihood``: the language model weighs the places to pause that are best by meaning, seconds for each.
    """

    def __init__(self, embedder: Embedder, wording: Wording | None = None, *, by_likelihood: bool = False) -> None:
        self._embedder = embedder
        self._wording = wording
        self._by_likelihood = by_likelihood and wording is not None
        self._finders: OrderedDict[tuple[str, str], Finder] = OrderedDict()

    @property
    def name(self) -> str:
        worded = f" {self._wording.name}" if self._wording is not None else ""
        weighed = " pauses by likelihood" if self._by_likelihood else ""
        return f"{VERSION} {self._embedder.name}{worded}{weighed}"

    async def complete(self, ask: Ask) -> Reply:
        """The reply to an ask, worked out from its material."""
        match ask.step:
            case "paginate":
                text = await self._pause(ask)
            case "gist":
                text = await self._gist(ask)
            case "read":
                text = await self._read(ask)
            case "merge":
                text = await self._merge(ask)
            case "look_up":
                text = await self._look_up(ask)
            case "respond":
                text = await self._respond(ask)
            case "walk":
                text = await self._walk(ask)
            case "rate":
                raise UsageError("the offline reader cannot rate answers", hint="name a rater with --model")
            case "act":
                raise UsageError("the offline reader cannot act on web pages", hint="name a model with --model")
        if ask.listen is not None:
            ask.listen(text)
        return Reply(text, usage=Usage(estimate_tokens(ask.prompt), estimate_tokens(text)))

    async def aclose(self) -> None:
        """End the language model, if it was ever needed."""
        if self._wording is not None:
            await self._wording.aclose()

    async def _pause(self, ask: Ask) -> str:
        assert ask.choice is not None
        return f"Break point: <{await self._best(ask.material.passages, len(ask.choice.values))}>"

    async def _best(self, pieces: Sequence[str], labels: int) -> int:
        follows = self._wording.follows if self._wording and self._by_likelihood else None
        return await best_pause(pieces, labels, self._embedder, follows)

    async def _gist(self, ask: Ask) -> str:
        (passage,) = ask.material.passages
        return await self._shortened(passage, ask.material.words)

    async def _shortened(self, passage: str, words: int) -> str:
        await vectors_of(passages(passage), self._embedder)  # kept, so that looking up later is quick
        gist = shortened(await understood(passage, self._embedder), words)
        await meant([gist], self._embedder)  # likewise
        return gist

    async def _read(self, ask: Ask) -> str:
        """Page after page: the best pause of those within the bounds, and what the page comes to."""
        if not isinstance(ask.form, Pages):
            raise UsageError("the embedded reader cannot read without knowing where pages may end")
        pieces, labels, told = ask.material.passages, ask.form.labels, []
        first, start = 0, 0
        while first < len(labels):
            reach = [i for i in range(first, len(labels)) if labels[i] - start <= ask.form.most] or [first]
            legal = [i for i in reach if labels[i] - start >= ask.form.least] or reach[-1:]
            legal = [i for i in legal if labels[-1] - labels[i] >= ask.form.least] or [len(labels) - 1]
            shown = ("\n\n".join(pieces[first : legal[0] + 1]), *pieces[legal[0] + 1 : reach[-1] + 2])
            last = legal[await self._best(shown, len(legal)) - 1] if len(legal) > 1 else legal[0]
            passage = "\n\n".join(pieces[first : last + 1])
            words = min(ask.material.words, max(25, int(LEAD_SHARE * (labels[last] - start))))
            told.append(f"<{labels[last]}> {await self._shortened(passage, words)}")
            first, start = last + 1, labels[last]
        return "\n\n".join(told)

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
            page = await finder.next_page(question, ask.material.opened)
            return "STOP" if page is None else f"Page {page}"
        pages = await finder.pages(question, ask.choice.most)
        return f"I want to look up Page [{', '.join(map(str, pages))}] to check."

    async def _walk(self, ask: Ask) -> str:
        """The part nearest to the question; at the end of the way there is nothing to choose: it answers."""
        assert ask.choice is not None
        if "ANSWER" in ask.choice.values or ask.material.question is None:
            return ask.choice.values[0]
        rows = await vectors_of([ask.material.question.shown(), *ask.material.passages], self._embedder)
        return f"Part {int(np.argmax(rows[1:] @ rows[0]))}"

    async def _respond(self, ask: Ask) -> str:
        memory, question = self._about(ask)
        pages = ask.material.opened or tuple((await self._finder(memory).ranked(question))[0][:2])
        support = await supporting(memory, pages, question.text, self._embedder, most=4)
        if question.kind == "choice":
            return await self._choose(question, support)
        if question.kind == "claim":
            follows = self._wording.follows if self._wording else None
            return f"Answer: {'true' if await borne_out(question.text, support, follows) else 'false'}"
        return await self._answer(question, support)

    async def _choose(self, question: Question, support: Sequence[Support]) -> str:
        """The option that evidence and likelihood speak for together."""
        scores = await supported_options(question, support, self._embedder)
        if self._wording is not None:
            likely = await self._wording.likelihoods(question.text, flowing(support[:2]), question.options)
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
        worded = await self._wording.answer(question.text, flowing(support[:2]))
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
