"""Retries without delays, and a library in the test's home folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import stamina

from readagent import Library


@pytest.fixture(autouse=True)
def fast_retries() -> Iterator[None]:
    with stamina.set_testing(True, attempts=8, cap=True):
        yield


@pytest.fixture
def library(own_home: Path) -> Iterator[Library]:
    with Library(own_home) as library:
        yield library
