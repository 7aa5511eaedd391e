"""Faults of a server, planned so that every run fails in the same way; and a clock on which waits pass at once."""

from __future__ import annotations

import asyncio
import hashlib
import heapq
import random
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Literal, get_args
from unittest.mock import patch

from readagent.errors import UsageError
from readagent.models.waiting import SystemClock

Fault = Literal[
    "429", "500", "stall", "cut", "malformed", "overflow", "empty", "refusal", "wrong key", "length", "html", "blocked",
    "drip", "endless", "comments", "silence", "huge", "bomb", "long line", "refused stream",
]  # fmt: skip
TRANSIENT: tuple[Fault, ...] = ("429", "500", "cut", "malformed", "empty", "refusal", "length", "html")


class Faults:
    """Which requests to a LoopbackServer fail, and how.

    ``rate`` is the share of requests that fail with a fault from ``kinds``. Whether a request fails depends on the
    seed, its prompt and how often that prompt was sent, so runs are repeatable whatever the order of requests. By
    default ``kinds`` has the faults that a retry can fix, without ``stall``, which needs a client with a short timeout.
    ``planned`` lists the faults of the first requests, in order; None is a request that succeeds.

    The faults: ``429``, ``500`` and ``html`` (a 502 with an HTML page) are error responses; ``wrong key`` is a 401;
    ``overflow`` rejects the prompt as too long; ``blocked`` is the 403 of a content filter; ``stall`` never answers;
    ``cut`` closes the connection in the middle of the reply; ``malformed`` sends broken JSON; ``empty``, ``refusal``
    and ``length`` (empty, because the token limit was reached) are replies without usable content; ``refused stream``
    rejects the prompt as too long in the first event of a stream.

    These never end, so the client must have limits: ``drip`` sends one byte at a time; ``endless`` streams text,
    ``comments`` only comments, and ``long line`` one line; ``silence`` stops after the first piece; ``huge`` has a body
    of 100 megabytes, and ``bomb`` one that decompresses to a gigabyte.
    """

    def __init__(
        self,
        rate: float = 0.0,
        seed: int = 0,
        kinds: Iterable[Fault] = TRANSIENT,
        *,
        planned: Iterable[Fault | None] = (),
    ) -> None:
        self.rate = rate
        self.seed = seed
        self.kinds = tuple(kinds)
        self._planned = deque(planned)
        self._seen: Counter[bytes] = Counter()
        for kind in (*self.kinds, *self._planned):
            if kind is not None and kind not in get_args(Fault):
                raise UsageError(f"unknown fault {kind!r}", hint=f"available: {', '.join(get_args(Fault))}")

    def plan(self, *faults: Fault | None) -> None:
        """Add faults for the next requests; None is a request that succeeds."""
        self._planned.extend(faults)

    def next(self, prompt: str) -> Fault | None:
        """Return the fault of the current request. The server calls this once for each request."""
        if self._planned:
            return self._planned.popleft()
        if not self.rate:
            return None
        digest = hashlib.sha256(prompt.encode("utf-8", "replace")).digest()
        self._seen[digest] += 1
        dice = random.Random(f"{self.seed} {digest.hex()} {self._seen[digest]}")
        return dice.choice(self.kinds) if dice.random() < self.rate else None


class FakeClock:
    """A clock on which a wait is over as soon as all shorter ones are, and moves the time on.

    ``time`` is the time in seconds, and ``waits`` are the waits so far.
    """

    def __init__(self) -> None:
        self.time = 0.0
        self.waits: list[float] = []
        self._ends: list[tuple[float, int]] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        end = (self.time + seconds, len(self.waits))
        self.waits.append(seconds)
        heapq.heappush(self._ends, end)
        try:
            await asyncio.sleep(0)
            while self._ends[0] != end:  # noqa: ASYNC110 - the other waits may be on other event loops
                await asyncio.sleep(0)
            self.time = max(self.time, end[0])
        finally:
            self._ends.remove(end)
            heapq.heapify(self._ends)


@contextmanager
def no_waiting() -> Iterator[FakeClock]:
    """Let all waits for servers in this process pass at once, on the clock that is returned."""
    clock = FakeClock()
    with (
        patch.object(SystemClock, "now", lambda _: clock.now()),
        patch.object(SystemClock, "sleep", lambda _, seconds: clock.sleep(seconds)),
    ):
        yield clock
