"""The vectors of cards: documents on a shelf are found by them, whatever the library is kept in."""

from __future__ import annotations

import numpy as np

from library.shelf import memory_of
from readagent.core.model import Vectors
from readagent.core.shelf.shelf_answer import Card
from readagent.library import Library

NAME = "embedder"


def unit(*rows: list[float]) -> Vectors:
    numbers = np.array(rows, np.float32)
    numbers /= np.linalg.norm(numbers, axis=1, keepdims=True)
    return Vectors(numbers.shape[1], numbers.tobytes())


def shelved(library: Library, number: int, vectors: Vectors | None, *, shelf: str = "tales", name: str = NAME) -> str:
    """Put a document with a card and its vector on a shelf, and return its id."""
    memory = memory_of(f"Text number {number} on {shelf}.", title=f"Text {number}")
    document = library.add(memory.document)
    reading = library.start_reading(document, memory.key, model="m", prompts="p", plan=memory.plan, window=None)
    library.finish_reading(reading, memory)
    library.shelves.open(shelf)
    library.shelves.put(shelf, document)
    library.shelves.keep_card(memory.key, Card(document, memory.document.title, "", "A text.", 5))
    assert not library.shelves.has_vector(document, memory.key, name)
    if vectors is not None:
        library.shelves.keep_vector(document, memory.key, name, vectors)
        assert library.shelves.has_vector(document, memory.key, name)
        assert not library.shelves.has_vector(document, memory.key, "another")
    return document


def test_the_nearest_documents_of_a_shelf_come_first(library: Library) -> None:
    near, nearer = shelved(library, 0, unit([1, 1, 0])), shelved(library, 1, unit([1, 0.1, 0]))
    far = shelved(library, 2, unit([-1, 0, 0.2]))
    shelved(library, 3, unit([1, 0, 0]), shelf="others")
    shelved(library, 4, unit([1, 0, 0]), name="another model")
    shelved(library, 5, unit([1, 0]))
    shelved(library, 6, None)
    find = library.shelves.nearest
    assert find("tales", NAME, unit([1, 0, 0]), 9) == [nearer, near, far]
    assert find("tales", NAME, unit([1, 0, 0]), 2) == [nearer, near]
    assert set(find("tales", NAME, unit([-1, 0, 0], [1, 0, 0]), 2)) == {nearer, far}
    assert find("tales", "unknown", unit([1, 0, 0]), 9) == []
    assert find("tales", NAME, unit([1, 0, 0, 0]), 9) == []
    assert find("tales", NAME, Vectors(0, b""), 9) == []


def test_a_card_that_is_replaced_or_removed_is_not_found_by_its_old_vector(library: Library) -> None:
    changed, removed = (shelved(library, number, unit([1, 0])) for number in range(2))
    memory = library.memory(changed)
    assert memory is not None
    library.shelves.keep_card(memory.key, Card(changed, "Text 0", "", "Another card.", 5))
    library.remove(removed)
    assert library.shelves.nearest("tales", NAME, unit([1, 0]), 9) == []
    library.shelves.keep_vector(changed, memory.key, NAME, unit([0, 1]))
    library.shelves.keep_vector(changed, memory.key, NAME, unit([1, 1]))
    assert library.shelves.nearest("tales", NAME, unit([1, 0]), 9) == [changed]
