"""Many documents of which some fail: when the work goes on, when it ends, and what is said then."""

from __future__ import annotations

import asyncio

import pytest

from readagent import Document, ReadAgent
from readagent.core.trace import Call, Usage
from readagent.errors import (
    ModelError,
    RejectedError,
    ServerFaultError,
    UsageError,
)
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


def test_an_agent_that_is_closed_meanwhile() -> None:
    agent = ReadAgent(Skimmer(), parallel=4)
    reading = agent.read_all(map(note, range(40)))
    next(reading)
    agent.close()
    with pytest.raises(UsageError, match="the agent is closed"):
        list(reading)
