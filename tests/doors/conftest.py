"""A library with a model on loopback, for the doors that other programs come through."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from doors.proxying import RunningProxy
from readagent.testing.loopback import LoopbackServer
from web.running import Running


@pytest.fixture
def model() -> Iterator[LoopbackServer]:
    """The model: a server that reads any text in the same way each time."""
    with LoopbackServer().in_thread() as server:
        yield server


Serve = Callable[..., Running]


@pytest.fixture
def serve(model: LoopbackServer, own_home: Path) -> Iterator[Serve]:
    """Start `readagent serve` over the library in the home folder, one after the other."""
    started: list[Running] = []

    def start(**options: Any) -> Running:
        while started:
            started.pop().stop()
        started.append(Running(own_home, model.base_url, **options))
        return started[-1]

    yield start
    for one in started:
        one.stop()


Start = Callable[..., RunningProxy]


@pytest.fixture
def start(model: LoopbackServer, own_home: Path) -> Iterator[Start]:
    """Start proxies over the library in the home folder, one after the other."""
    started: list[RunningProxy] = []

    def begin(**options: Any) -> RunningProxy:
        while started:
            started.pop().stop()
        started.append(RunningProxy(own_home, model.base_url, **options))
        return started[-1]

    yield begin
    for one in started:
        one.stop()
