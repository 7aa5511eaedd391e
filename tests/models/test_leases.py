"""Calls that several processes share: one makes the call, the others wait, and one takes over if it dies."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from readagent.core.model import Ask, Reply
from readagent.core.trace import Elsewhere, Event
from readagent.errors import ConnectionFailedError
from readagent.library import Library
from readagent.library.leases import LIFETIME, Leases
from readagent.library.sqlite import SQLiteDatabase
from readagent.models.cache import Cached, ask_key
from readagent.testing import ScriptedModel

ASK = Ask("gist", "a passage")
KEY = ask_key("scripted", ASK)

pytestmark = pytest.mark.anyio


class Clock:
    """A clock that moves when somebody waits, and runs a step of the test at each wait."""

    def __init__(self, *steps: object) -> None:
        self.time = 1000.0
        self._steps = list(steps)

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)
        if seconds >= 5:  # the renewal of a lease: not before the call is over
            await asyncio.Event().wait()
        self.time += seconds
        if self._steps:
            self._steps.pop(0)()  # type: ignore[operator]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path)


def other(library: Library, clock: Clock) -> Leases:
    """The leases of another process that uses the same library."""
    return Leases(SQLiteDatabase(library.path), clock=clock.now)


async def test_a_reply_of_another_process_is_waited_for_and_not_paid(library: Library) -> None:
    heard: list[str] = []
    clock = Clock(lambda: None, lambda: library.put(KEY, "scripted", ASK, Reply("theirs")))
    assert other(library, clock).take(KEY)
    model = ScriptedModel(["ours"])
    cached = Cached(model, library, leases=Leases(library._db, clock=clock.now), clock=clock)
    reply = await cached.complete(Ask("gist", "a passage", listen=heard.append))
    assert (reply.text, reply.paid, heard) == ("theirs", False, ["theirs"])
    assert not model.asks


async def test_the_call_is_taken_over_when_its_process_does_not_renew_the_lease(library: Library) -> None:
    clock = Clock()
    assert other(library, clock).take(KEY)
    cached = Cached(ScriptedModel(["ours"]), library, leases=Leases(library._db, clock=clock.now), clock=clock)
    assert (await cached.complete(ASK)).text == "ours"
    assert clock.time >= 1000 + LIFETIME


@pytest.fixture
def dead_owner(library: Library) -> None:
    """A process that took the lease of the call and is gone."""
    script = (
        "import sys; from pathlib import Path; from readagent.library.leases import Leases;"
        "from readagent.library.sqlite import SQLiteDatabase; print(Leases(SQLiteDatabase(Path(sys.argv[1]))).take(sys.argv[2]))"
    )
    said = subprocess.run([sys.executable, "-c", script, str(library.path), KEY], stdout=subprocess.PIPE, check=True)
    assert said.stdout.strip() == b"True"


@pytest.mark.usefixtures("dead_owner")
async def test_the_call_of_a_dead_process_is_taken_over_at_once(library: Library) -> None:
    clock = Clock()
    cached = Cached(ScriptedModel(["ours"]), library, leases=library.leases, clock=clock)
    assert (await cached.complete(ASK)).text == "ours"
    assert clock.time == 1000


async def test_a_call_that_failed_is_free_for_others(library: Library) -> None:
    cached = Cached(ScriptedModel([ConnectionFailedError("gone")]), library, leases=library.leases)
    with pytest.raises(ConnectionFailedError):
        await cached.complete(ASK)
    clock = Clock()
    clock.time = 0  # nothing has expired
    assert other(library, clock).take(KEY)


async def test_a_lease_that_is_renewed_does_not_expire(library: Library) -> None:
    clock = Clock()
    owner, waiting = other(library, clock), other(library, clock)
    assert owner.take(KEY)
    for _ in range(3):
        clock.time += LIFETIME - 1
        assert not waiting.take(KEY)
        assert owner.renew(KEY)
    waiting.release(KEY)  # not theirs
    assert not waiting.take(KEY)
    clock.time += LIFETIME + 1
    assert waiting.take(KEY)
    assert not owner.renew(KEY)  # no longer theirs
    owner.release(KEY)
    assert not owner.take(KEY)


async def test_a_caller_that_gives_up_while_waiting_sends_nothing(library: Library) -> None:
    assert other(library, Clock()).take(KEY)
    library._db.rows("UPDATE leases SET expires = 1e12, process = ?", os.getpid())
    model = ScriptedModel(["ours"])
    cached = Cached(model, library, leases=library.leases)
    waiting = asyncio.create_task(cached.complete(ASK))
    await asyncio.sleep(0)
    waiting.cancel()
    await cached.drain()
    assert waiting.cancelled() or waiting.done()
    assert not model.asks


async def test_a_wait_for_another_process_is_told_at_once(library: Library) -> None:
    heard: list[Event] = []
    clock = Clock(lambda: None, lambda: library.put(KEY, "scripted", ASK, Reply("theirs")))
    assert other(library, clock).take(KEY)
    model = Cached(ScriptedModel(["ours"]), library, leases=Leases(library._db, clock=clock.now), clock=clock)
    assert (await model.complete(replace(ASK, notify=heard.append))).text == "theirs"
    assert heard == [Elsewhere()]
