"""A library in the test's home folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from readagent import Library


@pytest.fixture
def library(own_home: Path) -> Iterator[Library]:
    with Library(own_home) as library:
        yield library
