"""Storms on a real server: ten minutes of 429 or 503, with and without Retry-After, on a clock that runs at once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from readagent import AsyncReadAgent, load
from readagent.core.model import Ask
from readagent.core.trace import Event, Waiting
from readagent.errors import RateLimitedError, ServerFaultError
from readagent.models.endpoint import Endpoint
from readagent.models.limits import Slots
from readagent.models.retry import Retries, Retrying
from readagent.testing.faults import FakeClock, Fault, Faults
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ErrorResponse
from readagent.testing.skim import skim
from sessions import EXAMPLES, TWO_STEPS

pytestmark = pytest.mark.anyio
END = 600.0  # seconds


class Storm(Faults):
    """Faults until a time on the clock, from the third request on."""

    def __init__(self, clock: FakeClock, kind: Fault, until: float = END) -> None:
        super().__init__()
        self._clock, self._kind, self._until = clock, kind, until
        self.given = 0
        self._seen_requests = 0

    def next(self, prompt: str) -> Fault | None:
        self._seen_requests += 1
        if self._seen_requests <= 2 or self._clock.now() >= self._until:
            return None
        self.given += 1
        return self._kind


@pytest.mark.parametrize(("kind", "retry_after"), [("429", 40), ("html", ""), ("cut", "")])
async def test_a_reading_survives_ten_minutes(kind: Fault, retry_after: float | str, clock: FakeClock) -> None:
    storm = Storm(clock, kind)
    heard: list[Event] = []
    async with (
        LoopbackServer(faults=storm, retry_after=retry_after) as server,
        AsyncReadAgent("skimmer", base_url=server.base_url, plan=TWO_STEPS) as agent,
    ):
        memory = await agent.read(load(EXAMPLES / "meeting.txt"), listen=heard.append)
    assert memory.gists
    assert all(gist.origin != "lead" for gist in memory.gists)
    assert END <= clock.now() < END + 120
    assert storm.given < 40
    waits = [event for event in heard if isinstance(event, Waiting)]
    assert sum(event.seconds for event in waits) > END * 0.8, "the waits are told"


@pytest.mark.parametrize("status", [500, 408])
async def test_an_outage_is_waited_for_whatever_its_status(status: int, clock: FakeClock) -> None:
    failed = 0

    def answer(prompt: str, constraint: dict[str, Any] | None) -> str:
        nonlocal failed
        if 0 < clock.now() < 20:
            failed += 1
            raise ErrorResponse(status, "no")
        return "ok"

    async with LoopbackServer(answer) as server:
        endpoint = Endpoint(server.base_url, "skimmer")
        calls = Retrying(endpoint, Retries(Slots(8), patience=60))
        await calls.complete(Ask("gist", "before"))
        clock.time = 0.001
        replies = await asyncio.gather(*(calls.complete(Ask("gist", f"call {i}")) for i in range(60)))
        await endpoint.aclose()
    assert len(replies) == 60
    assert failed <= 8 + 8, "those in flight when it begins, and those after each pause"


async def test_patience_ends_and_a_second_run_continues(clock: FakeClock) -> None:
    storm = Storm(clock, "429", until=3000)
    async with LoopbackServer(faults=storm, retry_after="") as server:
        agent = AsyncReadAgent("skimmer", base_url=server.base_url, plan=TWO_STEPS, patience=300)
        async with agent:
            with pytest.raises(RateLimitedError, match=r"tried again for [56] min") as caught:
                await agent.read(load(EXAMPLES / "meeting.txt"))
            assert "nothing is lost" in caught.value.hint
            paid = [request.prompt for request in server.requests if request.finished]
            clock.time = 4000
            await agent.read(load(EXAMPLES / "meeting.txt"))
        later = [request.prompt for request in server.requests if request.finished][len(paid) :]
    assert paid
    assert not set(paid) & set(later), "nothing is paid for twice"


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
    async with Loading(clock, 300, status) as server, AsyncReadAgent(base_url=server.base_url, patience=60) as agent:
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
