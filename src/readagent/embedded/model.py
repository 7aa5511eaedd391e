"""LocalModel: the offline reader. It implements the Model protocol, but decides by computing scores.

Pauses, gists, pages and options are chosen with sentence vectors and shared words. A small language model, if there is
one, only writes the answer from the most relevant paragraphs. Every decision is legal by construction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from readagent.core.form import Pages
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Embedder, Reply
from readagent.core.question import Question
from readagent.core.tokens import estimate_tokens
from readagent.core.trace import Usage
from readagent.embedded.answer import (
    WEAK,
    Support,
    as_paragraphs,
    find_support,
    is_supported,
    score_options,
    select_quotes,
)
from readagent.embedded.find import next_page, pages_to_open
from readagent.embedded.pause import best_pause
from readagent.embedded.sentences import embed_sentences
from readagent.embedded.shorten import extract_gist
from readagent.embedded.support import near_quotes
from readagent.embedded.wording import Writer
from readagent.errors import UsageError
from readagent.retrieval.evidence import standardized
from readagent.retrieval.hybrid import HybridHinter
from readagent.retrieval.passages import passages
from readagent.retrieval.vectors import sentence_means, vectors_of

VERSION = "embedded-2"
NOT_SAID = "The text does not seem to say. The nearest passages:"


class LanguageModel(Protocol):
    """A small language model that writes short answers and scores how likely a text is."""

    @property
    def name(self) -> str: ...

    async def answer(self, question: str, passages: Sequence[str]) -> str: ...

    async def likelihoods(self, question: str, passages: Sequence[str], options: Sequence[str]) -> list[float]: ...

    async def likelihood_gain(self, before: str, text: str) -> float: ...

    async def aclose(self) -> None: ...


class LocalModel:
    """Reads with an embedder, and writes answers with a language model; without one it answers in quotes.

    With ``by_likelihood`` the language model chooses among the best places to pause, which takes seconds for each.
    With a ``writer``, a larger language model writes the answers instead.
    """

    def __init__(
        self,
        embedder: Embedder,
        language_model: LanguageModel | None = None,
        *,
        by_likelihood: bool = False,
        writer: Writer | None = None,
    ) -> None:
        self._embedder = embedder
        self._language_model = language_model
        self._writer = writer
        self._by_likelihood = by_likelihood and language_model is not None
        self._hinter = HybridHinter(embedder)

    @property
    def name(self) -> str:
        language_model = f" {self._language_model.name}" if self._language_model is not None else ""
        pauses = " pauses by likelihood" if self._by_likelihood else ""
        writer = f" worded by {self._writer.name}" if self._writer is not None else ""
        return f"{VERSION} {self._embedder.name}{language_model}{pauses}{writer}"

    async def complete(self, ask: Ask) -> Reply:
        """Return a reply that is computed from the material of the ask."""
        match ask.step:
            case "paginate":
                text = await self._pause(ask)
            case "gist" | "merge":
                text = await self._gist(ask)
            case "read":
                text = await self._read(ask)
            case "look_up":
                text = await self._look_up(ask)
            case "direct":
                text = await self._ask_for_pages(ask)
            case "respond":
                text = await self._respond(ask)
            case "check":
                text = await near_quotes(ask.material.statements, ask.material.passages, self._embedder)
            case "walk":
                text = await self._walk(ask)
            case "batch":
                raise UsageError("the offline reader answers one question at a time", hint="leave out --batch")
            case "rate":
                raise UsageError("the offline reader cannot rate answers", hint="name another model with --model")
            case "act":
                raise UsageError("the offline reader cannot act on web pages", hint="name another model with --model")
        if ask.listen is not None:
            ask.listen(text)
        return Reply(text, usage=Usage(estimate_tokens(ask.prompt), estimate_tokens(text)))

    async def aclose(self) -> None:
        """Stop the language models, if they were started."""
        for model in (self._language_model, self._writer):
            if model is not None:
                await model.aclose()

    async def _pause(self, ask: Ask) -> str:
        assert ask.choice is not None
        return f"Break point: <{await self._best_pause(ask.material.passages, len(ask.choice.values))}>"

    async def _best_pause(self, pieces: Sequence[str], labels: int) -> int:
        gain = self._language_model.likelihood_gain if self._language_model and self._by_likelihood else None
        return await best_pause(pieces, labels, self._embedder, gain)

    async def _gist(self, ask: Ask) -> str:
        (passage,) = ask.material.passages
        return await self._extract_gist(passage, ask.material.words)

    async def _extract_gist(self, passage: str, words: int) -> str:
        await vectors_of(passages(passage), self._embedder)  # caches the vectors for looking up later
        gist = extract_gist(await embed_sentences(passage, self._embedder), words)
        await sentence_means([gist], self._embedder)  # likewise
        return gist

    async def _read(self, ask: Ask) -> str:
        """Split the text into pages, each at the best legal pause, and write a gist of each, in proportion to it."""
        if not isinstance(ask.form, Pages):
            raise UsageError("the offline reader needs to know where pages may end")
        form, pieces, labels, lines = ask.form, ask.material.passages, ask.form.labels, []
        first, start = 0, 0
        while first < len(labels):
            end = next((i for i in range(first, len(labels)) if labels[i] in form.breaks), len(labels) - 1)
            reach = [i for i in range(first, end + 1) if labels[i] - start <= form.most] or [first]
            legal = [i for i in reach if labels[i] - start >= form.least] or reach[-1:]
            legal = [i for i in legal if labels[end] - labels[i] >= form.least] or [end]
            shown = ("\n\n".join(pieces[first : legal[0] + 1]), *pieces[legal[0] + 1 : reach[-1] + 2])
            last = legal[await self._best_pause(shown, len(legal)) - 1] if len(legal) > 1 else legal[0]
            passage = "\n\n".join(pieces[first : last + 1])
            words = max(25, ask.material.words * (labels[last] - start) // form.most)
            lines.append(f"<{labels[last]}> {await self._extract_gist(passage, words)}")
            first, start = last + 1, labels[last]
        return "\n\n".join(lines)

    async def _look_up(self, ask: Ask) -> str:
        memory, question = self._about(ask)
        assert ask.choice is not None
        hints = await self._hinter.hints(memory, question)
        opened, kind = ask.material.opened, ask.choice.cues[0].capitalize()  # a page, or a document of a shelf
        if not ask.choice.single:
            pages = pages_to_open(hints, ask.choice.most)
            return f"I want to look up {kind} [{', '.join(map(str, pages))}] to check."
        if not opened:
            return f"{kind} {hints[0].page}"
        page = next_page(hints, await self._hinter.hints(memory, question, opened), opened)
        return "STOP" if page is None else f"{kind} {page}"

    async def _ask_for_pages(self, ask: Ask) -> str:
        """Ask for pages in any case: this reader answers from the raw text."""
        memory, question = self._about(ask)
        pages = pages_to_open(await self._hinter.hints(memory, question), memory.plan.max_pages)
        return f"I want to look up Page [{', '.join(map(str, pages))}] to check."

    async def _walk(self, ask: Ask) -> str:
        """Choose the part that is most similar to the question. If answering is an option, answer."""
        assert ask.choice is not None
        if "ANSWER" in ask.choice.values or ask.material.question is None:
            return ask.choice.values[0]
        rows = await vectors_of([ask.material.question.shown(), *ask.material.passages], self._embedder)
        return f"Part {int(np.argmax(rows[1:] @ rows[0]))}"

    async def _respond(self, ask: Ask) -> str:
        memory, question = self._about(ask)
        pages = ask.material.opened or [hint.page for hint in (await self._hinter.hints(memory, question))[:2]]
        support = await find_support(memory, pages, question.text, self._embedder, most=4)
        if question.kind == "choice":
            return await self._choose(question, support)
        if question.kind == "claim":
            gain = self._language_model.likelihood_gain if self._language_model else None
            return f"Answer: {'true' if await is_supported(question.text, support, gain) else 'false'}"
        return await self._answer(question, support)

    async def _choose(self, question: Question, support: Sequence[Support]) -> str:
        """Choose the option with the best sum of evidence and likelihood."""
        scores = await score_options(question, support, self._embedder)
        if self._language_model is not None:
            paragraphs = as_paragraphs(support[:2])
            likely = await self._language_model.likelihoods(question.text, paragraphs, question.options)
            scores = standardized(scores) + standardized(np.asarray(likely, np.float32))
        best = int(np.argmax(scores))
        return f"Answer: ({question.letters[best]}) {question.options[best]}"

    async def _answer(self, question: Question, support: Sequence[Support]) -> str:
        """Return one or two sentences and the quotes that support them; only quotes if the evidence is weak."""
        quotes = await select_quotes(support, question.text, self._embedder)
        shown = "\n".join(f'Page {quote.page}: "{quote.text}"' for quote in quotes)
        if max((quote.strength for quote in quotes), default=0.0) < WEAK:
            return f"{NOT_SAID}\n{shown}".rstrip()
        if self._writer is not None:
            worded = await self._writer.word(question.text, as_paragraphs(support))
            return f"{worded or NOT_SAID}\n{shown}"
        if self._language_model is None:
            return shown
        answer = await self._language_model.answer(question.text, as_paragraphs(support[:2]))
        return f"{answer}\n{shown}".strip()

    def _about(self, ask: Ask) -> tuple[GistMemory, Question]:
        if ask.material.memory is None or ask.material.question is None:
            raise UsageError(f"the offline reader needs a memory and a question for the step {ask.step}")
        return ask.material.memory, ask.material.question
