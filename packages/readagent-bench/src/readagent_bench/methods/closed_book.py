"""The question alone: what a model answers without the text shows how much of it the model knows already."""

from __future__ import annotations

from dataclasses import dataclass

from readagent.core.asking.respond import best_supported, choice_for
from readagent.core.escaping import escape_tags
from readagent.core.form import Form, Text
from readagent.core.model import Ask, Reply
from readagent.core.question import Question
from readagent.core.session import Session, useless
from readagent.errors import NoAnswerError
from readagent_bench.example import Asked, Outcome
from readagent_bench.reading import ReadingContext
from readagent_bench.templates import templates

_ANSWER = Form((Text(),))


@dataclass(frozen=True, slots=True)
class ClosedBookMethod:
    """Shows no text."""

    name: str = "closed-book"
    title: str = "Closed book"

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        question, session = context.noted(asked.question), await context.session()
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


def make(kind: str, number: int) -> ClosedBookMethod:
    return ClosedBookMethod()
