"""Answer a question from the memory with its opened pages: freely, with one of several options, or true or false."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from readagent.core.asking.answer import (
    TEXT_IS_SILENT,
    UNLABELLED,
    Given,
    answer_form,
    given_in,
    is_labelled,
    split_certainty,
    why_no_answer,
    with_quotes,
)
from readagent.core.asking.situation import Situation
from readagent.core.asking.stream import StreamedAnswer
from readagent.core.escaping import escape_tags
from readagent.core.form import Choice, Filled, strip_thinking
from readagent.core.model import Ask, Finish, Reply
from readagent.core.patterns import lazy_pattern
from readagent.core.question import Question, Quote
from readagent.core.quotes.check_quotes import check_quotes, find_support
from readagent.core.quotes.quotable import Quotable
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback
from readagent.core.window import largest
from readagent.errors import NoAnswerError

_TEMPLATES = {"choice": "choose", "claim": "claim"}
_CLAIM = Choice(("true", "false"), label="Answer")
_WORD = lazy_pattern(r"\w{3,}")


def response_prompt(situation: Situation, session: Session, opened: tuple[int, ...]) -> str:
    """Return the prompt for the answer."""
    if situation.question.kind != "free":
        choice = choice_for(situation.question)
        return situation.prompt(session, _TEMPLATES[situation.question.kind], opened, form=choice)
    form = answer_form(session.plan)
    return situation.prompt(session, "respond", opened, form=form, quotes=session.plan.quotes)


def making_room(situation: Situation, session: Session, opened: tuple[int, ...]) -> Situation:
    """Return the situation to answer in. The opened pages come first, then those that a search found, then the rest."""
    if not opened or _fit(situation, session, opened):
        return situation
    shown = situation.view.gists
    others = [page for page in dict.fromkeys((*situation.found, *shown)) if page in shown and page not in opened]
    kept = largest(len(others), lambda count: _fit(situation.only(opened, others[:count]), session, opened))
    return situation.only(opened, others[:kept])


def fits_with(situation: Situation, session: Session) -> Callable[[tuple[int, ...]], bool]:
    """Return a function that returns whether the prompt for the answer fits with these pages open."""
    return lambda opened: any(_fit(one, session, opened) for one in (situation, situation.only(opened)))


def _fit(situation: Situation, session: Session, opened: tuple[int, ...]) -> bool:
    return session.window.fits(response_prompt(situation, session, opened))


@dataclass(frozen=True, slots=True)
class Response:
    """The answer, its letter or verdict if it is a decision, and the quotes that support it.

    ``certainty`` is how sure the model says it is, between 0 and 1, or None.
    """

    text: str
    choice: str | None = None
    quotes: tuple[Quote, ...] = ()
    false_quotes: int = 0
    found_in_text: bool = True
    certainty: float | None = None
    guessed: bool = False


async def respond(situation: Situation, session: Session, opened: tuple[int, ...]) -> Response:
    """Return the answer from the memory with these pages open. Quotes are the model's, checked, or else our own."""
    situation = making_room(situation, session, opened)
    question, prompt = situation.question, response_prompt(situation, session, opened)
    ask = Ask("respond", prompt, material=situation.material(opened))
    if question.kind != "free":
        shown = situation.view.render(frozenset(opened))
        used: list[str] = []
        (value,) = await session.decide(
            replace(ask, choice=choice_for(question)),
            lambda: ("false",) if question.kind == "claim" else best_supported(question, shown),
            used=used.append,
        )
        certainty = split_certainty(used[0])[1] if used else None
        return replace(decided(value, situation, session, opened), certainty=certainty, guessed=not used)
    form = answer_form(session.plan)
    stream, check = StreamedAnswer(session, with_quotes(form)), AnswerCheck(situation, opened, prompt)

    def judge(reply: Reply) -> tuple[tuple[Given, Finish, float | None], str]:
        text, certainty = split_certainty(strip_thinking(reply.text))
        if reply.finish == "length":
            reply.discard()  # it is used now, but asked for again in a later run
        filled = with_quotes(form).parse(text)
        given = Given("") if filled is None else given_in(filled)
        return (given, reply.finish, certainty), useless(reply) or check.problem(filled, given)

    (given, finish, certainty), problem = await session.judged(
        replace(ask, form=form, listen=stream, restart=stream.restart), judge
    )
    if problem:
        raise NoAnswerError(
            f"the model gave no answer twice: {problem}", hint="rephrase the question, or use another model"
        )
    if finish == "length":
        session.fell_back(Fallback("respond", "the answer was cut off by the token limit", "the part that arrived"))
    response = replace(quoted(given, situation, session, opened), certainty=certainty)
    stream.close(response.text)
    return response


@dataclass(frozen=True, slots=True)
class AnswerCheck:
    """Finds why a reply to a ``prompt`` with these pages open holds no answer. ``more`` is shown below the view."""

    situation: Situation
    opened: tuple[int, ...]
    prompt: str
    more: tuple[str, ...] = ()

    def problem(self, filled: Filled | None, given: Given) -> str:
        """Return why there is no answer, or "". Whoever quotes the text has seen it, and needs no label."""
        if filled is None:
            return UNLABELLED
        if not is_labelled(filled):
            quotes, _ = check_quotes(self.situation.memory, given.quotes, self.opened)
            return "" if quotes else UNLABELLED
        if not given.text:
            return ""
        opened = frozenset() if self.more else frozenset(self.opened)
        memory, question = self.situation.view.render(opened), self.situation.question.shown()
        frame = self.prompt
        for part in (memory, *self.more, escape_tags(question), escape_tags(self.situation.history)):
            frame = frame.replace(part, "\n") if part else frame
        shown = "\n".join((memory, *self.more, self.situation.history))
        return why_no_answer(given.text, question=question, frame=frame, shown=shown)


def choice_for(question: Question) -> Choice:
    """Return the legal answers to a multiple-choice question or a claim."""
    return _CLAIM if question.kind == "claim" else Choice(question.letters, texts=question.options)


def decided(value: str, situation: Situation, session: Session, opened: tuple[int, ...]) -> Response:
    """Return the response for the letter of an option, or for a verdict on a claim."""
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
    given: Given, situation: Situation, session: Session, opened: tuple[int, ...], *, gists: bool = False
) -> Response:
    """Return an answer with its quotes checked; if the text does not say, with the nearest passages.

    With ``gists`` the answer may quote the gists: such a quote is left out, and not counted as made up.
    """
    if not session.plan.quotes:
        return Response(given.text or TEXT_IS_SILENT, found_in_text=given.found_in_text)
    copied = given.quotes if not gists else _not_of_gists(given.quotes, situation)
    quotes, false = check_quotes(situation.memory, copied, opened)
    answer = given.text or (quotes[0].text if quotes and given.found_in_text else TEXT_IS_SILENT)
    response = Response(answer, None, tuple(quotes), false, found_in_text=given.found_in_text)
    if quotes:
        return response
    return _with_support(response, situation, session, opened, answer if given.found_in_text else "")


def _not_of_gists(quotes: Sequence[tuple[int, str]], situation: Situation) -> list[tuple[int, str]]:
    """Return the quotes that are in the raw text, or that are not in what was shown of the gists either."""
    text, shown = Quotable(situation.memory.document.text), Quotable(situation.view.render())
    return [one for one in quotes if text.locate(one[1]) or not shown.locate(one[1])]


def best_supported(question: Question, shown: str) -> tuple[str, ...]:
    """Return the option with the largest share of its words in the text, for use when the model names no option."""
    words = set(_WORD.findall(shown.lower()))
    shares = []
    for option in question.options:
        own = set(_WORD.findall(option.lower()))
        shares.append(len(own & words) / len(own) if own else 0.0)
    return (question.letters[shares.index(max(shares))],)
