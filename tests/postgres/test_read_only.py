"""Servers that only read, and databases that cannot hold every character."""

from __future__ import annotations

import psycopg
import pytest

from library.shelf import memory_of
from postgres_server import Server
from readagent.core.document import Document
from readagent.errors import LibraryError
from readagent.library import Library

pytestmark = pytest.mark.slow


def filled(url: str) -> str:
    memory = memory_of(title="The lamp")
    with Library(url) as library:
        document = library.add(memory.document)
        reading = library.start_reading(document, memory.key, model="m", prompts="p", plan=memory.plan, window=None)
        library.finish_reading(reading, memory)
    return document


def assert_it_only_reads(url: str, document: str) -> None:
    with Library(url, patience=5) as library:
        assert [row.title for row in library.documents()] == ["The lamp"]
        assert library.memory(document) is not None
        with pytest.raises(LibraryError, match="cannot be written") as raised:
            library.add(Document.from_text("Another text.", title="Other"))
    assert "primary" in raised.value.hint


def test_a_standby_can_be_read(own_server: Server) -> None:
    url = own_server.new_database()
    document = filled(url)
    standby = own_server.standby()
    try:
        assert_it_only_reads(url.replace(f":{own_server.port}", f":{standby.port}"), document)
    finally:
        standby.stop()


def test_a_user_who_only_reads_can_read(postgres: Server) -> None:
    url = postgres.new_database()
    document = filled(url)
    assert_it_only_reads(f"{url}?options=-cdefault_transaction_read_only%3Don", document)


def test_a_database_of_another_encoding_is_refused_before_anything_is_paid(postgres: Server) -> None:
    encoding = "LATIN1"
    name = f"other_{encoding.lower()}"
    postgres.execute(f"CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0 LOCALE 'C'")
    with Library(postgres.url(name)) as library, pytest.raises(LibraryError, match=f"encoding {encoding}") as raised:
        library.documents()
    assert "UTF8" in raised.value.hint


def test_a_server_without_a_free_connection_says_so(postgres: Server) -> None:
    name = postgres.new_database().rpartition("/")[2]
    postgres.execute("CREATE ROLE lonely LOGIN PASSWORD 'x' CONNECTION LIMIT 1")
    url, told = postgres.url(name, user="lonely:x"), list[str]()
    with psycopg.connect(url), Library(url, patience=3) as library:
        library.on_wait = told.append
        with pytest.raises(LibraryError):
            library.documents()
    assert told
    assert all("has no free connection" in one for one in told)
