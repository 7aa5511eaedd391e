"""Many concurrent questions about one memory, and hints through the agent."""

from __future__ import annotations

import asyncio

import pytest

from readagent import AsyncReadAgent, Library, Question, ReadAgent
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
        return "" if ask.step == "respond" and "Why?" in ask.prompt else sensible(ask)

    with ReadAgent(ScriptedModel(failing)) as agent:
        memory = agent.read(STORY)
        results = agent.ask_all(memory, ASKED)
        assert [type(one) for one in results] == [Answer, Answer, Answer, NoAnswerError]

    def unauthorized(ask: Ask) -> str | Exception:
        return UnauthorizedError("the key is wrong") if ask.step == "respond" else sensible(ask)

    with ReadAgent(ScriptedModel(unauthorized)) as agent:
        memory = agent.read(STORY)
        with pytest.raises(UnauthorizedError):
            agent.ask_all(memory, ASKED)


@pytest.mark.anyio
async def test_a_memory_that_is_too_long_has_a_tree_and_hints_by_default(tmp_path: object) -> None:
    model = ScriptedModel(sensible)
    text = "\n\n".join(f"{STORY.text}\n\nThis was part {n} of it." for n in range(4))
    with Library(str(tmp_path)) as library:
        async with AsyncReadAgent(model, library=library, window=4096) as agent:
            whole = await agent.read(Document.from_text(text), merge=False)
            model.asks.clear()
            answer = await agent.ask(whole, "Who read one thousand nine hundred and ninety-four?")
            assert {ask.step for ask in model.asks} == {"merge", "look_up", "direct", "respond", "check"}
            assert all(
                "A search by words finds" in ask.prompt for ask in model.asks if ask.step in ("look_up", "direct")
            )
            assert answer.pages
            merged = await agent.recall(whole.document.id)
            assert merged is not None
            assert len(merged.pages) < len(whole.pages)
            assert (await agent.recall(whole.document.id, merge=False)) == whole


def _outcome(result: Answer | ReadAgentError) -> object:
    if not isinstance(result, Answer):
        return result
    return result.text, result.choice, list(result.pages)
