"""The methods of a closed agent, and of a shelf or a conversation over it, raise the same clear error."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from readagent import Document, GistMemory, ReadAgent, Shelf
from readagent.core.model import Ask, Reply
from readagent.errors import UsageError
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
