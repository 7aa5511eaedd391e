"""What the benchmark of many documents needs: a server with a record, and the longest chain of calls."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from time import perf_counter
from typing import Any
from urllib.request import urlopen

from common import python_server

from readagent.agent import AsyncReadAgent
from readagent.core.document import Document
from readagent.core.model import Ask, Reply
from readagent.core.plan import Plan
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ReceivedRequest, Writer
from readagent.testing.scripted import Skimmer

_START = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import many_parts; many_parts."


class RecordingServer(LoopbackServer):
    """A server that records how many requests it worked on at once, and from when to when."""

    def __init__(self, latency: float) -> None:
        self.record: dict[str, Any] = {}
        super().__init__(latency=latency, keep_requests=False, routes={"/v1/record": self.record})
        self.forget()

    def forget(self) -> None:
        """Begin a new record."""
        self.record.update(calls=0, most=0, now=0, first=0.0, last=0.0)

    async def _complete(self, received: ReceivedRequest, writer: Writer, reader: asyncio.StreamReader) -> bool:
        record = self.record
        record["first"] = record["first"] or perf_counter()
        record["calls"] += 1
        record["now"] += 1
        record["most"] = max(record["most"], record["now"])
        try:
            return await super()._complete(received, writer, reader)
        finally:
            record["now"] -= 1
            record["last"] = perf_counter()


def server(latency: float) -> AbstractContextManager[str]:
    """Run a server as a process of its own and yield its base URL."""
    return python_server("-c", f"{_START}serve({latency})")


def serve(latency: float) -> None:
    """Serve until killed; the first line on stdout is the base URL."""

    async def serving() -> None:
        async with RecordingServer(latency) as made:
            print(made.base_url, flush=True)
            await asyncio.Event().wait()

    asyncio.run(serving())


def record_of(url: str) -> dict[str, Any]:
    """Return the record of a server."""
    with urlopen(f"{url}/record") as reply:
        found: dict[str, Any] = json.load(reply)
    return found


class Rounds:
    """A model that answers all calls that wait at once, round by round: the rounds are the longest chain of calls."""

    name = "rounds"

    def __init__(self) -> None:
        self._skimmer = Skimmer()
        self._waiting: list[asyncio.Future[None]] = []

    async def complete(self, ask: Ask) -> Reply:
        """Wait for the end of the round, then skim."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        await turn
        return await self._skimmer.complete(ask)

    async def count(self, work: asyncio.Task[Any]) -> int:
        """Return the rounds until some work is done."""
        rounds = 0
        while True:
            idle, known = 0, 0
            while idle < 30 and not work.done():  # nothing sleeps, so that a few turns of the loop tell
                await asyncio.sleep(0)
                idle, known = (idle + 1, known) if len(self._waiting) == known else (0, len(self._waiting))
            if work.done():
                await work
                return rounds
            rounds += 1
            waiting, self._waiting = self._waiting, []
            for turn in waiting:
                turn.set_result(None)


class Replayed:
    """A skimmer that answers each prompt once, and replays that when it is asked again, which takes no time."""

    name = "replayed"

    def __init__(self) -> None:
        self._skimmer = Skimmer()
        self._known: dict[str, Reply] = {}

    async def complete(self, ask: Ask) -> Reply:
        """Return the reply, made now or earlier."""
        await asyncio.sleep(0)
        if ask.prompt not in self._known:
            self._known[ask.prompt] = await self._skimmer.complete(ask)
        return self._known[ask.prompt]


def longest_chain(documents: Sequence[Document], plan: Plan) -> int:
    """Return the most calls of one document that follow one another, with as many slots as there are calls."""

    async def chain(document: Document) -> int:
        model = Rounds()
        async with AsyncReadAgent(model, plan=plan, parallel=10_000) as agent:
            return await model.count(asyncio.create_task(agent.read(document)))

    return max(asyncio.run(chain(document)) for document in documents)
