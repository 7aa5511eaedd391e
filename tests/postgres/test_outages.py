"""Servers that are killed, that only read, or that have no connection left."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import psycopg
import pytest

from library.shelf import kept, memory_of
from postgres_server import Server
from readagent import Library, ReadAgent
from readagent.core.document import Document
from readagent.core.model import Ask, Reply
from readagent.errors import LibraryError, UnreachableLibraryError
from readagent.testing import Skimmer
from sessions import TWO_STEPS

pytestmark = pytest.mark.slow

BOOK = "".join(
    f"Chapter {n // 20}. Sentence number {n} tells what Anna did on day {n} of the voyage. " for n in range(400)
)


class Killing:
    """A model that kills the server before its next reply when it is told to, and has it replaced."""

    name = "killing"

    def __init__(self, kill: Callable[[], None], replace: Callable[[], object]) -> None:
        self._kill, self._replace = kill, replace
        self.armed = False
        self._reader = Skimmer()
        self.prompts: Counter[str] = Counter()

    async def complete(self, ask: Ask) -> Reply:
        self.prompts[f"{ask.step} {ask.prompt}"] += 1
        if self.armed:
            self.armed = False
            self._kill()
            threading.Thread(target=self._replace).start()
        return await self._reader.complete(ask)


@contextmanager
def followed(server: Server) -> Iterator[tuple[str, Server]]:
    """Yield the URL of a database, and a standby that has what the server has acknowledged."""
    standby = server.standby()
    try:
        server.execute("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
        yield server.new_database(), standby
    finally:
        standby.stop()


@contextmanager
def restarted(server: Server) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield a URL, and what starts the server again."""
    yield server.new_database(), server.start


@contextmanager
def promoted(server: Server) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield a URL of two servers, and what lets the standby take over."""
    with followed(server) as (url, standby):
        both = url.replace(f":{server.port}/", f":{server.port},127.0.0.1:{standby.port}/")
        yield both, lambda: standby.execute("SELECT pg_promote()")


@pytest.mark.parametrize("replaced", [restarted, promoted])
def test_a_reading_and_a_question_survive_a_kill_of_the_server(
    own_server: Server, replaced: Callable[[Server], AbstractContextManager[tuple[str, Callable[[], object]]]]
) -> None:
    document = Document.from_text(BOOK, title="The voyage")
    with replaced(own_server) as (url, replace), Library(url) as library:
        model = Killing(own_server.kill, replace)
        with ReadAgent(model, library=library, plan=TWO_STEPS) as agent:
            model.armed = replaced is restarted  # the other server can be replaced once
            memory = agent.read(document)
            model.armed = True
            answer = agent.ask(memory, "What did Anna do on day 17?")
            asked = model.prompts.total()
            assert agent.read(document).gists == memory.gists
        assert not model.armed
        assert (max(model.prompts.values()), model.prompts.total()) == (1, asked)
        kept = library.memory(document.id)
        assert kept is not None
        assert (kept.pages, kept.gists) == (memory.pages, memory.gists)
        assert [one.text for one in library.answers(document.id)] == [answer.text]
        assert library.check() == []


def test_patience_has_an_end_and_nothing_is_lost(own_server: Server) -> None:
    url = own_server.new_database()
    told: list[str] = []
    with Library(url, patience=2.5) as library:
        library.on_wait = told.append
        library.put("key", "m", Ask("gist", "prompt"), Reply("reply"))
        own_server.kill()
        with pytest.raises(UnreachableLibraryError, match="cannot be reached for 2 seconds") as raised:
            library.put("other", "m", Ask("gist", "prompt"), Reply("reply"))
        assert raised.value.hint
        assert told
        assert "waiting for its server" in told[0]
        assert "s3cret" not in f"{raised.value} {told}"
        own_server.start()
        reply = library.get("key")
        assert reply is not None
        assert reply.text == "reply"


def filled(url: str) -> str:
    memory = memory_of(title="The lamp")
    with Library(url) as library:
        return kept(library, memory)


def assert_it_only_reads(url: str, document: str) -> None:
    with Library(url, patience=5) as library:
        assert [row.title for row in library.documents()] == ["The lamp"]
        assert library.memory(document) is not None
        with pytest.raises(LibraryError, match="cannot be written") as raised:
            library.add(Document.from_text("Another text.", title="Other"))
    assert "primary" in raised.value.hint


def test_a_standby_can_be_read(own_server: Server) -> None:
    with followed(own_server) as (url, standby):
        document = filled(f"{url}?options=-csynchronous_commit%3Dremote_apply")
        assert_it_only_reads(url.replace(f":{own_server.port}", f":{standby.port}"), document)


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
