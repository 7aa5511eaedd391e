"""Many documents and questions at once: all slots are used, and one that fails does not stop the others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from readagent import AsyncReadAgent, Document, GistMemory, Library, Question, ReadAgent, Shelf
from readagent.core.model import Ask, Reply
from readagent.core.question import Answer
from readagent.core.trace import Call, Usage
from readagent.errors import (
    ConnectionFailedError,
    ModelError,
    NoAnswerError,
    ReadAgentError,
    RejectedError,
    ServerFaultError,
    UnauthorizedError,
    UsageError,
)
from readagent.source import ForEach, ListenToAll
from readagent.testing.scripted import ScriptedModel, Skimmer
from sessions import EXAMPLES, sensible

LIMIT = 20  # seconds after which a call that nothing joins fails


def note(number: int, words: int = 200) -> Document:
    """Return a document of one page, which is one call."""
    text = " ".join(f"Clause {number}.{place} names the miller and the ferry." for place in range(words // 8))
    return Document.from_text(f"Lease number {number}\n\n{text}", title=f"Lease {number}")


def long_note(number: int) -> Document:
    """Return a document of one page whose gist is longer than a card, which is one more call."""
    return note(number, 580)


class Crowd:
    """A skimmer that answers only when this many calls wait."""

    name = "crowd"

    def __init__(self, size: int) -> None:
        self._size = size
        self._waiting: list[asyncio.Future[None]] = []
        self.calls = 0

    async def complete(self, ask: Ask) -> Reply:
        self.calls += 1
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        if len(self._waiting) == self._size:
            for waiting in self._waiting:
                waiting.set_result(None)
            self._waiting.clear()
        async with asyncio.timeout(LIMIT):
            await turn
        return await Skimmer().complete(ask)


@pytest.mark.anyio
async def test_few_documents_are_held_at_a_time() -> None:
    open_now, most, taken = 0, 0, 0

    async def documents() -> AsyncIterator[Document]:
        nonlocal open_now, most, taken
        for number in range(60):
            open_now, taken = open_now + 1, taken + 1
            most = max(most, open_now)
            yield note(number, 40)

    async with AsyncReadAgent(Skimmer(), parallel=3) as agent:
        assert agent.connection.documents_at_once == 6
        async for _ in agent.read_all(documents()):
            open_now -= 1
    assert taken == 60
    assert most <= 6


@pytest.mark.parametrize("error", [UnauthorizedError("wrong key"), ConnectionFailedError("no server")])
def test_an_error_that_all_documents_would_meet_ends_the_work(error: ReadAgentError) -> None:
    def fail(ask: Ask) -> str:
        raise error

    taken = 0

    def documents() -> Iterator[Document]:
        nonlocal taken
        for number in range(50):
            taken += 1
            yield note(number)

    with ReadAgent(ScriptedModel(fail), parallel=2, patience=0) as agent, pytest.raises(type(error)):
        list(agent.read_all(documents()))
    assert taken < 50


def test_the_same_text_is_read_once() -> None:
    model = Crowd(1)
    with ReadAgent(model, parallel=4) as agent:
        found = [memory for _, memory in agent.read_all([note(1), note(1), note(1)])]
    assert model.calls == 1
    assert sorted(len(memory.trace.calls) for memory in found if isinstance(memory, GistMemory)) == [0, 0, 1]


def test_documents_that_were_read_are_recalled() -> None:
    model, library = Crowd(1), Library.in_memory()
    with ReadAgent(model, library=library, parallel=2) as agent:
        shelf = Shelf(agent, "leases")
        for _ in range(2):
            titles = {document.title for document, _ in shelf.add_all(map(long_note, range(3)))}
            assert titles == {"Lease 0", "Lease 1", "Lease 2"}
            assert model.calls == 6
        assert [card.title for card in shelf.cards()] == ["Lease 0", "Lease 1", "Lease 2"]


ANSWERED = Call("gist", 10, 5, Usage(12, 6), 0.1, paid=True, finish="stop")


class Work:
    """Fails on the leases 0 to 4. The others are finished when ``finish`` is set, and have a call when it is heard."""

    def __init__(self, error: ModelError) -> None:
        self._error = error
        self.finish = asyncio.Event()
        self.hear: ListenToAll | None = None

    async def __call__(self, document: Document, listen: ListenToAll) -> str:
        if document.title <= "Lease 4":
            raise self._error
        self.hear = listen
        await self.finish.wait()
        return document.title


async def turns() -> None:
    """Let everything run that can."""
    for _ in range(10):
        await asyncio.sleep(0)


ONE_TEXT = [ServerFaultError("500"), RejectedError("refused")]


@pytest.mark.anyio
@pytest.mark.parametrize("error", ONE_TEXT, ids=lambda error: type(error).__name__)
async def test_failures_do_not_end_the_work_while_the_server_answers_other_calls(error: ModelError) -> None:
    work = Work(error)
    each = ForEach(work)
    slow = asyncio.create_task(each(note(5)))
    await turns()
    assert [await each(note(number)) for number in range(3)] == [error] * 3
    next_one = asyncio.create_task(each(note(3)))
    await turns()
    assert not next_one.done()  # nothing is begun until it is known whether the server works
    assert work.hear is not None
    work.hear(note(5), ANSWERED)
    assert await next_one is error
    assert not slow.done()
    work.finish.set()
    assert await slow == "Lease 5"


@pytest.mark.anyio
async def test_the_work_ends_if_the_model_fails_on_all_documents() -> None:
    each = ForEach(Work(RejectedError("refused")))
    for number in range(3):
        assert isinstance(await each(note(number)), RejectedError)
    with pytest.raises(RejectedError) as raised:
        await each(note(5))
    assert raised.value.__notes__ == ["3 documents in a row failed, so no others were begun"]


def test_an_agent_that_is_closed_meanwhile() -> None:
    agent = ReadAgent(Skimmer(), parallel=4)
    reading = agent.read_all(map(note, range(40)))
    next(reading)
    agent.close()
    with pytest.raises(UsageError, match="the agent is closed"):
        list(reading)


STORY = Document.from_text((EXAMPLES / "story.txt").read_text("utf-8"), title="story")
ASKED: list[str | Question] = [
    "Who is Irma?", Question.claim("Irma is a clerk."), Question.choice("Who?", ["Ann", "Bob"]), "Why?",
]  # fmt: skip


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
