"""Read a free answer from a reply: its text, its quotes and whether the text holds it. What is no answer is refused.

A failure is told by the form and by comparison with what was sent, never by its wording.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from readagent.core.form import Filled, Form, Lines, Text
from readagent.core.patterns import lazy_pattern
from readagent.core.plan import Plan
from readagent.core.words import count_words

ANSWER = "Answer"
NOT_IN_TEXT = "NOT IN THE TEXT"
TEXT_IS_SILENT = "The text does not say."  # where the model gives no sentence of its own
UNLABELLED = "it had no line that begins with Answer:"
_QUOTES = Lines("Page")
_MARKED = lazy_pattern(r"[\"“”„«»「『'‘’`](.*\S)\s*[\"“”„«»」』'’`]", re.S)
_BRACKETED = lazy_pattern(r"\s*[\[<({](?=[^\d]*[^\W\d])[^\[\]<>(){}]*[\])>}][\s.]*")
_CERTAINTY = lazy_pattern(r"\s*^Certainty: (\d{1,3}) %\s*\Z", re.M)
_RUN = 4  # words of an instruction that an answer must consist of to repeat it
_REPEATED = 2 / 3  # share of the words of a question that an answer must consist of to repeat it
_COPY = 200  # words of an answer that stands in the text as it is
_LOOPING = 8, 0.25  # words of an answer that may be a loop, and the share of different ones below which it is


@dataclass(frozen=True, slots=True)
class Given:
    """A free answer as the model gave it: ``quotes`` with the pages they name, not yet checked.

    ``found_in_text`` is False if the model says that the text does not hold the answer.
    """

    text: str
    quotes: tuple[tuple[int, str], ...] = ()
    found_in_text: bool = True


def answer_form(plan: Plan) -> Form:
    """Return the form of a free answer: if the plan wants quotes, with them or the word for no answer in the text."""
    return Form((Text(ANSWER), _QUOTES), (NOT_IN_TEXT,)) if plan.quotes else Form((Text(ANSWER),))


def with_quotes(form: Form) -> Form:
    """Return a form that also reads quotes, and the word for no answer, where they were not asked for."""
    if _QUOTES in form.fields:
        return form
    return Form((*form.fields, _QUOTES), tuple(dict.fromkeys((NOT_IN_TEXT, *form.words))))


def given_in(filled: Filled) -> Given:
    """Return the answer in a reply; without a label, what stands before the quotes."""
    quotes = tuple((int(number), _unmarked(text)) for number, text in filled.lines.get(_QUOTES.label, ()))
    text = filled.texts.get(ANSWER, "" if filled.word else filled.before)
    if quotes:
        text = _without_heading(text)
    return Given(text, quotes, filled.word != NOT_IN_TEXT)


def given_as(said: str) -> Given:
    """Return the answer in a text that is known to be one, with the quotes below it."""
    filled = Form((Text(ANSWER), _QUOTES), (NOT_IN_TEXT,)).parse(said)
    return Given(said.strip()) if filled is None else given_in(filled)


def is_labelled(filled: Filled) -> bool:
    """Return whether a reply has an answer under its label, or the word for none."""
    return ANSWER in filled.texts or filled.word == NOT_IN_TEXT


def why_no_answer(answer: str, *, question: str, frame: str, shown: str) -> str:
    """Return why a text cannot be the answer, or "": a placeholder, an echo or a loop.

    ``frame`` is our own part of the prompt, and ``shown`` the text that the question is about.
    """
    words, asked = _words(answer), _words(question)
    if _has_run(_words(shown), words):
        return "it was a copy of the text" if count_words(answer) > _COPY else ""
    if _BRACKETED.fullmatch(answer):
        return "it was a placeholder"
    if len(words) >= _REPEATED * len(asked) and _has_run(asked, words):
        return "it repeated the question"
    if len(words) >= _RUN and _has_run(_words(frame), words):
        return "it repeated the instruction"
    many, least = _LOOPING
    if len(words) >= many and len(set(words)) < least * len(words) and not _has_run(_words(shown), words[:many]):
        return "it said the same again and again"
    return ""


def with_certainty(reply: str, certainty: float) -> str:
    """Return a reply with a line at its end that says how sure a reader is, between 0 and 1."""
    return f"{reply}\nCertainty: {round(100 * certainty)} %"


def split_certainty(reply: str) -> tuple[str, float | None]:
    """Return a reply without the line, and the certainty; None if there is no such line."""
    found = _CERTAINTY.search(reply)
    return (reply, None) if found is None else (reply[: found.start()], min(100, int(found[1])) / 100)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _has_run(words: Sequence[str], run: Sequence[str]) -> bool:
    """Return whether the words of a run follow each other somewhere among the words."""
    return f" {' '.join(run)} " in f" {' '.join(words)} "


def _unmarked(quote: str) -> str:
    """Return a quote without quotation marks around it and what follows them."""
    found = _MARKED.match(quote.strip(" \t\n*_"))
    return (found[1] if found else quote).strip()


def _without_heading(answer: str) -> str:
    """Return an answer without a last line that introduces the quotes below it, such as ``Quotes:``."""
    above, newline, last = answer.rstrip().rpartition("\n")
    return above.rstrip() if newline and last.rstrip(" *_").endswith((":", "：")) else answer
