"""A listener that calls its agent gets an error at once, since the agent would wait for itself; the agent goes on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from readagent import Document, GistMemory, ReadAgent
from readagent.errors import UsageError
from readagent.events import Event
from readagent.testing import Skimmer

TEXT = Document.from_text("The ferry leaves at noon. Irma holds the key.", title="T")
CALLS: dict[str, Callable[[ReadAgent, GistMemory], object]] = {
    "ask": lambda agent, memory: agent.ask(memory, "Who?"),
    "stream": lambda agent, memory: next(agent.stream(memory, "Who?")),
    "close": lambda agent, memory: agent.close(),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_from_a_listener_is_an_error_and_the_outer_call_goes_on(name: str) -> None:
    errors: list[UsageError] = []
    with ReadAgent(Skimmer()) as agent:
        memory = agent.read(TEXT)

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
        memory = agent.read(TEXT)
        with pytest.raises(UsageError, match="wait for itself"):
            agent.ask(memory, "When?", listen=lambda event: void(agent.ask(memory, "Who?")))
        assert agent.ask(memory, "When?").text


def void(result: object) -> None:
    """Make a listener of an expression."""
