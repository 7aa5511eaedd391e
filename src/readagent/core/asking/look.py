"""Look and answer: the model answers from what is shown, or asks for pages and parts, which are added below.

A prompt is never rewritten: what was asked for is appended, so that nothing that was seen is lost, and a server that
caches prefixes reads only what is new. An absence is final once the pages that a search finds have been opened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from readagent.core.asking.answer import (
    ANSWER,
    NOT_IN_TEXT,
    Given,
    given_in,
    is_labelled,
    split_certainty,
    with_quotes,
)
from readagent.core.asking.lookup import WHOLE_TEXT, nearest, opened_of, pages_choice
from readagent.core.asking.respond import (
    AnswerCheck,
    Response,
    best_supported,
    choice_for,
    decided,
    fits_with,
    quoted,
)
from readagent.core.asking.situation import Situation
from readagent.core.asking.stream import StreamedAnswer
from readagent.core.asking.view import View
from readagent.core.escaping import escape_tags
from readagent.core.form import Choice, Filled, Form, Lines, Text, strip_thinking
from readagent.core.memory import spans_of
from readagent.core.model import Ask, Reply
from readagent.core.question import Lookup
from readagent.core.session import Session, useless
from readagent.core.trace import AnswerText, Event, Fallback, Listener, Opened
from readagent.errors import NoAnswerError

MOST_PROMPTS = 4  # for one question
_PARTS = 5  # that may be asked for at a time
_LOOK = 3  # pages that are opened before an absence is final
_CHOSEN, _SEARCHED = "Here is what you asked for.", "A search finds these pages nearest to the question."
UNCLEAR = "it neither answers nor asks for pages in one of these forms"


@dataclass(frozen=True, slots=True)
class Looked:
    """What was opened for a question, all that was shown for it, and the answer.

    Without an answer, all of the text is needed, or it is to be asked for ``alone``.
    """

    lookup: Lookup
    view: View
    response: Response | None
    alone: Situation | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A reply as it was understood: an answer, what it asks for, or a word."""

    filled: Filled
    given: Given
    certainty: float | None = None
    cut: bool = False

    @property
    def pages(self) -> tuple[str, ...]:
        return self.filled.values.get("Pages", ())

    @property
    def parts(self) -> tuple[int, ...]:
        return tuple(map(int, self.filled.values.get("Parts", ())))

    @property
    def asks(self) -> bool:
        """Whether it asks for something, or needs nothing and gives no answer. Who asks is not sure of an answer."""
        answered = ANSWER in self.filled.values or is_labelled(self.filled)
        return bool(self.pages or self.parts) or ("Pages" in self.filled.values and not answered)


class Looking:
    """Looks for the answer to one question: what is open, what was appended to the first prompt, what may be asked."""

    def __init__(self, situation: Situation, session: Session) -> None:
        self._situation, self._session = situation, session
        self._free = situation.question.kind == "free"
        self._view = situation.view
        self._opened: tuple[int, ...] = ()
        self._unfit = list[int]()
        self._searched = self._emitted = self._failed = False
        self._stream = StreamedAnswer(session, Form(()))
        self._blocks = list[str]()  # what was added
        self._prompts = 0
        self._prompt = self._first = self._filled("direct")

    @property
    def fits(self) -> bool:
        """Whether the first prompt fits the window; it is longer than one that only chooses pages."""
        return self._session.window.fits(self._first)

    def heard(self, reply: Reading, problem: str) -> Looked | None:
        """Return what was found with this reply to the last prompt, or None if another prompt is to be sent.

        ``problem`` says why two replies in a row could not be used.
        """
        self._emitted = self._emitted or bool(self._stream.emitted)
        pages, why = list[int](), _CHOSEN
        if reply.filled.word == WHOLE_TEXT:
            return self._looked(None, whole=True)
        if problem:
            if self._failed:
                return self._looked(self._given_up(problem))
            self._failed, pages, why = True, self._likeliest(1), _SEARCHED
            opened = f"page {pages[0]} is opened" if pages else "no page is opened"
            self._session.fell_back(Fallback("direct", problem, opened))
            if not pages:  # no page shares a word with the question
                return self._looked(None, alone=self._situation)
        elif reply.asks:
            pages = [page for page in map(int, reply.pages) if page not in self._opened]
            if not pages and not reply.parts:
                pages, why = self._likeliest(1), _SEARCHED
        elif not reply.given.found_in_text and not self._searched:
            self._searched = True
            pages, why = self._likeliest(_LOOK, beyond=True), _SEARCHED
        if not pages and not reply.asks:
            return self._looked(self._response(reply))
        alone = self._add(pages, reply.parts, why)
        return None if alone is None else self._looked(None, alone=alone)

    def asking(self) -> tuple[Ask, Callable[[Reply], tuple[Reading, str]]]:
        """Return what is asked next, and what judges a reply."""
        form, read = self._form(), self._form(least=0)  # "Pages: none" is not offered, but understood
        read = with_quotes(read) if self._free else read
        self._prompts += 1
        self._stream = StreamedAnswer(self.again, read)
        check = AnswerCheck(self._situation, self._opened, self._prompt, tuple(self._blocks))
        ask = Ask("direct", self._prompt, material=self._situation.material(self._opened), form=form)
        if self._free:
            ask = replace(ask, listen=self._stream, restart=self._stream.restart)

        def judge(received: Reply) -> tuple[Reading, str]:
            text, certainty = split_certainty(strip_thinking(received.text))
            filled = read.parse(text)
            problem = useless(received)
            if filled is None or problem:
                asked = filled is None and any(read.label_in(line) for line in text.splitlines())
                return Reading(Filled(), Given("")), problem or (self._illegal() if asked else UNCLEAR)
            reply = Reading(
                filled, given_in(filled) if self._free else Given(""), certainty, received.finish == "length"
            )
            if filled.word == WHOLE_TEXT:
                return reply, ""
            if reply.asks:
                return reply, "" if reply.pages or reply.parts or self._prompts < MOST_PROMPTS else UNCLEAR
            if reply.cut:
                received.discard()  # it is used now, but asked for again in a later run
            if not self._free:
                return reply, "" if ANSWER in filled.values else UNCLEAR
            problem = check.problem(filled, reply.given)
            return reply, UNCLEAR if problem and not is_labelled(filled) else problem

        return ask, judge

    def _response(self, reply: Reading) -> Response:
        if reply.cut:
            cut = Fallback("respond", "the answer was cut off by the token limit", "the part that arrived")
            self._session.fell_back(cut)
        if not self._free:
            value = reply.filled.values[ANSWER][0]
            made = decided(value, self._situation, self._session, self._opened)
        else:
            made = quoted(reply.given, self._situation, self._session, self._opened, gists=True)
            self._stream.close(made.text)
        return replace(made, certainty=reply.certainty)

    def _given_up(self, problem: str) -> Response:
        """Return what is used in place of an answer that cannot be had."""
        question = self._situation.question
        if self._free:
            problem = "it had none of the forms that were asked for" if problem == UNCLEAR else problem
            raise NoAnswerError(
                f"the model gave no answer twice: {problem}", hint="rephrase the question, or use another model"
            )
        shown = "\n".join((self._situation.view.render(), *self._blocks))
        (value,) = ("false",) if question.kind == "claim" else best_supported(question, shown)
        self._session.fell_back(Fallback("respond", problem, value))
        return replace(decided(value, self._situation, self._session, self._opened), guessed=True)

    def _add(self, pages: Sequence[int], parts: Sequence[int], why: str) -> Situation | None:
        """Append pages and parts. Where they have no room there, return the situation to answer in from pages alone."""
        if why == _CHOSEN:
            pages = pages[: self._session.plan.max_pages - len(self._opened)]
        seen = self._view
        for number in parts[:_PARTS]:
            for wider in (self._view.with_pages(number), self._view.with_part(number)):
                if self._fits((), wider.without(seen), why):
                    self._view = wider
                    break
        shown = self._view.without(seen)
        if not pages and not shown.gists and not shown.entries:
            pages = self._likeliest(1)  # there is no room for the parts, or nothing new in them
        appended = opened_of(pages, lambda opened: self._fits(opened, shown, why))
        alone = opened_of([*self._opened, *pages], fits_with(self._situation, self._session))
        if len(alone.pages) > len(self._opened) + len(appended.pages):
            self._unfit += alone.did_not_fit
            self._open(tuple(page for page in alone.pages if page not in self._opened))
            self._opened = alone.pages
            return replace(self._situation, view=self._view)
        self._unfit += appended.did_not_fit
        self._open(appended.pages)
        block = self._block(appended.pages, shown)
        if not block:  # nothing has room
            return self._situation
        self._blocks.append(block)
        self._prompt = f"{self._prompt}\n\n{self._more(block, why)}"
        return None

    def _illegal(self) -> str:
        """Return why numbers cannot be used."""
        parts = f", and the parts 0 to {last}" if (last := len(self._situation.view.parts) - 1) > 0 else ""
        return f"it named a number that is not legal: the pages are 0 to {len(self._situation.memory.pages) - 1}{parts}"

    @property
    def _left(self) -> int:
        """How many pages may still be asked for."""
        most = min(self._session.plan.max_pages, len(self._situation.memory.pages))
        return max(0, most - len(self._opened))

    def _open(self, pages: tuple[int, ...]) -> None:
        self._opened = (*self._opened, *pages)
        if pages:
            self._session.emit(Opened(pages, spans_of(self._situation.memory, pages)))

    def _fits(self, opened: tuple[int, ...], shown: View, why: str) -> bool:
        return self._session.window.fits(f"{self._prompt}\n\n{self._more(self._block(opened, shown), why)}")

    def _block(self, opened: Sequence[int], shown: View) -> str:
        gists = {page: gist for page, gist in shown.gists.items() if page not in opened}
        return replace(shown, gists=gists).render(opened)

    def _more(self, block: str, why: str) -> str:
        last = self._prompts + 1 >= MOST_PROMPTS
        return self._filled("direct_more", opened=block, why=why, last_prompt=last)

    def _filled(self, template: str, *, opened: str = "", why: str = "", last_prompt: bool = False) -> str:
        plan, question = self._session.plan, self._situation.question
        left = 0 if last_prompt else self._left
        values: dict[str, Any] = {
            "most": left, "last": len(self._situation.memory.pages) - 1, "order": plan.by_importance, "why": why,
            "only": len(self._situation.memory.pages) == 1, "quotes": plan.quotes and self._free, "free": self._free,
            "choice": question.kind == "choice", "claim": question.kind == "claim",
            "parts": min(_PARTS, len(self._situation.view.parts)) if left > 0 else 0,
            "last_part": len(self._situation.view.parts) - 1,
            "whole_text": self._situation.may_be_whole and template == "direct",
        }  # fmt: skip
        form = self._form(left=left, first=template == "direct")
        if template == "direct":
            return self._situation.prompt(self._session, template, form=form, **values)
        return self._session.prompts.fill(
            template, form=form, opened=opened, question=escape_tags(question.shown()),
            language="the language of the question", **values,
        )  # fmt: skip

    def _form(self, *, left: int | None = None, first: bool | None = None, least: int = 1) -> Form:
        """Return what the reply to the last prompt may be."""
        plan, view = self._session.plan, self._situation.view
        first = self._prompt == self._first if first is None else first
        if left is None:
            left = 0 if self._prompts + 1 >= MOST_PROMPTS else self._left
        fields: list[Choice | Text | Lines] = [Text(ANSWER) if self._free else choice_for(self._situation.question)]
        if self._free and plan.quotes and not first:
            fields.append(Lines("Page"))
        if left > 0:
            most = left if least else len(self._situation.memory.pages)  # of more, the first are opened
            fields.append(pages_choice(self._situation, most, least=least, whole=False))
            if view.parts:
                parts = tuple(str(one.number) for one in view.parts)
                fields.append(Choice(parts, most=_PARTS if least else len(parts), label="Parts"))
        words = [NOT_IN_TEXT] if self._free and plan.quotes else []
        words += [WHOLE_TEXT] if first and self._situation.may_be_whole else []
        return Form(tuple(fields), tuple(words), either=True)

    def _likeliest(self, most: int, *, beyond: bool = False) -> list[int]:
        """Return the pages that a search finds nearest and that may still be opened, or ``beyond`` these."""
        most = most if beyond else min(most, self._session.plan.max_pages - len(self._opened))
        last = self._prompts >= MOST_PROMPTS
        return [] if last else [page for page in nearest(self._situation) if page not in self._opened][: max(0, most)]

    def _looked(self, response: Response | None, *, whole: bool = False, alone: Situation | None = None) -> Looked:
        unfit = tuple(page for page in dict.fromkeys(self._unfit) if page not in self._opened)
        return Looked(Lookup(self._opened, unfit, whole), self._view, response, alone)

    @property
    def again(self) -> Session:
        """Return the session for an answer that replaces what was emitted, if anything was."""
        return replace(self._session, emit=_starting_again(self._session.emit)) if self._emitted else self._session


def _starting_again(emit: Listener) -> Listener:
    """Return a listener for an answer that replaces what was emitted before."""
    started = False

    def listen(event: Event) -> None:
        nonlocal started
        if isinstance(event, AnswerText) and not started:
            started, event = True, replace(event, restart=True)
        emit(event)

    return listen
