"""Several processes that share a library, and processes that are killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from library.processes import BOOK, book, go, start
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
def test_a_kill_while_the_library_is_opened_or_closed_is_no_damage(tmp_path: Path) -> None:
    for rounds in (0, 3):
        children = [start("open_and_close_for_ever", tmp_path) for _ in range(2)]
        stored: list[str] = []
        for child in children:
            assert child.stdout is not None
            stored += [child.stdout.readline().strip() for _ in range(rounds + 1)]
        for child in children:
            child.kill()
        for child in children:
            stored += child.communicate()[0].splitlines()
        with Library(tmp_path) as library:
            assert all(library.get(key) is not None for key in stored)


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


@pytest.mark.slow
def test_two_processes_read_the_same_document_at_once(tmp_path: Path) -> None:
    sizes = {int(said) for said in go([start("read_book", tmp_path) for _ in range(3)])}
    with Library(tmp_path) as library:
        (row,) = library.documents()
        assert len(library.readings(row.id)) == 1
        memory = library.memory(row.id, key="key")
        assert memory in [book(size) for size in sizes]
        assert memory is not None
        assert len(library.search("short", limit=1000)) == len(memory.pages)
