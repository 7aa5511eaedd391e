"""Answer a question from the memory with its opened pages: freely, with one of several options, or true or false."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from readagent.core.asking.absence import says_absent
from readagent.core.asking.answer_check import AnswerCheck, without_courtesy
from readagent.core.asking.reply_parts import (
    MISSING,
    as_lines,
    plain_label,
    split_certainty,
    split_missing,
    split_reply,
)
from readagent.core.asking.situation import Situation
from readagent.core.asking.stream import LABEL, StreamedAnswer
from readagent.core.failure_text import REFUSED
from readagent.core.form import Choice, strip_thinking
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Finish, Reply
from readagent.core.patterns import lazy_pattern
from readagent.core.question import Question, Quote
from readagent.core.question_language import not_in_text
from readagent.core.quotes.check_quotes import check_quotes, find_support
from readagent.core.quotes.quotable import LEAST_WORDS, Quotable
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback
from readagent.core.words import count_words
from readagent.errors import NoAnswerError

_TEMPLATES = {"choice": "choose", "claim": "claim"}
_CLAIM = Choice(("true", "false"), label="Answer")
_WORD = lazy_pattern(r"\w{3,}")
_FORM = lazy_pattern(r"\W*(?:it is |the answer is )?not in the text\W*", re.I)


def response_prompt(situation: Situation, session: Session, opened: tuple[int, ...], *, may_ask: bool = False) -> str:
    """Return the prompt for the answer. With ``may_ask`` the model may say that something is missing."""
    if situation.question.kind != "free":
        choice = choice_for(situation.question, *((MISSING,) if may_ask else ()))
        return situation.prompt(session, _TEMPLATES[situation.question.kind], opened, form=choice, may_ask=may_ask)
    return situation.prompt(session, "respond", opened, quotes=session.plan.quotes, may_ask=may_ask)


def fits_with(situation: Situation, session: Session) -> Callable[[tuple[int, ...]], bool]:
    """Return a function that returns whether the prompt for the answer fits with these pages open."""
    return lambda opened: session.window.fits(response_prompt(situation, session, opened))


@dataclass(frozen=True, slots=True)
class Response:
    """The answer, its letter or verdict if it is a decision, and the quotes that support it.

    ``missing`` is what the model says it needs to see first, if it may say so; the answer may then be empty.
    ``certainty`` is how sure the model says it is, between 0 and 1, or None.
    """

    text: str
    choice: str | None = None
    quotes: tuple[Quote, ...] = ()
    false_quotes: int = 0
    found_in_text: bool = True
    missing: str = ""
    certainty: float | None = None


async def respond(
    situation: Situation, session: Session, opened: tuple[int, ...], *, may_ask: bool = False
) -> Response:
    """Return the answer from the memory with these pages open. Quotes are the model's, checked, or else our own."""
    question, prompt = situation.question, response_prompt(situation, session, opened, may_ask=may_ask)
    ask = Ask("respond", prompt, material=situation.material(opened))
    if question.kind != "free":
        shown = situation.memory.render(frozenset(opened))
        used: list[str] = []
        (value,) = await session.decide(
            replace(ask, choice=choice_for(question, *((MISSING,) if may_ask else ()))),
            lambda: ("false",) if question.kind == "claim" else best_supported(question, shown),
            used=used.append,
        )
        certainty = split_certainty(used[0])[1] if used else None
        return replace(decided(value, situation, session, opened), certainty=certainty)
    check = check_of(situation, opened)
    stream = StreamedAnswer(session, check)

    def judge(reply: Reply) -> tuple[tuple[str, Finish, float | None], str]:
        text, certainty, problem = _answer_in(reply)
        if reply.finish == "length":
            reply.discard()  # it is used now, but asked for again in a later run
        answer = split_missing(text)[0] if may_ask else text
        parts = split_reply(answer)
        problem = problem or (check(parts.answer or answer) if answer else "")
        saw = problem not in ("", REFUSED) and check_quotes(situation.memory, parts.quotes, opened)[0]
        return (text, reply.finish, certainty), "" if saw else problem  # who quotes the text has seen it

    (text, finish, certainty), problem = await session.judged(
        replace(ask, listen=stream, restart=stream.restart), judge
    )
    if problem:
        raise NoAnswerError(
            f"the model gave no answer twice: {problem}", hint="rephrase the question, or use another model"
        )
    if finish == "length":
        session.fell_back(Fallback("respond", "the answer was cut off by the token limit", "the part that arrived"))
    text, missing = split_missing(text) if may_ask else (text, "")
    response = quoted(text, situation, session, opened) if text else Response("")
    response = replace(response, missing=missing, certainty=certainty)
    stream.close(response.text)
    return response


def choice_for(question: Question, *more: str) -> Choice:
    """Return the legal answers to a multiple-choice question or a claim, and ``more`` values."""
    if question.kind == "claim":
        return replace(_CLAIM, values=(*_CLAIM.values, *more))
    return Choice((*question.letters, *more), texts=(*question.options, *more))


def decided(value: str, situation: Situation, session: Session, opened: tuple[int, ...]) -> Response:
    """Return the response for the letter of an option, for a verdict on a claim, or for ``MISSING``."""
    if value == MISSING:
        return Response("", missing=MISSING)
    question = situation.question
    if question.kind == "claim":
        return _with_support(Response(value, value), situation, session, opened, "")
    text = question.options[question.letters.index(value)]
    return _with_support(Response(text, value), situation, session, opened, text)


def _with_support(
    response: Response, situation: Situation, session: Session, opened: tuple[int, ...], answer: str
) -> Response:
    """Return the response with quotes that we found, if the plan asks for quotes."""
    if not session.plan.quotes:
        return response
    return replace(response, quotes=tuple(find_support(situation.memory, opened, situation.question.text, answer)))


def quoted(
    text: str, situation: Situation, session: Session, opened: tuple[int, ...], *, gists: bool = False
) -> Response:
    """Return the answer in a reply, with its quotes checked; if the text does not say, with the nearest passages.

    With ``gists`` the answer may quote the gists: such a quote is left out, and not counted as made up.
    """
    source = Quotable(situation.memory.document.text)

    def in_text(words: str) -> bool:
        return count_words(words) >= LEAST_WORDS and source.locate(words) is not None

    if not session.plan.quotes:
        text = without_courtesy(text, in_text) or text
        return Response(text, found_in_text=not says_absent(text))
    parts = split_reply(text, in_text)
    given = parts.quotes if not gists else _not_of_gists(parts.quotes, situation.memory)
    quotes, false = check_quotes(situation.memory, given, opened)
    answer = parts.answer or (quotes[0].text if quotes else text)
    if not parts.found_in_text and _FORM.fullmatch(answer):
        answer = not_in_text(situation.question)
    response = Response(answer, None, tuple(quotes), false, found_in_text=parts.found_in_text)
    if quotes:
        return response
    return _with_support(response, situation, session, opened, answer if parts.found_in_text else "")


def _not_of_gists(quotes: Sequence[tuple[int | None, str]], memory: GistMemory) -> list[tuple[int | None, str]]:
    """Return the quotes that are in the raw text, or that are not in the gists either."""
    text, shown = Quotable(memory.document.text), Quotable(memory.render())
    return [one for one in quotes if text.locate(one[1]) or not shown.locate(one[1])]


def check_of(situation: Situation, opened: tuple[int, ...]) -> Callable[[str], str]:
    """Return a function that finds why a text cannot be the answer."""
    shown = f"{situation.memory.render(frozenset(opened))}\n{situation.history}"
    return AnswerCheck(situation.question.shown(), shown).problem


def _answer_in(reply: Reply) -> tuple[str, float | None, str]:
    """Return the answer in a reply, how sure the model is, and why there is no answer; "" if there is one."""
    if problem := useless(reply):
        return "", None, problem
    text, certainty = split_certainty(as_lines(strip_thinking(reply.text)))
    text = LABEL.sub("", plain_label(text)).strip()
    return text, certainty, "" if text else "it held thoughts but no answer"


def best_supported(question: Question, shown: str) -> tuple[str, ...]:
    """Return the option with the largest share of its words in the text, for use when the model names no option."""
    words = set(_WORD.findall(shown.lower()))
    shares = []
    for option in question.options:
        own = set(_WORD.findall(option.lower()))
        shares.append(len(own & words) / len(own) if own else 0.0)
    return (question.letters[shares.index(max(shares))],)
