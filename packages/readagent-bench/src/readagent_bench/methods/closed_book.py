"""The question alone: what a model answers without the text shows how much of it the model knows already."""

from __future__ import annotations

from dataclasses import dataclass

from readagent.core.asking.respond import best_supported, choice_for
from readagent.core.escaping import escape_tags
from readagent.core.form import strip_thinking
from readagent.core.model import Ask
from readagent.core.question import Question
from readagent.core.session import Session, useless
from readagent.errors import NoAnswerError
from readagent_bench.example import Asked, Outcome
from readagent_bench.reading import ReadingContext
from readagent_bench.templates import templates


@dataclass(frozen=True, slots=True)
class ClosedBookMethod:
    """Shows no text."""

    name: str = "closed-book"
    title: str = "Closed book"

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        question, session = context.noted(asked.question), await context.session()
        prompt = templates().fill(
            "closed",
            question=escape_tags(question.shown()),
            title=asked.document.title,
            options=question.kind == "choice",
            claim=question.kind == "claim",
        )
        if question.kind == "free":
            return Outcome(await _reply_text(prompt, session), None, None, 0)
        choice = choice_for(question)
        (value,) = await session.decide(Ask("respond", prompt, choice), lambda: _guess(question))
        text = question.options[question.letters.index(value)] if question.kind == "choice" else value
        return Outcome(text, value, None, 0)


def _guess(question: Question) -> tuple[str, ...]:
    """Return the substitute for an illegible answer, the one that all methods use."""
    return ("false",) if question.kind == "claim" else best_supported(question, "")


async def _reply_text(prompt: str, session: Session) -> str:
    reply = await session.ask(Ask("respond", prompt))
    text = strip_thinking(reply.text).strip()
    if problem := useless(reply) or ("" if text else "it held thoughts but no answer"):
        raise NoAnswerError(f"the model gave no answer: {problem}", hint="use another model")
    return text


def make(kind: str, number: int) -> ClosedBookMethod:
    return ClosedBookMethod()
