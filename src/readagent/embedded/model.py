"""LocalModel: the offline reader. It implements the Model protocol, but decides by computing scores.

Pauses, gists and pages are chosen with sentence vectors and shared words. A small trained network reads the nearest
passages: answers are extracts of them, and options are judged by them. Every decision is legal by construction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from readagent.core.asking.answer import NOT_IN_TEXT, with_certainty
from readagent.core.form import Choice, Form
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Embedder, Reply
from readagent.core.pages.page_form import Pages
from readagent.core.question import Question
from readagent.core.tokens import estimate_tokens
from readagent.core.trace import Usage
from readagent.core.words import count_words
from readagent.embedded.confidence import (
    SURE,
    doubted,
    is_absent,
    is_found,
    is_given,
    is_given_against,
    worded_certainty,
)
from readagent.embedded.decide import (
    best_pause,
    choose,
    next_page,
    pages_to_open,
    why_no_extract,
)
from readagent.embedded.extracts import AnyReader, Extract, find_extracts, repeated
from readagent.embedded.local import needs_model
from readagent.embedded.overviews import overview_reply
from readagent.embedded.shorten import PartsEmbedder, embed_sentences, extract_gist, is_sentence, is_wordy
from readagent.embedded.wording import Writer
from readagent.errors import UsageError
from readagent.retrieval.evidence import READ, HybridHinter
from readagent.retrieval.vectors import sentence_means, vectors_of

VERSION = "embedded-7"
_OWN = 8  # passages of the opened pages that are read in any case
_JUDGED = 12  # passages that options are judged by
_QUOTES = 3  # extracts that are shown with their quotes
_LEAST = 12  # words of a quote that is no heading although it does not end as sentences do
WORDED = 4  # passages that a writer is shown
NOT_FOUND = "Not found."


class LocalModel:
    """Finds pages and passages with an embedder, and answers in extracts with a trained reader.

    ``quick`` is an embedder for pauses, where the quality of the vectors matters less. With a ``writer``, a language
    model words the answers from the passages that the reader finds.
    """

    uses_material = True  # replies are cached by the text that they are computed from

    def __init__(
        self,
        embedder: PartsEmbedder,
        reader: AnyReader,
        quick: Embedder | None = None,
        writer: Writer | None = None,
    ) -> None:
        self._embedder = embedder
        self._quick = quick or embedder
        self._reader = reader
        self._writer = writer
        self._hinter = HybridHinter(embedder, self._relevance)

    @property
    def name(self) -> str:
        writer = f" worded by {self._writer.name}" if self._writer is not None else ""
        return f"{VERSION} {self._embedder.name} {self._quick.name} {self._reader.name}{writer}"

    async def complete(self, ask: Ask) -> Reply:
        """Return a reply that is computed from the material of the ask."""
        match ask.step:
            case "paginate":
                text = await self._pause(ask)
            case "gist" | "merge":
                text = f"Gist: {await self._gist(ask)}"
            case "read":
                text = await self._read(ask)
            case "look_up":
                text = await self._look_up(ask)
            case "direct":
                text = await (self._respond(ask) if ask.material.opened else self._ask_for_pages(ask))
            case "respond":
                text = await self._respond(ask)
            case "check":
                text = "\n".join(f"{number}: unknown" for number in range(1, len(ask.material.statements) + 1))
            case "walk":
                text = await self._walk(ask)
            case "note" | "write" | "collect" | "join":
                text = await overview_reply(ask, self._embedder)
            case "rate":
                raise UsageError("the offline reader cannot rate answers", hint="name another model with `model`")
            case "act":
                raise UsageError("the offline reader cannot act on web pages", hint="name another model with `model`")
        if ask.listen is not None:
            ask.listen(text)
        return Reply(text, usage=Usage(estimate_tokens(ask.prompt), estimate_tokens(text)))

    async def aclose(self) -> None:
        """Stop the reader's thread, and the language model if it was started."""
        self._reader.close()
        if self._writer is not None:
            await self._writer.aclose()

    async def _pause(self, ask: Ask) -> str:
        assert ask.choice is not None
        return f"Break point: {await best_pause(ask.material.passages, len(ask.choice.values), self._quick)}"

    async def _gist(self, ask: Ask) -> str:
        (passage,) = ask.material.passages
        return await self._extract_gist(passage, ask.material.words)

    async def _extract_gist(self, passage: str, words: int) -> str:
        gist = extract_gist(await embed_sentences(passage, self._embedder), words)
        await sentence_means([gist], self._embedder)  # caches the vectors for looking up later
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
            last = legal[await best_pause(shown, len(legal), self._quick) - 1] if len(legal) > 1 else legal[0]
            passage = "\n\n".join(pieces[first : last + 1])
            words = max(25, ask.material.words * (labels[last] - start) // form.most)
            lines.append(f"<{labels[last]}> {await self._extract_gist(passage, words)}")
            first, start = last + 1, labels[last]
        return "\n\n".join(lines)

    async def _look_up(self, ask: Ask) -> str:
        memory, question = self._about(ask)
        assert ask.choice is not None
        opened, label = ask.material.opened, ask.choice.label
        if not ask.choice.single:
            pages = await self._pages(memory, question, ask.choice.most)
            return f"{label}: {', '.join(map(str, pages)) or 'none'}"
        hints = await self._hinter.hints(memory, question)
        if not opened:
            return f"{label}: {hints[0].page}"
        page = next_page(hints, opened)
        return "STOP" if page is None else f"{label}: {page}"

    async def _ask_for_pages(self, ask: Ask) -> str:
        """Ask for pages in any case: this reader answers from the raw text."""
        memory, question = self._about(ask)
        assert isinstance(ask.form, Form)
        most = next((one.most for one in ask.form.fields if isinstance(one, Choice) and one.label == "Pages"), 0)
        pages = await self._pages(memory, question, most)
        return f"Pages: {', '.join(map(str, pages)) or 'none'}"

    async def _pages(self, memory: GistMemory, question: Question, most: int) -> list[int]:
        """Return the pages to open: first those with the best extracts, then those that the search finds."""
        hints = pages_to_open(await self._hinter.hints(memory, question), most)
        if question.kind != "free":
            return hints
        best = await self._extracts(memory, question)
        return list(dict.fromkeys([*(one.page for one in best[:_QUOTES]), *hints]))[:most]

    async def _extracts(
        self, memory: GistMemory, question: Question, pages: Sequence[int] | None = None
    ) -> list[Extract]:
        near = await self._hinter.passages(memory, question.text, most=READ)
        if pages is not None:  # what was read to choose them is not read again
            own = await self._hinter.passages(memory, question.text, most=_OWN, pages=pages)
            near = list(dict.fromkeys([*(passage for passage in near if passage.page in pages), *own]))
        return await find_extracts(question.text, near, self._reader)

    async def _relevance(self, question: str, passages: Sequence[str]) -> list[float]:
        return [found.answered for found in await self._reader.find(question, passages)]

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
        if question.kind == "free":
            extracts = await self._extracts(memory, question, pages)
            if self._writer:
                return await self._worded(question, extracts, self._writer)
            return _answer(extracts, why_no_extract(question))
        near = await self._hinter.passages(memory, question.text, most=_JUDGED, pages=pages)
        best, certainty = await choose(question, near, self._reader)
        return with_certainty(f"Answer: ({question.letters[best]}) {question.options[best]}", certainty)

    async def _worded(self, question: Question, extracts: Sequence[Extract], writer: Writer) -> str:
        """Return an answer in the words of the writer; the best extract if that is more likely right; or neither."""
        if is_absent([one.certainty for one in extracts]):
            return _not_found(extracts)
        best = extracts[0].certainty
        said = await writer.word(question.text, [" ".join(one.passage.split()) for one in extracts[:WORDED]])
        if not said.text:
            return _not_found(extracts)
        if why_no_extract(question):  # "Yes" repeats no extract, so nothing tells how sure it is
            return _with_quotes(said.text, extracts, min(SURE / 2, worded_certainty(best, said.fluent)))
        certainty = worded_certainty(repeated(question.text, said.text, extracts), said.fluent)
        if is_given(certainty, best):
            return _with_quotes(said.text, extracts, certainty)
        return _extract_answer(extracts, doubted(best)) if is_given_against(best) else _not_found(extracts)

    def _about(self, ask: Ask) -> tuple[GistMemory, Question]:
        """Return the memory and the question, without a remark in brackets below it, which is for other models."""
        if ask.material.memory is None or ask.material.question is None:
            raise UsageError(f"the offline reader needs a memory and a question for the step {ask.step}")
        question = ask.material.question
        if question.kind == "claim":
            raise needs_model("judging a claim")
        return ask.material.memory, replace(question, text=question.text.partition("\n(")[0] or question.text)


def _answer(extracts: Sequence[Extract], why_none: str = "") -> str:
    """Return the best extract, and quotes with it and the next best; or say that nothing was found, and ``why_none``.

    It never says that the text does not say: on questions with a key, that was wrong three times out of four.
    """
    if why_none or not extracts or not is_found(extracts[0].certainty):
        return _not_found(extracts, why_none)
    return _extract_answer(extracts, extracts[0].certainty)


def _not_found(extracts: Sequence[Extract], why_none: str = "") -> str:
    said = f"Answer: {NOT_FOUND} {why_none}".rstrip()
    return "\n".join([said, *map(_quoted, _readable(extracts)), NOT_IN_TEXT])


def _with_quotes(text: str, extracts: Sequence[Extract], certainty: float) -> str:
    return with_certainty("\n".join([f"Answer: {text}", *map(_quoted, _readable(extracts))]), certainty)


def _extract_answer(extracts: Sequence[Extract], certainty: float) -> str:
    best, *rest = extracts
    quotes = map(_quoted, [best, *_readable(rest)][:_QUOTES])
    return with_certainty("\n".join([f"Answer: {' '.join(best.text.split())}", *quotes]), certainty)


def _readable(extracts: Sequence[Extract]) -> list[Extract]:
    """Return the extracts to show: those whose quotes are sentences first, not headings, rows of tables or code."""

    def is_bare(one: Extract) -> bool:
        return not is_wordy(one.quote) or (count_words(one.quote) < _LEAST and not is_sentence(one.quote))

    return sorted(extracts, key=is_bare)[:_QUOTES]


def _quoted(extract: Extract) -> str:
    """Return a quote on one line, so that it can be told from the answer whatever marks are in it."""
    return f'Page {extract.page}: "{" ".join(extract.quote.split())}"'
