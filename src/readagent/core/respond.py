"""Answer from the mixed text: free form, one of several options, or whether a claim is true."""

from __future__ import annotations

import re
from dataclasses import replace

from readagent.core.choice import Choice
from readagent.core.events import Said
from readagent.core.lookup import Situation
from readagent.core.model import Ask, Reply
from readagent.core.parse import is_refusal, may_be_refusal, strip_thinking
from readagent.core.question import Question
from readagent.core.reader import Reader, useless
from readagent.core.trace import Fallback
from readagent.errors import NoAnswerError

_TEMPLATES = {"free": "respond", "choice": "choose", "claim": "claim"}
_CLAIM = Choice(("true", "false"), cues=("answer", "claim is", "statement is"))
_WORD = re.compile(r"\w{3,}")
_LABEL = re.compile(r"^\W*answer\W*:\s*", re.I)
_OPENING = 24  # characters that must have come before anything is passed on


def response_prompt(situation: Situation, reader: Reader, opened: tuple[int, ...]) -> str:
    """The prompt for the answer, these pages open."""
    return situation.prompt(reader, _TEMPLATES[situation.question.kind], opened)


async def respond(situation: Situation, reader: Reader, opened: tuple[int, ...]) -> tuple[str, str | None]:
    """The answer's text, and the letter or verdict chosen where the question asks for one."""
    prompt, material = response_prompt(situation, reader, opened), situation.material(opened)
    question = situation.question
    if question.kind == "free":
        return await _free(Ask("respond", prompt, material=material), reader), None
    if question.kind == "claim":
        (verdict,) = await reader.decide(Ask("respond", prompt, _CLAIM, material), lambda: ("false",))
        return verdict, verdict
    choice = Choice(question.letters, texts=question.options)
    shown = situation.memory.render(frozenset(opened))
    (letter,) = await reader.decide(Ask("respond", prompt, choice, material), lambda: best_supported(question, shown))
    return question.options[question.letters.index(letter)], letter


async def _free(ask: Ask, reader: Reader) -> str:
    aloud = Aloud(reader)
    reply = await reader.ask(replace(ask, listen=aloud))
    text, problem = _said(reply)
    if problem:
        second = await reader.again(ask, problem, reader.prompts.fill("wanted_answer"))
        if second is not None:
            reply = second
            text, problem = _said(reply)
    if problem:
        raise NoAnswerError(
            f"the model gave no answer twice: {problem}", hint="ask again in other words, or with another model"
        )
    if reply.finish == "length":
        reader.fell_back(Fallback("respond", "the answer was cut off by the token limit", "the part that came"))
    aloud.close(text)
    return text


def _said(reply: Reply) -> tuple[str, str]:
    if problem := useless(reply):
        return "", problem
    text = _LABEL.sub("", strip_thinking(reply.text)).strip()
    if not text:
        return "", "it held thoughts but no answer"
    return text, "the model refused" if is_refusal(text) else ""


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

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._heard = ""
        self._said = ""

    def __call__(self, piece: str) -> None:
        """Take in a piece; say what of it is surely answer: nothing that may yet be a tag, a label or a refusal."""
        self._heard += piece
        sure, bracket, tag = self._heard.rpartition("<")
        text = strip_thinking(sure if bracket and len(tag) < 12 else self._heard)
        if len(text) >= _OPENING and not may_be_refusal(text):
            self._say(_LABEL.sub("", text))

    def close(self, answer: str) -> None:
        """Say the rest; where the answer is not what was being said, say it from the beginning on a line of its own."""
        if answer.startswith(self._said):
            self._say(answer)
        else:
            self._reader.tell(Said("\n" + answer))

    def _say(self, text: str) -> None:
        if len(text) > len(self._said) and text.startswith(self._said):
            self._reader.tell(Said(text[len(self._said) :]))
            self._said = text
