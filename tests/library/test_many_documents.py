"""What is asked about one document takes the same work, however many others are in the library."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from library.shelf import kept, memory_of
from readagent.core.document import Document
from readagent.library import Library


def letter(number: int) -> Document:
    return Document.from_text(f"Letter {number}. The ferry was late.", source=f"/letters/{number}.txt")


_QUESTIONS: dict[str, Callable[[Library], object]] = {
    "row": lambda library: library.row(letter(0).id),
    "add": lambda library: library.add(letter(0), current=True),
}


@pytest.mark.parametrize("question", _QUESTIONS)
def test_the_work_for_one_document_does_not_grow_with_the_library(question: str) -> None:
    with Library.in_memory() as library:
        library.add(letter(0))
        few = steps_of(library, _QUESTIONS[question])
        for number in range(1, 200):
            library.add(letter(number))
        assert steps_of(library, _QUESTIONS[question]) <= 2 * few


def test_the_work_for_a_list_does_not_grow_with_the_pages() -> None:
    steps = []
    for size in (400, 4):
        with Library.in_memory() as library:
            for number in range(20):
                memory = memory_of(f"{number} {'The ferry was late. ' * 50}", size=size)
                kept(library, memory, "k")
            steps.append(steps_of(library, Library.documents))
            assert {row.pages for row in library.documents()} == {len(memory.pages)}
    few, many = steps
    assert many <= 1.1 * few


def steps_of(library: Library, ask: Callable[[Library], object]) -> int:
    """Return how many steps SQLite takes for a question, in tens."""
    connection = library._db._opened()
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    connection.set_progress_handler(step, 10)
    ask(library)
    connection.set_progress_handler(None, 10)
    return steps
