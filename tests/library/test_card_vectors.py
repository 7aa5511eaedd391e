"""The vectors of cards: documents on a shelf are found by them, whatever the library is kept in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psycopg
import pytest

from library.shelf import memory_of
from postgres_server import Server
from readagent.core.model import Vectors
from readagent.core.shelf.shelf_answer import Card
from readagent.library import Library

NAME = "embedder"


@pytest.fixture(params=["file", *(pytest.param(one, marks=pytest.mark.slow) for one in ("postgres", "pgvector"))])
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Library]:
    if request.param == "file":
        opened = Library(tmp_path / "home")
    elif request.param == "postgres":
        opened = Library(request.getfixturevalue("postgres_url"))
    else:
        opened = Library(with_pgvector(request.getfixturevalue("pgvector_server")))
    with opened as library:
        yield library


@pytest.fixture(scope="module")
def pgvector_server() -> Iterator[Server]:
    """A server whose pgvector runs: the one of the wheel needs a newer processor on some machines."""
    server = Server().start()
    try:
        url = with_pgvector(server)
        try:
            server.execute("SELECT '[1,2]'::vector <#> '[3,4]'::vector", database=url.rsplit("/", 1)[1])
        except psycopg.OperationalError:
            pytest.skip("pgvector of this PostgreSQL does not run on this processor")
        yield server
    finally:
        server.stop()


def with_pgvector(server: Server, schema: str = "public") -> str:
    url = server.new_database()
    install(server, url, schema)
    return url


def install(server: Server, url: str, schema: str = "public") -> None:
    database = url.rsplit("/", 1)[1]
    made = [] if schema == "public" else [f'CREATE SCHEMA "{schema}"']
    server.execute(*made, f'CREATE EXTENSION vector SCHEMA "{schema}"', database=database)


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


@pytest.mark.slow
@pytest.mark.parametrize("schema", ["public", "my extensions"])
def test_pgvector_that_is_installed_later_has_the_vectors_from_before(pgvector_server: Server, schema: str) -> None:
    url = pgvector_server.new_database()
    with Library(url) as library:
        first = shelved(library, 0, unit([1, 0]))
    install(pgvector_server, url, schema)
    with Library(url) as library:
        second = shelved(library, 1, unit([0, 1]))
        assert library.shelves.nearest("tales", NAME, unit([0.1, 1]), 9) == [second, first]
        assert library._db.rows("SELECT count(*) FROM card_meanings") == [(2,)]


@pytest.mark.slow
def test_a_user_who_only_reads_is_answered_without_pgvector(pgvector_server: Server) -> None:
    url = pgvector_server.new_database()
    with Library(url) as library:
        known = shelved(library, 0, unit([1, 0]))
    install(pgvector_server, url)
    with Library(f"{url}?options=-cdefault_transaction_read_only%3Don") as library:
        assert library.shelves.nearest("tales", NAME, unit([1, 0]), 9) == [known]


@pytest.mark.slow
def test_tenants_share_the_extension_but_no_vectors(pgvector_server: Server) -> None:
    url = with_pgvector(pgvector_server)
    with Library(url, tenant="ada") as ada, Library(url, tenant="bob") as bob:
        known = shelved(ada, 0, unit([1, 0]))
        shelved(bob, 1, unit([1, 0]))
        assert ada.shelves.nearest("tales", NAME, unit([1, 0]), 9) == [known]
