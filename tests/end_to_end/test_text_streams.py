"""An answer as it arrives: its pieces, restarts, errors, an early end, and the answer afterwards."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator

import pytest

from readagent import AsyncReadAgent, Document, GistMemory, ReadAgent, Shelf
from readagent.core.model import Ask, Reply
from readagent.errors import ConnectionFailedError, UsageError
from readagent.events import AnswerText, Event
from readagent.testing.loopback import LoopbackServer
from readagent.testing.scripted import ScriptedModel, Skimmer, reply_to
from readagent.testing.skim import skim

TEXT = Document.from_text(
    "The ferry leaves at noon from the pier. Irma holds the only key to the salt store.", title="T"
)
WORDS = [
    "Irma, who holds the only key to the salt store, ",
    "takes the ferry that leaves from the pier, ",
    "and it goes at noon.",
]


class Typing:
    """A model that sends the answer in pieces under its label. Before the last one it waits until it is let go on."""

    name = "typing"

    def __init__(self, pieces: list[str] = WORDS) -> None:
        self.pieces, self.asks = pieces, list[Ask]()
        self.go_on = asyncio.Event()
        self.began = threading.Event()

    async def complete(self, ask: Ask) -> Reply:
        self.asks.append(ask)
        if ask.listen is None:
            return reply_to(ask, skim(ask.prompt))
        for piece in ("Answer: ", *self.pieces[:-1]):
            ask.listen(piece)
            await asyncio.sleep(0)
        self.began.set()
        await self.go_on.wait()
        ask.listen(self.pieces[-1])
        return reply_to(ask, "".join(["Answer: ", *self.pieces]))


@pytest.fixture
def memory() -> GistMemory:
    with ReadAgent(Skimmer()) as agent:
        return agent.read(TEXT)


@pytest.mark.anyio
async def test_pieces_come_before_the_answer_is_complete(memory: GistMemory) -> None:
    model, events = Typing(), list[Event]()
    async with AsyncReadAgent(model) as agent:
        stream = agent.stream(memory, "When?", look_up="none", check=False, listen=events.append)
        assert model.asks == []
        assert repr(stream) == "<AsyncTextStream: not begun>"
        first = await anext(stream)
        assert repr(stream).endswith(": running>")
        assert first.startswith("Irma, who holds")
        assert not model.go_on.is_set()
        with pytest.raises(UsageError, match="not complete yet"):
            _ = stream.answer
        model.go_on.set()
        rest = [piece async for piece in stream]
    assert stream.text == first + "".join(rest) == stream.answer.text == "".join(WORDS)
    assert "".join(event.text for event in events if isinstance(event, AnswerText)) == stream.text


def test_a_stream_without_await_over_http(memory: GistMemory) -> None:
    with LoopbackServer().in_thread() as server, ReadAgent(server.base_url) as agent:
        with agent.stream(memory, "Who holds the key?") as stream:
            pieces = list(stream)
        assert "".join(pieces) == stream.text == stream.answer.text
        assert stream.answer.quotes
        assert list(stream) == []
        assert repr(stream).startswith("<TextStream '")
        assert repr(stream).endswith(": complete>")
        assert agent.stream(memory, "Who holds the key?").finish().text == stream.answer.text
        assert len(agent.library.answers(TEXT.id)) == 2


def test_an_answer_that_starts_again(memory: GistMemory) -> None:
    spoken = [
        "Irma, who holds the only key to the salt store, knows",
        "Jakob, who holds the key to the salt store, knows it.",
    ]

    class Breaking:
        name = "breaking"

        async def complete(self, ask: Ask) -> Reply:
            assert ask.listen is not None
            text = f"Answer: {spoken.pop(0)}"
            ask.listen(text)
            if spoken:
                raise ConnectionFailedError("the line is cut")
            return reply_to(ask, text)

    with ReadAgent(Breaking()) as agent:
        stream = agent.stream(memory, "When?", look_up="none", quotes=False, check=False)
        marked = [(piece, stream.restarted) for piece in stream]
    assert [again for _, again in marked] == [False, True]
    assert stream.text == stream.answer.text == marked[-1][0] == "Jakob, who holds the key to the salt store, knows it."


def test_an_error_in_the_middle(memory: GistMemory) -> None:
    def fails(ask: Ask) -> str | Exception:
        return UsageError("no more of this")

    with ReadAgent(ScriptedModel(fails)) as agent:
        stream = agent.stream(memory, "When?")
        with pytest.raises(UsageError, match="no more of this"):
            next(stream)
        assert list(stream) == []
        with pytest.raises(UsageError, match="no more of this"):
            _ = stream.answer


@pytest.mark.anyio
async def test_closing_early_makes_no_further_call(memory: GistMemory) -> None:
    model = Typing()
    async with AsyncReadAgent(model) as agent:
        async with agent.stream(memory, "When?", look_up="none") as stream:
            async for _ in stream:
                break
        model.go_on.set()
        assert [piece async for piece in stream] == []
        with pytest.raises(UsageError, match="closed before the answer was complete"):
            _ = stream.answer
        await stream.aclose()
    assert len(model.asks) == 1, "the answer was not checked any more"
    assert agent.library.answers() == []


def test_a_stream_that_is_dropped_ends(memory: GistMemory) -> None:
    model = Typing()
    with ReadAgent(model) as agent:
        for _ in agent.stream(memory, "When?", look_up="none"):
            break
        gc.collect()
        agent._loop.wait(_set(model.go_on))
    assert len(model.asks) == 1
    assert agent.library.answers() == []


async def _set(event: asyncio.Event) -> None:
    event.set()


@pytest.fixture
def shelved() -> Iterator[ReadAgent]:
    with ReadAgent(Skimmer()) as agent:
        shelf = Shelf(agent, "goods")
        shelf.add(TEXT)
        shelf.add(Document.from_text("The barge carries salt. Jakob steers it.", title="Barge"))
        yield agent


def test_the_answer_of_a_shelf_as_it_arrives(shelved: ReadAgent) -> None:
    stream = Shelf(shelved, "goods").stream("Who steers the barge?")
    assert "".join(stream) == stream.answer.text
    assert stream.answer.documents
