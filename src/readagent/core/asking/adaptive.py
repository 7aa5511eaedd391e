"""Adaptive look-up: as little as the answer needs, and more only where something is missing or cannot be verified.

A text that is no longer than what look-up may show of it is shown whole. Else the model asks for pages once, up to
half of those allowed, or for none; it answers, or says what is missing. Each further page is looked up with a new
question: what the model says is missing, or where its answer stands in the text if that could not be verified.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from readagent.core.asking.lookup import Situation, all_at_once, next_page
from readagent.core.asking.missing import MISSING, probing, without_missing
from readagent.core.asking.respond import NOT_IN_TEXT, Response, respond, response_prompt
from readagent.core.events import Opened, Said, without
from readagent.core.model import Ask
from readagent.core.question import Lookup, Question
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback
from readagent.core.words import lead
from readagent.errors import NoAnswerError

_MOST_STEPS = 3  # pages looked up after a first answer
_ANSWER_WORDS = 40  # of an answer that is looked for in the text


async def ask_adaptively(situation: Situation, session: Session) -> tuple[Lookup, Response]:
    """The pages that were opened, and the answer, which is told when it is certain."""
    quiet = replace(session, tell=without(session.tell, Said))
    attempt = Attempt(situation, quiet, already_read=session.trace.words_read)
    response = await attempt.answer()
    if situation.question.kind == "free":
        session.tell(Said(response.text))
    return attempt.lookup, response


def is_cheaper_whole(situation: Situation, session: Session) -> bool:
    """Whether the whole text has no more words than the gists with ``max_pages`` pages of it, and fits the window."""
    memory, pages = situation.memory, tuple(page.number for page in situation.memory.pages)
    looked_up = memory.words() + session.plan.max_pages * memory.full_words / len(pages)
    if session.plan.max_pages == 0 or memory.full_words > looked_up:
        return False
    return session.window.fits(response_prompt(situation, session, pages))


@dataclass(slots=True)
class Attempt:
    """An answer in the making: the pages open so far, and the words that were read before it began."""

    situation: Situation
    session: Session
    lookup: Lookup = Lookup()
    already_read: int = 0

    async def answer(self) -> Response:
        """The first answer that nothing speaks against, or the best there is when nothing more may be opened."""
        if is_cheaper_whole(self.situation, self.session):
            self._open(tuple(page.number for page in self.situation.memory.pages))
            return await self._final()
        if self.session.plan.max_pages:
            half = (self.session.plan.max_pages + 1) // 2
            found = await all_at_once(self.situation, self.session, self._fits, half)
            self._open(found.pages, found.did_not_fit)
        return await self._in_steps()

    async def _in_steps(self) -> Response:
        said: list[Response] = []
        for step in range(_MOST_STEPS + 1):
            may_ask = step < _MOST_STEPS and self._may_open_more()
            if not await self._respond(said, may_ask=may_ask) or not may_ask:
                break
            probe = await self._probe(said[-1])
            if not probe or not await self._open_for(probe):
                break
        if not said[-1].text:  # something is missing still, and it must be answered without it
            await self._respond(said, may_ask=False)
        answers = [response for response in said if response.text]
        return max(enumerate(answers), key=lambda one: (is_verified(one[1]), one[1].found_in_text, one[0]))[1]

    async def _respond(self, said: list[Response], *, may_ask: bool) -> bool:
        """One more response; the ones before it must do where the model gives none."""
        try:
            if may_ask:
                said.append(await respond(self.situation, self.session, self.lookup.pages, may_ask=True))
            else:
                said.append(await self._final())
        except NoAnswerError as error:
            if not any(response.text for response in said):
                raise
            self.session.fell_back(Fallback("respond", str(error), "the answer before"))
            return False
        return True

    async def _final(self) -> Response:
        """A response that must be an answer; one that asks for more all the same says that the text does not say."""
        response = await respond(self.situation, self.session, self.lookup.pages)
        if self.situation.question.kind != "free" or without_missing(response.text)[0]:
            return response
        self.session.fell_back(Fallback("respond", "it asked for more instead of answering", NOT_IN_TEXT))
        return Response(NOT_IN_TEXT, found_in_text=False)

    async def _probe(self, response: Response) -> str:
        """The question to look up with next; empty where the answer will do."""
        if response.missing and response.missing != MISSING:
            return response.missing
        if response.missing or not response.found_in_text:
            return await self._ask_what_is_missing()
        if self.situation.question.kind != "free" or not self.session.plan.quotes or is_verified(response):
            return ""
        answer = lead(response.text, _ANSWER_WORDS)
        return self.session.prompts.fill("doubt", question=self.situation.question.text.strip(), answer=answer)

    async def _ask_what_is_missing(self) -> str:
        prompt = self.situation.prompt(self.session, "probe", self.lookup.pages)
        if not self.session.window.fits(prompt):
            return ""
        reply = await self.session.ask(Ask("respond", prompt, material=self.situation.material(self.lookup.pages)))
        probe = "" if useless(reply) else probing(reply.text)
        if not probe:
            reason = useless(reply) or "it asked nothing that can be looked up"
            self.session.fell_back(Fallback("look_up", reason, "nothing more is opened"))
        return probe

    async def _open_for(self, probe: str) -> bool:
        """Open the page that the model chooses for this question; False where it wants none, or there is no room."""
        question, hinter = Question(probe), self.session.hinter
        hints = tuple(await hinter.hints(self.situation.memory, question)) if self.situation.hints and hinter else ()
        situation = replace(self.situation, question=question, hints=hints)
        page = await next_page(situation, self.session, self.lookup.pages, self._most())
        if page is None:
            return False
        if not self._fits((*self.lookup.pages, page)):
            self.lookup = replace(self.lookup, did_not_fit=(*self.lookup.did_not_fit, page))
            return False
        self._open((page,))
        return True

    def _open(self, pages: tuple[int, ...], did_not_fit: tuple[int, ...] = ()) -> None:
        self.lookup = Lookup((*self.lookup.pages, *pages), (*self.lookup.did_not_fit, *did_not_fit))
        self.session.tell(Opened(self.lookup.pages))

    def _most(self) -> int:
        return min(self.session.plan.max_pages, len(self.situation.memory.pages))

    def _may_open_more(self) -> bool:
        """Whether pages are left to be opened, and less was read for this question than reading the text would be."""
        read = self.session.trace.words_read - self.already_read
        return len(self.lookup.pages) < self._most() and read < self.situation.memory.full_words

    def _fits(self, opened: tuple[int, ...]) -> bool:
        return self.session.window.fits(response_prompt(self.situation, self.session, opened, may_ask=True))


def is_verified(response: Response) -> bool:
    """Whether it is an answer, and the model's own quotes for it stand in the text, at least one and all of them."""
    return response.found_in_text and not response.false_quotes and any(not quote.by_us for quote in response.quotes)
