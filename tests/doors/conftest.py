"""The doors that other programs come through use a library with a model on loopback, as the page does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from doors.proxying import RunningProxy
from readagent.testing.loopback import LoopbackServer
from web.fixtures import model, serve

__all__ = ["model", "serve", "start"]

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
