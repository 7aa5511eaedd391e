"""An empty library of each kind, and a way to fill it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from library.shelf import kept
from readagent.core.memory import GistMemory
from readagent.library import Library


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.slow)])
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Library]:
    """An empty library in a file, and one on PostgreSQL: both must behave the same."""
    place = tmp_path / "home" if request.param == "file" else request.getfixturevalue("postgres_url")
    with Library(place) as library:
        yield library


@pytest.fixture
def shelve(library: Library) -> Callable[..., str]:
    """Return a function that stores a memory as a finished reading and returns the id of its document."""

    def shelved(memory: GistMemory, key: str = "key") -> str:
        return kept(library, memory, key)

    return shelved
