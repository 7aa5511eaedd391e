"""A folder of small books, and libraries of each kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from readagent.library import Library


def book(number: int, sentences: int = 60) -> str:
    """Return the text of a book of some pages, different for each number."""
    told = (
        f"Chapter {n // 20}. Sentence {n} of book {number} tells what Anna did on day {n}. " for n in range(sentences)
    )
    return "".join(told)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with six books in it."""
    folder = tmp_path / "books"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.txt").write_text(book(number))
    return folder


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.slow)])
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Library]:
    """An empty library in a file, and one on PostgreSQL."""
    place = tmp_path / "home" if request.param == "file" else request.getfixturevalue("postgres_url")
    with Library(place) as library:
        yield library
