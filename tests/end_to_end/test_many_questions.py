"""Many concurrent questions about one memory, and hints through the agent."""

from __future__ import annotations

import asyncio

import pytest

from readagent import Question, ReadAgent
from readagent.core.document import Document
from readagent.core.model import Ask, Reply
from readagent.core.question import Answer
from readagent.errors import NoAnswerError, ReadAgentError, UnauthorizedError
from readagent.testing.scripted import ScriptedModel, Skimmer
from sessions import EXAMPLES, sensible

STORY = Document.from_text((EXAMPLES / "story.txt").read_text("utf-8"), title="story")
ASKED: list[str | Question] = [
    "Who is Irma?",
    Question.claim("Irma is a clerk."),
    Question.choice("Who?", ["Ann", "Bob"]),
    "Why?",
]


class Busy:
    """A skimmer that counts its concurrent calls."""

    name = "busy"

    def __init__(self) -> None:
        self.now = self.most = 0

    async def complete(self, ask: Ask) -> Reply:
        self.now += 1
        self.most = max(self.most, self.now)
        for _ in range(5):
            await asyncio.sleep(0)
        self.now -= 1
        return await Skimmer().complete(ask)


def test_questions_are_answered_concurrently_and_reported_as_they_finish() -> None:
    busy, reported = Busy(), dict[int, Answer | ReadAgentError]()
    with ReadAgent(busy, parallel=3) as agent:
        memory = agent.read(STORY)
        busy.most = 0
        results = agent.ask_all(memory, ASKED, each=reported.__setitem__, look_up="none")
        singles = [agent.ask(memory, question, look_up="none") for question in ASKED]
    assert 1 < busy.most <= 3
    assert [answer.text for answer in results if isinstance(answer, Answer)] == [answer.text for answer in singles]
    assert reported == dict(enumerate(results))


def test_a_failed_question_is_an_error_in_its_place_and_a_general_failure_stops() -> None:
    def failing(ask: Ask) -> str:
        return "" if ask.step == "direct" and "Why?" in ask.prompt else sensible(ask)

    with ReadAgent(ScriptedModel(failing)) as agent:
        memory = agent.read(STORY)
        results = agent.ask_all(memory, ASKED)
        assert [type(one) for one in results] == [Answer, Answer, Answer, NoAnswerError]

    def unauthorized(ask: Ask) -> str | Exception:
        return UnauthorizedError("the key is wrong") if ask.step == "direct" else sensible(ask)

    with ReadAgent(ScriptedModel(unauthorized)) as agent:
        memory = agent.read(STORY)
        with pytest.raises(UnauthorizedError):
            agent.ask_all(memory, ASKED)
