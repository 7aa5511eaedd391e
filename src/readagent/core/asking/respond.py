"""Answer from the mixed text: free form, one of several options, or whether a claim is true."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from readagent.core.asking.lookup import Situation
from readagent.core.asking.missing import MISSING, without_missing
from readagent.core.asking.verify import before_quotes, checked, parted, supporting
from readagent.core.choice import Choice
from readagent.core.events import Said
from readagent.core.model import Ask, Finish, Reply
from readagent.core.parse import is_refusal, may_be_refusal, strip_thinking
from readagent.core.question import Question, Quote
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback
from readagent.errors import NoAnswerError

_TEMPLATES = {"choice": "choose", "claim": "claim"}
_CLAIM = Choice(("true", "false"), cues=("answer", "claim is", "statement is"))
_WORD = re.compile(r"\w{3,}")
_LABEL = re.compile(r"^\W*answer\W*:\s*", re.I)
NOT_IN_TEXT = "The text does not say."
_OPENING = 24  # characters that must have come before anything is passed on


def response_prompt(situation: Situation, session: Session, opened: tuple[int, ...], *, may_ask: bool = False) -> str:
    """The prompt for the answer, these pages open; with ``may_ask`` the model may say that something is missing."""
    if situation.question.kind != "free":
        return situation.prompt(session, _TEMPLATES[situation.question.kind], opened, may_ask=may_ask)
    return situation.prompt(session, "respond", opened, quotes=session.plan.quotes, may_ask=may_ask)


@dataclass(frozen=True, slots=True)
class Response:
    """The answer, the letter or verdict where one was wanted, and the quotes that it rests on.

    ``missing`` is what the model says it would have to see first, where it may say so; the answer may then be empty.
    """

    text: str
    choice: str | None = None
    quotes: tuple[Quote, ...] = ()
    false_quotes: int = 0
    found_in_text: bool = True
    missing: str = ""


async def respond(
    situation: Situation, session: Session, opened: tuple[int, ...], *, may_ask: bool = False
) -> Response:
    """Answer from the memory with these pages open. Quotes are those of the model, checked, or else our own."""
    prompt, material = response_prompt(situation, session, opened, may_ask=may_ask), situation.material(opened)
    question = situation.question
    if question.kind == "free":
        return await _free(Ask("respond", prompt, material=material), situation, session, opened, may_ask)
    more = (MISSING,) if may_ask else ()
    if question.kind == "claim":
        claim = replace(_CLAIM, values=(*_CLAIM.values, *more))
        (verdict,) = await session.decide(Ask("respond", prompt, claim, material), lambda: ("false",))
        if verdict == MISSING:
            return Response("", missing=MISSING)
        return _with_support(Response(verdict, verdict), situation, session, opened, "")
    choice = Choice((*question.letters, *more), texts=(*question.options, *more))
    shown = situation.memory.render(frozenset(opened))
    (letter,) = await session.decide(Ask("respond", prompt, choice, material), lambda: best_supported(question, shown))
    if letter == MISSING:
        return Response("", missing=MISSING)
    text = question.options[question.letters.index(letter)]
    return _with_support(Response(text, letter), situation, session, opened, text)


def _with_support(
    response: Response, situation: Situation, session: Session, opened: tuple[int, ...], answer: str
) -> Response:
    """The response with quotes of our own, where quotes are wanted."""
    if not session.plan.quotes:
        return response
    return replace(response, quotes=tuple(supporting(situation.memory, opened, situation.question.text, answer)))


async def _free(ask: Ask, situation: Situation, session: Session, opened: tuple[int, ...], may_ask: bool) -> Response:
    aloud = Aloud(session)
    (text, finish), problem = await session.judged(replace(ask, listen=aloud), _said)
    if problem:
        raise NoAnswerError(
            f"the model gave no answer twice: {problem}", hint="ask again in other words, or with another model"
        )
    if finish == "length":
        session.fell_back(Fallback("respond", "the answer was cut off by the token limit", "the part that came"))
    text, missing = without_missing(text) if may_ask else (text, "")
    response = replace(_quoted(text, situation, session, opened) if text else Response(""), missing=missing)
    aloud.close(response.text)
    return response


def _quoted(text: str, situation: Situation, session: Session, opened: tuple[int, ...]) -> Response:
    """A reply taken apart, and its quotes checked."""
    if not session.plan.quotes:
        return Response(text)
    said = parted(text)
    quotes, false = checked(situation.memory, said.quotes, opened)
    answer = (said.answer or (quotes[0].text if quotes else text)) if said.found_in_text else NOT_IN_TEXT
    response = Response(answer, None, tuple(quotes), false, said.found_in_text)
    return response if quotes or not said.found_in_text else _with_support(response, situation, session, opened, answer)


def _said(reply: Reply) -> tuple[tuple[str, Finish], str]:
    """Return the answer in a reply, how the reply ended, and why it is no answer; empty if it is one."""
    if problem := useless(reply):
        return ("", reply.finish), problem
    text = _LABEL.sub("", strip_thinking(reply.text)).strip()
    if not text:
        return ("", reply.finish), "it held thoughts but no answer"
    return (text, reply.finish), "the model refused" if is_refusal(text) else ""


def best_supported(question: Question, shown: str) -> tuple[str, ...]:
    """The option most of whose words stand in the text shown: what is taken when the model names none legibly."""
    words = set(_WORD.findall(shown.lower()))
    shares = []
    for option in question.options:
        own = set(_WORD.findall(option.lower()))
        shares.append(len(own & words) / len(own) if own else 0.0)
    return (question.letters[shares.index(max(shares))],)


class Aloud:
    """Passes on an answer as it arrives, without the model's thinking and without a leading "Answer:"."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._heard = ""
        self._said = ""

    def __call__(self, piece: str) -> None:
        """Take in a piece; say what of it is surely answer: nothing that may yet be a tag, a label or a refusal."""
        self._heard += piece
        sure, bracket, tag = self._heard.rpartition("<")
        text = strip_thinking(sure if bracket and len(tag) < 12 else self._heard)
        if len(text) >= _OPENING and not may_be_refusal(text):
            self._say(before_quotes(_LABEL.sub("", text)))

    def close(self, answer: str) -> None:
        """Say the rest; where the answer is not what was being said, say it from the beginning on a line of its own."""
        if answer.startswith(self._said):
            self._say(answer)
        else:
            self._session.tell(Said("\n" + answer))

    def _say(self, text: str) -> None:
        if len(text) > len(self._said) and text.startswith(self._said):
            self._session.tell(Said(text[len(self._said) :]))
            self._said = text
