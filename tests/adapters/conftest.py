"""An agent with a skimmer as its model, for every test of an adapter."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from adapters.tales import PLAN
from readagent import ReadAgent
from sessions import Counting


@pytest.fixture
def model() -> Counting:
    return Counting()


@pytest.fixture
def agent(model: Counting) -> Iterator[ReadAgent]:
    with ReadAgent(model, plan=PLAN) as agent:
        yield agent
