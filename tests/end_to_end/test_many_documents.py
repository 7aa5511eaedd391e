"""Many documents at once: all slots are used, few documents are held, and one that fails does not stop the others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from readagent import AsyncReadAgent, Document, GistMemory, Library, ReadAgent, Shelf
from readagent.core.model import Ask, Reply
from readagent.errors import ConnectionFailedError, ReadAgentError, UnauthorizedError
from readagent.testing.scripted import ScriptedModel, Skimmer

pytestmark = pytest.mark.anyio

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
