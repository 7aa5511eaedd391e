"""LocalModel: the offline reader. It implements the Model protocol, but decides by computing scores.

Pauses, gists and pages are chosen with sentence vectors and shared words. A small trained network reads the nearest
passages and puts them in order. They are the answer: a few words of the first one are given as a short answer only
where these are very likely right. Options are judged by the passages. Every decision is legal by construction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from readagent.core.asking.answer import NOT_IN_TEXT, with_certainty
from readagent.core.clauses import clauses_in
from readagent.core.form import Choice, Form
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Embedder, Reply
from readagent.core.pages.page_form import Pages
from readagent.core.question import Question
from readagent.embedded.confidence import NAMED, SURE, is_absent, is_given, is_near, worded_certainty
from readagent.embedded.decide import best_pause, choose, fits, names_another, next_page, pages_to_open
from readagent.embedded.extracts import AnyReader, Extract, find_extracts, nearest_extract, repeated
from readagent.embedded.local import needs_model, question_in_english, text_in_english
from readagent.embedded.shorten import PartsEmbedder, embed_sentences, extract_gist
from readagent.errors import UsageError
from readagent.retrieval.evidence import READ, HybridHinter, Passage
from readagent.retrieval.vectors import sentence_means, vectors_of

if TYPE_CHECKING:
    from readagent.embedded.wording import Writer

VERSION = "embedded-10"
_FEW = 8  # passages that are read if none of the nearest is on the pages that were opened
_JUDGED = 12  # passages that options are judged by
_SHOWN = 3  # passages that are shown at most
WORDED = 4  # passages that a writer is shown
NOT_FOUND = "Not found."
NO_SHORT_ANSWER = "No short answer."


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
        self._hinter = HybridHinter(embedder)

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
                raise needs_model("an overview")
            case "rate":
                raise needs_model("rating answers")
            case "act":
                raise needs_model("acting on web pages")
        if ask.listen is not None:
            ask.listen(text)
        return Reply(text)  # without tokens: nothing is counted or paid for

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
            return f"{label}: {(await self._pages(memory, question, 1))[0]}"
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
        """Return the pages to open: those of the passages that are shown, or those that the search finds."""
        shown = _shown(await self._extracts(memory, question)) if question.kind == "free" else []
        pages = list(dict.fromkeys(one.page for one in shown))[:most]
        return pages or pages_to_open(await self._hinter.hints(memory, question), most)

    async def _extracts(
        self, memory: GistMemory, question: Question, pages: Sequence[int] | None = None
    ) -> list[Extract]:
        """Return what may answer a question, best first: of all pages, or of these. A clause that it names is first."""
        named = _named(memory, question.text)
        near = await self._hinter.passages(memory, question.text, most=READ)
        near = [one for one in near if not any(one.overlaps(clause) for clause in named)]
        clauses = await self._found(memory, question, named) if named else []
        found = [*map(_whole, clauses), *await self._found(memory, question, near)]
        if pages is not None:
            found = [one for one in found if one.page in pages]
        if found:
            return found
        return await self._found(
            memory, question, await self._hinter.passages(memory, question.text, most=_FEW, pages=pages)
        )

    async def _found(self, memory: GistMemory, question: Question, near: Sequence[Passage]) -> list[Extract]:
        """Return what may answer a question, best first. Of another language, nothing is read, and nothing is sure."""
        if not (question_in_english(question.text) and text_in_english(memory.document.text)):
            return [nearest_extract(question.text, passage) for passage in near[:_SHOWN]]
        return await find_extracts(question.text, near, self._reader)

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
            if self._writer and extracts and extracts[0].certainty:
                return await self._worded(question, extracts, self._writer)
            return _answer(question.text, extracts, memory)
        near = await self._hinter.passages(memory, question.text, most=_JUDGED, pages=pages)
        best, certainty = await choose(question, near, self._reader)
        return with_certainty(f"Answer: ({question.letters[best]}) {question.options[best]}", certainty)

    async def _worded(self, question: Question, extracts: Sequence[Extract], writer: Writer) -> str:
        """Return an answer in the words of the writer, with how sure it is, or the passages alone."""
        if is_absent([one.certainty for one in extracts]):
            return _passages(NOT_FOUND, extracts)
        said = await writer.word(question.text, [" ".join(one.passage.text.split()) for one in extracts[:WORDED]])
        if not said.text:
            return _passages(NOT_FOUND, extracts)
        certainty = worded_certainty(repeated(question.text, said.text, extracts), said.fluent)
        if not is_given(certainty):
            return _passages(NO_SHORT_ANSWER, extracts)
        return with_certainty("\n".join([f"Answer: {said.text}", *_quotes(extracts)]), certainty)

    def _about(self, ask: Ask) -> tuple[GistMemory, Question]:
        """Return the memory and the question, without a remark in brackets below it, which is for other models."""
        if ask.material.memory is None or ask.material.question is None:
            raise UsageError(f"the offline reader needs a memory and a question for the step {ask.step}")
        question = ask.material.question
        if question.kind == "claim":
            raise needs_model("judging a claim")
        return ask.material.memory, replace(question, text=question.text.partition("\n(")[0] or question.text)


def _named(memory: GistMemory, question: str) -> list[Passage]:
    """Return the clauses that a question names."""
    found = [(memory.pages[memory.page_at(at)], at, text) for at, text in clauses_in(memory.document, question)]
    return [Passage(page.number, at - page.start, text) for page, at, text in found]


def _whole(clause: Extract) -> Extract:
    """Return a clause that is shown whole."""
    certainty = clause.certainty and max(clause.certainty, NAMED)
    return replace(clause, sentence=clause.passage.text, quote=clause.passage.text, certainty=certainty)


def _answer(question: str, extracts: Sequence[Extract], memory: GistMemory) -> str:
    """Return the passages, best first, and the extract of the first as a short answer if that is very likely right.

    It never says that the text does not say: on questions with a key, that was wrong three times out of four.
    """
    first = extracts[0] if extracts and extracts[0].certainty >= SURE else None
    if first and fits(question, first.text, first.quote) and not names_another(question, first, memory):
        said = f"Answer: {' '.join(first.text.split())}"
        return with_certainty("\n".join([said, *_quotes(extracts)]), first.certainty)
    certainties = [one.certainty for one in extracts]
    absent = not extracts or (any(certainties) and is_absent(certainties))
    return _passages(NOT_FOUND if absent else NO_SHORT_ANSWER, extracts)


def _passages(said: str, extracts: Sequence[Extract]) -> str:
    return "\n".join([f"Answer: {said}", *_quotes(extracts), NOT_IN_TEXT])


def _shown(extracts: Sequence[Extract]) -> list[Extract]:
    """Return the first, and those after it that are not much less likely to answer."""
    return [one for one in extracts[:_SHOWN] if is_near(one.certainty, extracts[0].certainty)]


def _quotes(extracts: Sequence[Extract]) -> Iterator[str]:
    """Yield a line for each passage that is shown, and one for the sentence in it that is to be marked."""
    for one in _shown(extracts):
        yield _quoted(one.page, one.quote)
        if one.sentence != one.quote:
            yield _quoted(one.page, one.sentence)


def _quoted(page: int, text: str) -> str:
    """Return a quote on one line, so that it can be told from the answer whatever marks are in it."""
    return f'Page {page}: "{" ".join(text.split())}"'
