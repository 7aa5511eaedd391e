"""What was spent is told in full: also for attempts that an overflow ended, and for readings that end in an error."""

from __future__ import annotations

import asyncio

import pytest

from readagent import AsyncReadAgent, Plan, ReadAgent, load
from readagent.core.concurrency import together
from readagent.core.model import Ask, Reply
from readagent.core.plan import preset
from readagent.core.trace import Trace, Usage
from readagent.core.window import Window
from readagent.errors import ContextOverflowError, ServerFaultError
from readagent.testing.scripted import ScriptedModel
from sessions import EXAMPLES

STORY = load(EXAMPLES / "story.txt")
PLAN = Plan(page_words=400, min_page_words=150)


class Slow:
    """Refuses one prompt while another is in flight, whose reply arrives when it is ``released``."""

    name = "slow"

    def __init__(self) -> None:
        self.sent, self.released = asyncio.Event(), asyncio.Event()
        self.served = 0

    async def complete(self, ask: Ask) -> Reply:
        if ask.prompt == "a long page":
            await self.sent.wait()
            raise ContextOverflowError("too long", window=1000)
        self.sent.set()
        await self.released.wait()
        self.served += 1
        return Reply("a gist", usage=Usage(10, 5))


@pytest.mark.anyio
@pytest.mark.parametrize("second", ["another page", "a page"])
async def test_calls_in_flight_when_an_overflow_ends_an_attempt_are_counted_once(second: str) -> None:
    model, trace = Slow(), Trace()

    async with AsyncReadAgent(model) as agent:

        async def attempt(window: Window) -> None:
            prompts = ["a page", "a long page"] if window.tokens is None else [second]
            if window.tokens is not None:
                model.released.set()
            session = await agent.sessions.again(preset("articles"), window, trace, lambda event: None)
            await together(session.ask(Ask("gist", prompt)) for prompt in prompts)

        await agent.connection.within_window(attempt, trace=trace)
    assert model.served == len({"a page", second})
    assert [call.paid for call in trace.calls] == [True] * model.served
    assert trace.paid.prompt_tokens == 10 * model.served


def test_an_error_before_anything_was_spent_says_nothing_about_it() -> None:
    model = ScriptedModel(lambda ask: ServerFaultError("the server failed (500)"))
    with ReadAgent(model, plan=PLAN) as agent, pytest.raises(ServerFaultError) as caught:
        agent.read(STORY)
    assert not hasattr(caught.value, "__notes__")
