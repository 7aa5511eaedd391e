"""Every method of a closed agent, and of a shelf or a conversation over it, raises the same clear error."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from readagent import AsyncReadAgent, Document, GistMemory, Plan, ReadAgent, Shelf
from readagent.conversation import AsyncConversation
from readagent.core.model import Ask, Reply
from readagent.errors import UsageError
from readagent.shelf import AsyncShelf
from readagent.sync import Conversation
from readagent.testing.scripted import Skimmer

TEXT = Document.from_text("The ferry leaves at noon.")
ARGUMENTS: dict[str, Callable[[GistMemory], tuple[Any, ...]]] = {
    "read": lambda memory: (TEXT,),
    "read_all": lambda memory: ([TEXT],),
    "estimate": lambda memory: (TEXT,),
    "plan_for": lambda memory: (TEXT,),
    "append": lambda memory: (memory, "More."),
    "aged": lambda memory: (memory,),
    "recall": lambda memory: (TEXT.id,),
    "ask": lambda memory: (memory, "Why?"),
    "look_up": lambda memory: (memory, "Why?"),
    "stream": lambda memory: (memory, "Why?"),
    "ask_all": lambda memory: (memory, ["Why?"]),
    "improve": lambda memory: (memory, 0),
    "retry": lambda memory: (memory,),
    "summary": lambda memory: (memory,),
    "outline": lambda memory: (memory,),
    "people": lambda memory: (memory,),
    "timeline": lambda memory: (memory,),
    "entities": lambda memory: (memory,),
    "glossary": lambda memory: (memory,),
    "questions": lambda memory: (memory,),
    "notes": lambda memory: (memory, "Owners"),
    "extract": lambda memory: (memory, "people"),
    "compare": lambda memory: ([memory, memory],),
    "window": lambda memory: (),
    "session": lambda memory: (Plan(),),
}
OF_A_SHELF: dict[str, tuple[Any, ...]] = {
    "add": (TEXT,), "add_all": ([TEXT],), "cards": (), "remove": ("1234",), "ask": ("Why?",),
    "look_up": ("Why?",), "stream": ("Why?",), "summary": (),
}  # fmt: skip
OF_A_CONVERSATION: dict[str, tuple[Any, ...]] = {
    "memory": (), "add": ("Ann", "Noon."), "ask": ("Why?",), "context": (), "stream": ("Why?",),
    "add_messages": ([{"role": "user", "content": "Noon."}],), "messages": (), "turns": (), "forget": (0,),
    "delete": (),
}  # fmt: skip
INTERNAL = {"from_settings", "local", "close", "aclose", "as_finished", "read_or_recall", "reading_each", "adding_each",
            "add_one", "nearest", "keep_card"}  # fmt: skip


def methods(kind: type) -> set[str]:
    found = inspect.getmembers(kind, inspect.isfunction) + inspect.getmembers(kind, inspect.ismethod)
    return {name for name, _ in found if not name.startswith("_")} - INTERNAL


@pytest.fixture
def memory() -> GistMemory:
    with ReadAgent(Skimmer()) as agent:
        return agent.read(TEXT)


def test_every_method_is_tried_here() -> None:
    assert methods(AsyncReadAgent) == set(ARGUMENTS)
    assert methods(ReadAgent) == set(ARGUMENTS) - {"aged", "session"}
    assert methods(AsyncShelf) == methods(Shelf) == set(OF_A_SHELF)
    assert methods(AsyncConversation) == methods(Conversation) == set(OF_A_CONVERSATION)


def test_a_closed_agent(memory: GistMemory) -> None:
    agent = ReadAgent(Skimmer())
    shelf, chat = Shelf(agent, "goods"), Conversation(agent, "chat")
    chat.add("Ann", "The ferry leaves at noon.")
    agent.close()
    calls = [(getattr(agent, name), make(memory)) for name, make in ARGUMENTS.items() if hasattr(agent, name)]
    calls += [(getattr(shelf, name), arguments) for name, arguments in OF_A_SHELF.items()]
    calls += [(getattr(chat, name), arguments) for name, arguments in OF_A_CONVERSATION.items()]
    for method, arguments in calls:
        with pytest.raises(UsageError, match="the agent is closed"):
            method(*arguments)
    with pytest.raises(UsageError, match="the agent is closed"), agent:
        pass
    agent.close()


@pytest.mark.anyio
async def test_a_closed_async_agent(memory: GistMemory) -> None:
    async with AsyncReadAgent(Skimmer()) as agent:
        shelf, chat = AsyncShelf(agent, "goods"), AsyncConversation(agent, "chat")
        await chat.add("Ann", "The ferry leaves at noon.")
    calls = [(getattr(agent, name), make(memory)) for name, make in ARGUMENTS.items()]
    calls += [(getattr(shelf, name), arguments) for name, arguments in OF_A_SHELF.items()]
    calls += [(getattr(chat, name), arguments) for name, arguments in OF_A_CONVERSATION.items()]
    for method, arguments in calls:
        with pytest.raises(UsageError, match="the agent is closed"):
            await _done(method(*arguments))
    with pytest.raises(UsageError, match="the agent is closed"):
        async with agent:
            pass
    await agent.aclose()


async def _done(result: Any) -> Any:
    if isinstance(result, AsyncIterator):
        return [item async for item in result]
    return await result if inspect.isawaitable(result) else result


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
