"""Many documents of which some fail: when the work goes on, when it ends, and what is said then."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from itertools import islice

import pytest

from readagent import Document, GistMemory, ReadAgent, Shelf
from readagent.core.model import Ask
from readagent.core.trace import Call, Usage
from readagent.errors import (
    ContentRefusedError,
    ModelError,
    NoAnswerError,
    RejectedError,
    ServerFaultError,
    UnauthorizedError,
    UsageError,
)
from readagent.many import ForEach, ListenToAll
from readagent.private_loop import PrivateLoop
from readagent.testing.scripted import ScriptedModel, Skimmer
from readagent.testing.skim import skim

pytestmark = pytest.mark.anyio

ANSWERED = Call("gist", 10, 5, Usage(12, 6), 0.1, paid=True, finish="stop")


def note(number: int) -> Document:
    """Return a document of one page, which is one call."""
    text = " ".join(f"Clause {number}.{place} names the miller and the ferry." for place in range(25))
    return Document.from_text(f"Lease number {number}\n\n{text}", title=f"Lease {number}")


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


ONE_TEXT = [
    ServerFaultError("500"),
    RejectedError("refused"),
]


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


async def test_a_model_that_is_of_no_use_has_to_finish_a_document_first() -> None:
    work = Work(NoAnswerError("nothing usable"))
    each = ForEach(work)
    slow = asyncio.create_task(each(note(5)))
    await turns()
    for number in range(3):
        await each(note(number))
    next_one = asyncio.create_task(each(note(6)))
    await turns()
    assert work.hear is not None
    work.hear(note(5), ANSWERED)
    await turns()
    assert not next_one.done()
    work.finish.set()
    assert [await slow, await next_one] == ["Lease 5", "Lease 6"]


async def test_the_work_ends_if_the_model_fails_on_all_documents() -> None:
    each = ForEach(Work(RejectedError("refused")))
    for number in range(3):
        assert isinstance(await each(note(number)), RejectedError)
    with pytest.raises(RejectedError) as raised:
        await each(note(5))
    assert raised.value.__notes__ == ["3 documents in a row failed, so no others were begun"]


async def test_texts_that_a_content_filter_refuses_end_the_work_only_if_they_are_many() -> None:
    async def refused(document: Document, listen: ListenToAll) -> str:
        raise ContentRefusedError("filtered")

    each = ForEach(refused)
    for number in range(10):
        assert isinstance(await each(note(number)), ContentRefusedError)
    with pytest.raises(ContentRefusedError) as raised:
        await each(note(10))
    assert raised.value.__notes__ == ["10 documents in a row failed, so no others were begun"]


@pytest.mark.parametrize(
    "error",
    [
        ServerFaultError("down", busy=True),
        ServerFaultError("down", retry_after=9.0),
        RejectedError("no credit left", hint="check your plan"),
    ],
    ids=str,
)
async def test_an_error_that_is_not_about_the_text_ends_the_work_at_once(error: ModelError) -> None:
    with pytest.raises(type(error)):
        await ForEach(Work(error))(note(1))


def test_the_spending_of_all_documents_is_told() -> None:
    calls = 0

    def until_revoked(ask: Ask) -> str:
        nonlocal calls
        calls += 1
        if calls > 4:
            raise UnauthorizedError("wrong key")
        return skim(ask.prompt)

    spent = 0
    with ReadAgent(ScriptedModel(until_revoked), parallel=1) as agent:
        reading = agent.read_all(map(note, range(9)))
        for _, memory in islice(reading, 4):
            assert isinstance(memory, GistMemory)
            spent += memory.trace.paid.prompt_tokens + memory.trace.paid.reply_tokens
        with pytest.raises(UnauthorizedError) as raised:
            next(reading)
    assert raised.value.__notes__ == [f"4 calls and {spent:,} tokens were spent; everything is kept"]


def test_errors_of_cancelled_work_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def nothing() -> None:
        """There is nothing to close."""

    begun = asyncio.Event()

    async def work(number: int) -> int:
        if number:
            await begun.wait()
            raise UnauthorizedError("wrong key")
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            raise UnauthorizedError("wrong key, too")

    loop = PrivateLoop(nothing)
    with pytest.raises(UnauthorizedError, match=r"wrong key$"):
        list(loop.as_finished(range(2), work, 2))
    loop.end()
    gc.collect()
    assert not caplog.records


@pytest.mark.parametrize("parallel", [4])
def test_an_agent_that_is_closed_meanwhile(parallel: int) -> None:
    agent = ReadAgent(Skimmer(), parallel=parallel)
    reading = agent.read_all(map(note, range(40)))
    next(reading)
    agent.close()
    with pytest.raises(UsageError, match="the agent is closed"):
        list(reading)


def test_only_documents_are_read() -> None:
    def mixed() -> Iterator[Document]:
        yield note(1)
        yield b"a text"  # type: ignore[misc]

    with ReadAgent(Skimmer()) as agent:
        for all_of_them in (agent.read_all, Shelf(agent, "leases").add_all):
            with pytest.raises(UsageError, match="a document, a path or a URL is needed, not bytes"):
                list(all_of_them(mixed()))
