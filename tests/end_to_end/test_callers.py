"""What callers may get wrong around an agent: their own model, a listener that ends the program, a forked process."""

from __future__ import annotations

import os
import sys

import pytest

from readagent import Document, Library, ReadAgent
from readagent.errors import UsageError
from readagent.testing.scripted import ScriptedModel
from sessions import sensible

TEXT = Document.from_text("A first sentence. A second one. " * 200)


@pytest.fixture
def agent(library: Library) -> ReadAgent:
    return ReadAgent(ScriptedModel(sensible), library=library)


def test_questions_that_are_one_text_are_not_asked_letter_by_letter(agent: ReadAgent) -> None:
    with agent, pytest.raises(UsageError, match="one text"):
        list(agent.ask_all(agent.read(TEXT), "Who?"))


def test_a_model_that_returns_no_reply_is_told(library: Library) -> None:
    class Silent:
        name = "silent"

        async def complete(self, ask: object) -> None:
            return None

    with ReadAgent(Silent(), library=library) as agent, pytest.raises(UsageError, match="silent returned None"):  # type: ignore[arg-type]
        agent.read(TEXT)


def test_a_listener_that_ends_the_program_ends_the_call_and_not_the_agent(agent: ReadAgent) -> None:
    with agent:
        with pytest.raises(SystemExit):
            agent.read(TEXT, listen=lambda event: sys.exit(3))
        assert agent.read(TEXT).pages


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_an_agent_says_that_it_cannot_be_used_in_a_forked_process(agent: ReadAgent) -> None:
    with agent:
        child = os.fork()
        if not child:
            try:
                agent.read(TEXT)
            except UsageError as error:
                os._exit("forked" in str(error))
            finally:
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
