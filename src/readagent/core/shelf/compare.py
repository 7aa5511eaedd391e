"""Compare documents: each is asked for one line about the question, and the answer is made from these lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from readagent.core.asking.answer import TEXT_IS_SILENT
from readagent.core.asking.respond import Response, respond, response_prompt
from readagent.core.asking.situation import Situation
from readagent.core.concurrency import together
from readagent.core.memory import GistMemory, Part
from readagent.core.model import Hint, Hinter
from readagent.core.question import Answer, Question, Turn
from readagent.core.session import Session
from readagent.core.shelf.ask import Member, ask_one
from readagent.core.shelf.cards import memory_of
from readagent.core.shelf.shelf_answer import Citation, Line, PageOf, ShelfAnswer
from readagent.core.statement import Support
from readagent.core.support.check import Checkable, check_support
from readagent.core.trace import AnswerText, Fallback, Opened, without
from readagent.core.words import lead
from readagent.errors import NoAnswerError

MOST_COMPARED = 50  # maximum number of documents
_LINE_WORDS = 40
_SHORTENED = (40, 20, 10)  # words kept of each line for the answer; tried in this order
_PAGES = 1  # maximum pages opened in each document
_SILENT = "(this document does not say)"


async def compare_all(
    members: Sequence[Member], question: Question, session: Session, history: Sequence[Turn] = ()
) -> ShelfAnswer:
    """Return one answer from a line of each document. If no document says anything, the model is not asked."""
    results = await together(_ask_for_line(member, question, session, history) for member in members)
    lines = tuple(one.line for one in results)
    response = Response(TEXT_IS_SILENT, found_in_text=False)
    if any(line.text and not line.silent for line in lines):
        response = await _conclude(lines, question, session)
    quotes = tuple(cited for line in lines if not line.silent for cited in line.quotes)
    support = Support()
    if session.plan.quotes and response.found_in_text:
        own = [cited.quote for cited in quotes]
        support = await check_support(Checkable(question, response.text, response.choice, own), session)
    return ShelfAnswer(
        question,
        response.text,
        response.choice,
        tuple(member.card for member in members),
        pages=tuple(page for one in results for page in one.pages),
        quotes=quotes,
        false_quotes=sum(one.false_quotes for one in results),
        found_in_text=response.found_in_text,
        lines=lines,
        words=sum(one.words for one in results),
        trace=session.trace,
        support=support,
    )


@dataclass(frozen=True, slots=True)
class LineResult:
    """The line of a document, the pages opened for it, its false quotes, and the words it was made from."""

    line: Line
    pages: tuple[PageOf, ...] = ()
    false_quotes: int = 0
    words: int = 0


@dataclass(frozen=True, slots=True)
class SearchFor:
    """A hinter that searches for one question, whatever the document is asked in a prompt."""

    question: Question
    hinter: Hinter

    async def hints(self, memory: GistMemory, question: Question) -> Sequence[Hint]:
        """Return the pages found for the question that is compared."""
        return await self.hinter.hints(memory, self.question)


async def _ask_for_line(member: Member, question: Question, session: Session, history: Sequence[Turn]) -> LineResult:
    """Return what one document says about the question, asked of its own memory."""
    card = member.card
    plan = replace(session.plan, max_pages=min(_PAGES, session.plan.max_pages), check=False)
    asked = Question(session.prompts.fill("line", question=question.shown(), title=card.title))
    try:
        hinter = None if session.hinter is None else SearchFor(question, session.hinter)
        quiet = replace(session, plan=plan, hinter=hinter, emit=without(session.emit, AnswerText))
        answer = await ask_one(member, asked, quiet, history)
    except NoAnswerError as error:
        session.fell_back(Fallback("compare", str(error), f"no line from {card.title}"))
        return LineResult(Line(card.document, card.title, "", problem=str(error)))
    pages = tuple(PageOf(card.document, card.title, page) for page in answer.pages)
    words = round((1 - answer.compression) * member.whole.full_words)
    return LineResult(_line(member, answer), pages, answer.false_quotes, words)


def _line(member: Member, answer: Answer) -> Line:
    card = member.card
    if not answer.found_in_text:
        return Line(card.document, card.title, "", silent=True)
    quotes = tuple(Citation(card.document, card.title, quote) for quote in answer.quotes[:1])
    return Line(card.document, card.title, lead(" ".join(answer.text.split()), _LINE_WORDS), quotes)


async def _conclude(lines: Sequence[Line], question: Question, session: Session) -> Response:
    """Return the answer from all lines; if they do not fit the window, lines are cut, then the last ones left out."""
    writer = replace(session, plan=replace(session.plan, quotes=False))
    order = sorted((line for line in lines if not line.problem), key=lambda line: line.silent)
    forms = ((count, words) for count in range(len(order), 0, -1) for words in _SHORTENED)
    fitting = (form for form in forms if _fits(_as_memory(order[: form[0]], form[1]), question, writer))
    count, words = next(fitting, (1, _SHORTENED[-1]))
    if count < len(order):
        left = f"all but the last {len(order) - count}"
        session.fell_back(Fallback("compare", "not all lines fit the window", left))
    memory = _as_memory(order[:count], words)
    pages = tuple(range(count))
    session.emit(Opened(pages))
    return await respond(Situation.of(memory, question), writer, pages)


def _fits(memory: GistMemory, question: Question, session: Session) -> bool:
    pages = tuple(range(len(memory.pages)))
    return session.window.fits(response_prompt(Situation.of(memory, question), session, pages))


def _as_memory(lines: Sequence[Line], words: int) -> GistMemory:
    """Return the lines, each cut to ``words`` words, as a memory with a page for each document, under its title."""
    memory = memory_of([_SILENT if line.silent else lead(line.text, words) for line in lines])
    starts = (page.start for page in memory.pages)
    return replace(memory, parts=tuple(Part(line.title, start) for line, start in zip(lines, starts, strict=True)))
