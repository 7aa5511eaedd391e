"""Several processes that share a library, and processes that are killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from library.processes import BOOK, start
from readagent.library import Library


@pytest.mark.parametrize("after", [1, 300])
@pytest.mark.slow
def test_a_kill_loses_no_cached_call(tmp_path: Path, after: int) -> None:
    with start("put_for_ever", tmp_path) as child:
        assert child.stdout is not None
        stored = [int(child.stdout.readline()) for _ in range(after)]
        child.kill()
        stored += [int(line) for line in child.stdout.read().splitlines()]
    with Library(tmp_path) as library:
        for n in stored:
            reply = library.get(str(n))
            assert reply is not None
            assert reply.text == f"reply {n} " * 50


@pytest.mark.slow
def test_a_kill_while_a_reading_is_stored_leaves_one_complete_reading(tmp_path: Path) -> None:
    for rounds in (1, 3):
        with start("finish_for_ever", tmp_path) as child:
            assert child.stdout is not None
            for _ in range(rounds):
                child.stdout.readline()
            child.kill()
        with Library(tmp_path) as library:
            (row,) = library.documents()
            memory = library.memory(row.id)
            assert memory is not None
            assert "".join(memory.page_text(page.number) for page in memory.pages) == BOOK
            assert len(library.search("short", limit=1000)) == len(memory.pages)
