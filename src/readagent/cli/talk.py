"""What a conversation is about: a document or a shelf. Each asks, prints the answer, and shows its pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import uuid4

from readagent.cli.offline import report_question_language
from readagent.cli.output import counted, print_json, report_fallbacks, summary
from readagent.cli.pages import at_place
from readagent.cli.screen import style
from readagent.cli.shelf_answer import print_answer
from readagent.cli.streaming import AnswerStream
from readagent.core.asking.position import only_up_to, position
from readagent.core.memory import GistMemory
from readagent.core.question import Answer, Question, Quote, Turn
from readagent.core.shelf.shelf_answer import Citation, ShelfAnswer
from readagent.core.trace import Call
from readagent.errors import UsageError
from readagent.export.evidence import heading
from readagent.library import KeptAnswer, Library
from readagent.records.answers import new_answer, new_shelf_answer
from readagent.sync import ReadAgent, Shelf

_AROUND = 300  # characters of the text on each side of a quote
_RESUMED = 20  # answers of a shelf that a conversation is continued with


@dataclass(frozen=True, slots=True)
class Passage:
    """A quote, the title of its document where there are several, and the text around it."""

    quote: Quote
    title: str
    around: str


@dataclass(frozen=True, slots=True)
class Said:
    """A question with its answer and its passages; ``nearest`` is the line above passages that are only the nearest."""

    turn: Turn
    passages: Sequence[Passage]
    nearest: str = ""


class Subject(Protocol):
    """What a conversation is about. ``title`` names it, and ``opening`` is its first line.

    ``calls`` are those of this run: for reading the document, and for all questions, also if the answer was stopped.
    """

    title: str
    opening: str
    calls: list[Call]

    def earlier(self) -> list[Said]:
        """Return what was said in the last conversation, which is continued."""

    def ask(self, question: Question, history: Sequence[Turn], up_to: str | None) -> Said:
        """Answer a question, and print the answer."""

    def position(self, up_to: str) -> int:
        """Return the offset of a position in the text; raise UsageError if there is none."""

    def pages(self, up_to: str | None) -> Iterator[str]:
        """Yield a line for each page up to a position, or for each document."""

    def page(self, given: str, up_to: str | None) -> str:
        """Return the text of a page up to a position, by its number counted from 1 or by a place.

        Raise UsageError if there is none.
        """


class DocumentSubject:
    """A conversation about one document. Its questions are kept together in the library."""

    def __init__(self, agent: ReadAgent, library: Library, memory: GistMemory, *, as_json: bool, **how: Any) -> None:
        self._agent, self._library, self._memory = agent, library, memory
        self._as_json, self._how = as_json, how
        self.calls: list[Call] = [*memory.trace.calls]
        self._thread = f"chat-{uuid4().hex[:12]}"
        self.title, self.opening = memory.document.title or memory.document.id, summary(memory)

    def earlier(self) -> list[Said]:
        kept = [answer for answer in self._library.answers_to(self._memory) if answer.thread]
        if not kept:
            return []
        self._thread = kept[0].thread
        said = (answer for answer in reversed(kept) if answer.thread == self._thread)
        return [self._said(answer.question.text, answer) for answer in said]

    def ask(self, question: Question, history: Sequence[Turn], up_to: str | None) -> Said:
        with AnswerStream(quiet=self._as_json or self._agent.is_local, calls=self.calls) as stream:
            answer = self._agent.ask(
                self._memory, question, history=history, thread=self._thread, up_to=up_to, listen=stream,
                **self._how,
            )  # fmt: skip
        if self._as_json:
            print_json(new_answer(self._memory, answer, offline=self._agent.is_local))
        else:
            stream.finish(self._memory, answer)
        report_fallbacks(answer.trace.fallbacks)
        if self._agent.is_local:
            report_question_language([question.text])
        return self._said(question.text, answer)

    def _said(self, line: str, answer: Answer | KeptAnswer) -> Said:
        text = self._memory.document.text
        text = text if answer.up_to is None else text[: answer.up_to]
        passages = [Passage(quote, "", _around(text, quote)) for quote in answer.quotes]
        return Said(Turn(line, answer.text, answer.up_to), passages, heading(answer.quotes, answer.found_in_text))

    def position(self, up_to: str) -> int:
        return position(self._memory, up_to)

    def pages(self, up_to: str | None) -> Iterator[str]:
        memory, telling = self._shown(up_to)
        for number, (gist, place) in enumerate(zip(memory.gists, memory.places(), strict=True), 1):
            text = f"[no gist: it may tell what comes after {up_to}]" if number - 1 in telling else gist.text
            yield f"{number}{place and f' ({place})'}: {' '.join(text.split())}"

    def page(self, given: str, up_to: str | None) -> str:
        memory, _ = self._shown(up_to)
        last = len(memory.pages)
        if not given or (given.isdecimal() and not 0 < int(given) <= last):
            limit = "" if up_to is None else f" up to {up_to}"
            hint = f"give 1{f' to {last}' if last > 1 else ''}, or a place; /pages lists them"
            more = "; /up-to without a position shows all" if limit else ""
            raise UsageError(f"there is no page {given}".rstrip() + limit, hint=hint + more)
        numbers = [int(given) - 1] if given.isdecimal() else at_place(memory, given)
        places = memory.places()
        return "\n\n".join(_heading(one, places[one]) + memory.page_text(one).strip() for one in numbers)

    def _shown(self, up_to: str | None) -> tuple[GistMemory, frozenset[int]]:
        """Return the memory up to a position, and the pages whose gists may tell what comes after it."""
        return (self._memory, frozenset()) if up_to is None else only_up_to(self._memory, self.position(up_to))


class ShelfSubject:
    """A conversation about the documents on a shelf."""

    def __init__(self, agent: ReadAgent, library: Library, name: str, *, as_json: bool, **how: Any) -> None:
        self._agent, self._library, self._as_json, self._how = agent, library, as_json, how
        self.calls: list[Call] = []
        self._shelf = Shelf(agent, library.shelves.find(name).name)
        self.title = self._shelf.name
        self.opening = f"{self.title}: {counted(len(self._shelf.cards()), 'document')} on the shelf"

    def earlier(self) -> list[Said]:
        newest = self._library.shelves.answers(self.title)[:_RESUMED]
        return [self._said(kept.answer.question.text, kept.answer) for kept in reversed(newest)]

    def ask(self, question: Question, history: Sequence[Turn], up_to: str | None) -> Said:
        with AnswerStream(quiet=self._as_json or self._agent.is_local, calls=self.calls) as stream:
            answer = self._shelf.ask(question, history=history, listen=stream, **self._how)
        if self._as_json:
            print_json(new_shelf_answer(self.title, answer))
        else:
            print_answer(stream, answer)
        report_fallbacks(answer.trace.fallbacks)
        if self._agent.is_local:
            report_question_language([question.text])
        return self._said(question.text, answer)

    def _said(self, line: str, answer: ShelfAnswer) -> Said:
        passages = [Passage(cited.quote, cited.title, _cited_around(cited, answer)) for cited in answer.quotes]
        near = heading([cited.quote for cited in answer.quotes], answer.found_in_text)
        return Said(Turn(line, answer.text), passages, near)

    def position(self, up_to: str) -> int:
        raise UsageError("a shelf has no position", hint="use up-to in a conversation about one document")

    def pages(self, up_to: str | None) -> Iterator[str]:
        for card in self._shelf.cards():
            yield f"{card.document[:8]} {card.heading}: {card.text}"

    def page(self, given: str, up_to: str | None) -> str:
        hint = "/pages lists its documents; `readagent show` shows pages"
        raise UsageError("a shelf has no pages of its own", hint=hint)


def _heading(number: int, place: str) -> str:
    return f"{style(f'Page {number + 1}', bold=True)}  {place}\n" if place else ""


def _cited_around(cited: Citation, answer: ShelfAnswer) -> str:
    """Return the text around a quote; only the quote, if its document was removed."""
    document = answer.texts.get(cited.document)
    return cited.quote.text if document is None else _around(document.text, cited.quote)


def _around(text: str, quote: Quote) -> str:
    """Return a quote with the text around it, on one line, from word to word."""
    before, after = text[max(0, quote.start - _AROUND) : quote.start], text[quote.end : quote.end + _AROUND]
    if quote.start > _AROUND:
        before = f"… {before.partition(' ')[2]}"
    if quote.end + _AROUND < len(text):
        after = f"{after.rpartition(' ')[0]} …"
    return " ".join(f"{before}{text[quote.start : quote.end]}{after}".split())
