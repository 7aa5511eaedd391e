"""The text itself: the whole of it, its first or its last words; and the question alone, without the text.

What a model answers without the text shows how much of it the model knows already.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from readagent.core.asking.respond import best_supported, choice_for
from readagent.core.escaping import escape_tags
from readagent.core.form import Form, Text
from readagent.core.model import Ask, Reply
from readagent.core.question import Question
from readagent.core.session import Session, useless
from readagent.core.words import WordIndex
from readagent.errors import ContextOverflowError, NoAnswerError
from readagent_bench.context import templates
from readagent_bench.reading import ReadingContext, excerpt, most_that_fit
from readagent_bench.records import Asked, Outcome

_ANSWER = Form((Text(),))


@dataclass(frozen=True, slots=True)
class FullTextMethod:
    """Shows the ``first`` or ``last`` words of the text, or all of it if ``words`` is 0.

    If that many words do not fit the window, fewer are shown, which is noted; all of the text is never cut. A window
    that the user gave has room for three words in four tokens, as in the paper. Fewer are shown if the server refuses
    them. Without such a window, it is estimated what fits.
    """

    end: str = "first"
    words: int = 0

    @property
    def name(self) -> str:
        return f"{self.end}:{self.words}" if self.words else "full"

    @property
    def title(self) -> str:
        if not self.words:
            return "Full text"
        return f"{self.end.capitalize()} {self.words // 1000}k words" if self.words % 1000 == 0 else self.name

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        given = context.agent.settings.window
        wanted = min(self.words or asked.document.words, asked.document.words)
        words = wanted if given is None else min(wanted, given * 3 // 4)
        if words < wanted and not self.words:
            raise ContextOverflowError(
                f"a text of {wanted:,} words does not fit a window of {given:,} tokens, at three words for four tokens"
            )
        attempt = partial(self._answer, asked, context)
        if self.words:
            words, outcome = await most_that_fit(words, attempt, sure=given is not None)
        else:
            outcome = await attempt(words, given is not None)
        notes = (f"cut to {words:,} words to fit the window",) if words < wanted else ()
        return replace(outcome, pages=None, notes=notes)

    async def _answer(self, asked: Asked, context: ReadingContext, words: int, sure: bool) -> Outcome:
        text = asked.document.text
        start, end = self._span(text, words)
        shown, cut = excerpt(asked.document, [(start, end)]), bool(text[:start].strip() or text[end:].strip())
        return await context.answer(shown, [0], asked.question, excerpts=cut, sure=sure)

    def _span(self, text: str, words: int) -> tuple[int, int]:
        index = WordIndex(text)
        if not words or words >= len(index):
            return 0, len(text)
        if self.end == "first":
            return 0, index.after(0, words)
        return index.after(0, len(index) - words), len(text)


@dataclass(frozen=True, slots=True)
class ClosedBookMethod:
    """Shows no text."""

    name: str = "closed-book"
    title: str = "Closed book"

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        question, session = asked.question, await context.session()
        choice = None if question.kind == "free" else choice_for(question)
        prompt = templates().fill(
            "closed",
            question=escape_tags(question.shown()),
            title=asked.document.title,
            options=question.kind == "choice",
            claim=question.kind == "claim",
            form=choice or _ANSWER,
        )
        if choice is None:
            return Outcome(await _reply_text(prompt, session), None, None, 0)
        (value,) = await session.decide(Ask("respond", prompt, choice), lambda: _guess(question))
        text = question.options[question.letters.index(value)] if question.kind == "choice" else value
        return Outcome(text, value, None, 0)


def _guess(question: Question) -> tuple[str, ...]:
    """Return the substitute for an illegible answer, the one that all methods use."""
    return ("false",) if question.kind == "claim" else best_supported(question, "")


async def _reply_text(prompt: str, session: Session) -> str:
    text, problem = await session.judged(Ask("respond", prompt, form=_ANSWER), _answered)
    if problem:
        raise NoAnswerError(f"the model gave no answer: {problem}", hint="use another model")
    return text


def _answered(reply: Reply) -> tuple[str, str]:
    """Return the answer in a reply, and why there is none; "" if there is one."""
    filled = _ANSWER.parse(reply.text)
    text = filled.texts["Answer"] if filled is not None else ""
    return text, useless(reply) or ("" if text else "it had no answer after its label")


def make(kind: str, number: int) -> FullTextMethod | ClosedBookMethod:
    if kind == "closed-book":
        return ClosedBookMethod()
    return FullTextMethod() if kind == "full" else FullTextMethod(kind, number)
