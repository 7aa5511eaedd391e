"""A server that is busy when it is first asked: it is waited for, and its window is used as soon as it tells it."""

from __future__ import annotations

from typing import Any

import pytest

from readagent import AsyncReadAgent, load
from readagent.core.trace import Event, Waiting
from readagent.errors import RateLimitedError, ServerFaultError
from readagent.testing.faults import FakeClock
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ErrorResponse
from readagent.testing.skim import skim
from sessions import EXAMPLES

pytestmark = pytest.mark.anyio
MEETING = EXAMPLES / "meeting.txt"


class Loading(LoopbackServer):
    """A server whose list of models is refused until a time on the clock; ``chat_too``: completions as well."""

    def __init__(self, clock: FakeClock, until: float, status: int = 503, *, chat_too: bool = True) -> None:
        super().__init__(self._answer, window=4096)
        self._clock, self._until, self._status, self._chat_too = clock, until, status, chat_too

    def _refuse(self) -> None:
        if self._clock.now() < self._until:
            raise ErrorResponse(self._status, "Loading model")

    def _answer(self, prompt: str, constraint: dict[str, Any] | None) -> str:
        if self._chat_too:
            self._refuse()
        return skim(prompt, constraint)

    def _listed(self, name: str) -> dict[str, Any]:
        self._refuse()
        return super()._listed(name)


@pytest.mark.parametrize("status", [429, 503])
async def test_it_is_waited_for_where_it_must_say_which_models_it_has(status: int, clock: FakeClock) -> None:
    heard: list[Event] = []
    async with Loading(clock, 300, status) as server, AsyncReadAgent(base_url=server.base_url) as agent:
        memory = await agent.read(load(MEETING), listen=heard.append)
    assert all(gist.origin != "lead" for gist in memory.gists)
    assert 300 <= clock.now() < 370
    assert sum(event.seconds for event in heard if isinstance(event, Waiting)) > 250


@pytest.mark.parametrize(("status", "error"), [(429, RateLimitedError), (503, ServerFaultError)])
async def test_the_reason_is_told_when_patience_ends(status: int, error: type[Exception], clock: FakeClock) -> None:
    async with (
        Loading(clock, 300, status) as server,
        AsyncReadAgent(base_url=server.base_url, patience=60) as agent,
    ):
        with pytest.raises(error, match="Loading model"):
            await agent.read(load(MEETING))


@pytest.mark.parametrize("until", [30, 300])
async def test_a_window_that_was_not_told_at_first_is_asked_for_again(until: float, clock: FakeClock) -> None:
    async with Loading(clock, until) as server, AsyncReadAgent("skimmer", base_url=server.base_url) as agent:
        await agent.read(load(MEETING))
    answered = [request for request in server.requests if request.finished]
    assert answered
    assert all(request.parameters["max_tokens"] < 4096 for request in answered)


async def test_a_server_that_never_lists_its_models_is_read_with_all_the_same(clock: FakeClock) -> None:
    async with (
        Loading(clock, 1e9, chat_too=False) as server,
        AsyncReadAgent("skimmer", base_url=server.base_url) as agent,
    ):
        assert (await agent.read(load(MEETING))).gists
    assert clock.now() < 70
