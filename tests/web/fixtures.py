"""A running server with a scripted model on loopback, for tests of the page and of the doors for programs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from readagent.testing.loopback import LoopbackServer
from web.running import Running

Serve = Callable[..., Running]


@pytest.fixture
def model() -> Iterator[LoopbackServer]:
    """The model: a server that reads any text in the same way each time."""
    with LoopbackServer().in_thread() as server:
        yield server


@pytest.fixture
def serve(model: LoopbackServer, own_home: Path) -> Iterator[Serve]:
    """Start servers over one library, one after the other."""
    started: list[Running] = []

    def start(**options: Any) -> Running:
        while started:
            started.pop().stop()
        started.append(Running(os.environ.get("READAGENT_LIBRARY") or own_home, model.base_url, **options))
        return started[-1]

    yield start
    for one in started:
        one.stop()
