"""Many documents of which some fail: when the work goes on, when it ends, and what is said then."""

from __future__ import annotations

import asyncio
import gc

import pytest

from readagent import Document, ReadAgent
from readagent.core.trace import Call, Usage
from readagent.errors import (
    ModelError,
    RejectedError,
    ServerFaultError,
    UnauthorizedError,
    UsageError,
)
from readagent.private_loop import PrivateLoop
from readagent.source import ForEach, ListenToAll
from readagent.testing.scripted import Skimmer

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


async def test_the_work_ends_if_the_model_fails_on_all_documents() -> None:
    each = ForEach(Work(RejectedError("refused")))
    for number in range(3):
        assert isinstance(await each(note(number)), RejectedError)
    with pytest.raises(RejectedError) as raised:
        await each(note(5))
    assert raised.value.__notes__ == ["3 documents in a row failed, so no others were begun"]


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


def test_an_agent_that_is_closed_meanwhile() -> None:
    agent = ReadAgent(Skimmer(), parallel=4)
    reading = agent.read_all(map(note, range(40)))
    next(reading)
    agent.close()
    with pytest.raises(UsageError, match="the agent is closed"):
        list(reading)
