"""Closed agents, and listeners that call their agent: a clear error at once, and the agent goes on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from readagent import Document, GistMemory, ReadAgent, Shelf
from readagent.core.model import Ask, Reply
from readagent.errors import UsageError
from readagent.events import Event
from readagent.sync import Conversation
from readagent.testing.scripted import Skimmer

TEXT = Document.from_text("The ferry leaves at noon.")
ARGUMENTS: dict[str, Callable[[GistMemory], tuple[Any, ...]]] = {
    "read": lambda memory: (TEXT,), "read_all": lambda memory: ([TEXT],), "estimate": lambda memory: (TEXT,),
    "append": lambda memory: (memory, "More."), "recall": lambda memory: (TEXT.id,),
    "ask": lambda memory: (memory, "Why?"), "stream": lambda memory: (memory, "Why?"),
    "ask_all": lambda memory: (memory, ["Why?"]), "improve": lambda memory: (memory, 0),
    "summary": lambda memory: (memory,), "compare": lambda memory: ([memory, memory],), "window": lambda memory: (),
}  # fmt: skip
OF_A_SHELF: dict[str, tuple[Any, ...]] = {"add": (TEXT,), "cards": (), "ask": ("Why?",), "stream": ("Why?",)}
OF_A_CONVERSATION: dict[str, tuple[Any, ...]] = {
    "add": ("Ann", "Noon."), "ask": ("Why?",), "context": (), "stream": ("Why?",), "turns": (), "forget": (0,),
}  # fmt: skip


@pytest.fixture
def memory() -> GistMemory:
    with ReadAgent(Skimmer()) as agent:
        return agent.read(TEXT)


def test_a_closed_agent(memory: GistMemory) -> None:
    agent = ReadAgent(Skimmer())
    shelf, chat = Shelf(agent, "goods"), Conversation(agent, "chat")
    chat.add("Ann", "The ferry leaves at noon.")
    agent.close()
    calls = [(getattr(agent, name), make(memory)) for name, make in ARGUMENTS.items()]
    calls += [(getattr(shelf, name), arguments) for name, arguments in OF_A_SHELF.items()]
    calls += [(getattr(chat, name), arguments) for name, arguments in OF_A_CONVERSATION.items()]
    for method, arguments in calls:
        with pytest.raises(UsageError, match="the agent is closed"):
            method(*arguments)
    with pytest.raises(UsageError, match="the agent is closed"), agent:
        pass
    agent.close()


def test_an_agent_that_another_thread_closes_while_it_answers(memory: GistMemory) -> None:
    asked = threading.Event()

    class Silent:
        name = "silent"

        async def complete(self, ask: Ask) -> Reply:
            asked.set()
            await asyncio.Event().wait()
            raise AssertionError

    agent = ReadAgent(Silent())
    agent._inner.connection.aclose = _nothing  # type: ignore[method-assign]  # it would wait for the call
    closing = threading.Thread(target=lambda: asked.wait() and agent.close())
    closing.start()
    with pytest.raises(UsageError, match="the agent is closed"):
        agent.ask(memory, "Why?")
    closing.join()


async def _nothing() -> None:
    """Wait for nothing."""


TWO_SENTENCES = Document.from_text("The ferry leaves at noon. Irma holds the key.", title="T")
CALLS: dict[str, Callable[[ReadAgent, GistMemory], object]] = {
    "ask": lambda agent, memory: agent.ask(memory, "Who?"),
    "stream": lambda agent, memory: next(agent.stream(memory, "Who?")),
    "close": lambda agent, memory: agent.close(),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_from_a_listener_is_an_error_and_the_outer_call_goes_on(name: str) -> None:
    errors: list[UsageError] = []
    with ReadAgent(Skimmer()) as agent:
        memory = agent.read(TWO_SENTENCES)

        def listen(event: Event) -> None:
            with pytest.raises(UsageError, match="wait for itself") as caught:
                CALLS[name](agent, memory)
            errors.append(caught.value)

        answer = agent.ask(memory, "When does the ferry leave?", listen=listen)
        assert "noon" in answer.text
        assert "afterwards or on another thread" in errors[0].hint
        assert agent.ask(memory, "Who holds the key?").text


def test_an_error_that_the_listener_lets_pass_is_raised_by_the_outer_call() -> None:
    with ReadAgent(Skimmer()) as agent:
        memory = agent.read(TWO_SENTENCES)
        with pytest.raises(UsageError, match="wait for itself"):
            agent.ask(memory, "When?", listen=lambda event: void(agent.ask(memory, "Who?")))
        assert agent.ask(memory, "When?").text


def void(result: object) -> None:
    """Make a listener of an expression."""
