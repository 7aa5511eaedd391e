"""Adaptive look-up (``auto``): open few pages, and more only if something is missing or cannot be verified.

A text that is no longer than what look-up may show is shown whole. Otherwise the model first chooses up to half of the
allowed pages. It answers, or says what is missing. Each further page is chosen for a new question: what the model says
is missing, or which passage supports its answer if that could not be verified.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from readagent.core.asking.lookup import all_at_once, find_hints, next_page
from readagent.core.asking.reply_parts import MISSING, question_in, split_missing
from readagent.core.asking.respond import Response, respond, response_prompt
from readagent.core.asking.situation import Situation
from readagent.core.escaping import escape_tags
from readagent.core.memory import spans_of
from readagent.core.model import Ask
from readagent.core.question import Lookup, Question
from readagent.core.question_language import not_in_text
from readagent.core.session import Session, useless
from readagent.core.support.check import Checkable, may_be_supported
from readagent.core.trace import AnswerText, Fallback, Opened, without
from readagent.core.words import lead
from readagent.errors import NoAnswerError

_MOST_STEPS = 3  # pages opened after a first answer
_ANSWER_WORDS = 40  # of an answer, in the question for the passage that supports it


async def answer_adaptively(situation: Situation, session: Session) -> tuple[Lookup, Response]:
    """Return the pages that were opened, and the answer. The answer is emitted once it is final."""
    quiet = replace(session, emit=without(session.emit, AnswerText))
    attempt = Attempt(situation, quiet, already_read=session.trace.words_read)
    response = await attempt.answer()
    if situation.question.kind == "free":
        session.emit(AnswerText(response.text))
    return attempt.lookup, response


def is_cheaper_whole(situation: Situation, session: Session) -> bool:
    """Return whether the whole text fits the window and has no more words than the gists and ``max_pages`` pages."""
    memory, pages = situation.memory, tuple(page.number for page in situation.memory.pages)
    looked_up = memory.words() + session.plan.max_pages * memory.full_words / len(pages)
    if session.plan.max_pages == 0 or memory.full_words > looked_up:
        return False
    return session.window.fits(response_prompt(situation, session, pages))


@dataclass(slots=True)
class Attempt:
    """An answer in progress: the pages opened so far, and the words that were read before it began."""

    situation: Situation
    session: Session
    lookup: Lookup = Lookup()
    already_read: int = 0

    async def answer(self) -> Response:
        """Return the first answer that has no problem, or the best one if no more pages may be opened."""
        if is_cheaper_whole(self.situation, self.session):
            self._open(tuple(page.number for page in self.situation.memory.pages))
            return await self._final()
        if self.session.plan.max_pages:
            half = (self.session.plan.max_pages + 1) // 2
            found = await all_at_once(self.situation, self.session, self._fits, half)
            self._open(found.pages, found.did_not_fit)
        return await self._in_steps()

    async def _in_steps(self) -> Response:
        responses: list[Response] = []
        for step in range(_MOST_STEPS + 1):
            may_ask = step < _MOST_STEPS and self._may_open_more()
            if not await self._respond(responses, may_ask=may_ask) or not may_ask:
                break
            probe = await self._probe(responses[-1])
            if not probe or not await self._open_for(probe):
                break
        if not responses[-1].text:  # something is still missing, but an answer must be given
            await self._respond(responses, may_ask=False)
        answers = [response for response in responses if response.text]
        return max(enumerate(answers), key=lambda one: (self._may_hold(one[1]), one[1].found_in_text, one[0]))[1]

    async def _respond(self, responses: list[Response], *, may_ask: bool) -> bool:
        """Add a response; return False if the model gave none and an earlier answer has to do."""
        try:
            if may_ask:
                responses.append(await respond(self.situation, self.session, self.lookup.pages, may_ask=True))
            else:
                responses.append(await self._final())
        except NoAnswerError as error:
            if not any(response.text for response in responses):
                raise
            self.session.fell_back(Fallback("respond", str(error), "the answer before"))
            return False
        return True

    async def _final(self) -> Response:
        """Return an answer; if the model asks for more instead, the answer is that the text does not say."""
        response = await respond(self.situation, self.session, self.lookup.pages)
        if self.situation.question.kind != "free" or split_missing(response.text)[0]:
            return response
        absent = not_in_text(self.situation.question)
        self.session.fell_back(Fallback("respond", "it asked for more instead of answering", absent))
        return Response(absent, found_in_text=False)

    async def _probe(self, response: Response) -> str:
        """Return the question to look up next; empty if the answer is good enough."""
        if response.missing and response.missing != MISSING:
            return response.missing
        if response.missing or not response.found_in_text:
            return await self._ask_what_is_missing()
        if self.situation.question.kind != "free" or not self.session.plan.quotes or self._may_hold(response):
            return ""
        answer = lead(response.text, _ANSWER_WORDS)
        return self.session.prompts.fill(
            "doubt", question=escape_tags(self.situation.question.text.strip()), answer=escape_tags(answer)
        )

    async def _ask_what_is_missing(self) -> str:
        prompt = self.situation.prompt(self.session, "probe", self.lookup.pages)
        if not self.session.window.fits(prompt):
            return ""
        reply = await self.session.ask(Ask("respond", prompt, material=self.situation.material(self.lookup.pages)))
        probe = "" if useless(reply) else question_in(reply.text)
        if not probe:
            reason = useless(reply) or "it asked nothing that can be looked up"
            self.session.fell_back(Fallback("look_up", reason, "nothing more is opened"))
        return probe

    async def _open_for(self, probe: str) -> bool:
        """Open the page that the model chooses for this question; return False if it wants none or it does not fit."""
        question, hinter = Question(probe), self.session.hinter
        hints = await find_hints(self.situation.memory, question, hinter if self.situation.hints else None)
        situation = replace(self.situation, question=question, hints=hints)
        page = await next_page(situation, self.session, self.lookup.pages, len(self.lookup.pages) + 1)
        if page is None:
            return False
        if not self._fits((*self.lookup.pages, page)):
            self.lookup = replace(self.lookup, did_not_fit=(*self.lookup.did_not_fit, page))
            return False
        self._open((page,))
        return True

    def _open(self, pages: tuple[int, ...], did_not_fit: tuple[int, ...] = ()) -> None:
        self.lookup = Lookup((*self.lookup.pages, *pages), (*self.lookup.did_not_fit, *did_not_fit))
        self.session.emit(Opened(self.lookup.pages, spans_of(self.situation.memory, self.lookup.pages)))

    def _most(self) -> int:
        return min(self.session.plan.max_pages, len(self.situation.memory.pages))

    def _may_open_more(self) -> bool:
        """Return whether more pages may be opened, and fewer words were read for this question than the text has."""
        read = self.session.trace.words_read - self.already_read
        return len(self.lookup.pages) < self._most() and read < self.situation.memory.full_words

    def _fits(self, opened: tuple[int, ...]) -> bool:
        return self.session.window.fits(response_prompt(self.situation, self.session, opened, may_ask=True))

    def _may_hold(self, response: Response) -> bool:
        """Return whether the model quoted the text, all its quotes are in it, and no rule is against any statement.

        Only the answer that is given in the end is checked by a call.
        """
        if not response.found_in_text or response.false_quotes or all(quote.by_us for quote in response.quotes):
            return False
        return may_be_supported(Checkable(self.situation.question, response.text, response.choice, response.quotes))
