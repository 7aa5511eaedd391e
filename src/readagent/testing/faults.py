"""Faults: what can go wrong with a server, planned so that it goes wrong the same way every time."""

from __future__ import annotations

import hashlib
import random
from collections import Counter, deque
from collections.abc import Iterable
from typing import Literal, get_args

from readagent.errors import UsageError

Fault = Literal[
    "429", "500", "stall", "cut", "malformed", "overflow", "empty", "refusal", "wrong key", "length", "html"
]
PASSING: tuple[Fault, ...] = ("429", "500", "cut", "malformed", "empty", "refusal", "length", "html")


class Faults:
    """A share of faulty replies, or a list of faults for the requests to come.

    With a ``rate``, a request's luck depends on the seed, its prompt and how often that prompt has come, so that a run
    is repeatable whatever the order in which its requests arrive. The usual kinds leave out those that no second try
    can mend and ``stall``, which needs an impatient client.
    """

    def __init__(
        self,
        rate: float = 0.0,
        seed: int = 0,
        kinds: Iterable[Fault] = PASSING,
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
                raise UsageError(f"there is no fault {kind!r}", hint=f"faults: {', '.join(get_args(Fault))}")

    def plan(self, *faults: Fault | None) -> None:
        """The faults of the next requests; None is a request that goes well."""
        self._planned.extend(faults)

    def next(self, prompt: str) -> Fault | None:
        """What goes wrong with the request that has just come."""
        if self._planned:
            return self._planned.popleft()
        if not self.rate:
            return None
        digest = hashlib.sha256(prompt.encode("utf-8", "replace")).digest()
        self._seen[digest] += 1
        dice = random.Random(f"{self.seed} {digest.hex()} {self._seen[digest]}")
        return dice.choice(self.kinds) if dice.random() < self.rate else None
