"""Servers that are killed, that only read, or that have no connection left."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable

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
    """A model that kills the server before one of its replies, and has it started again."""

    name = "killing"

    def __init__(self, at: int, kill: Callable[[], None], start: Callable[[], object]) -> None:
        self._at, self._kill, self._start = at, kill, start
        self._reader = Skimmer()
        self.prompts: Counter[str] = Counter()
        self.threads: list[threading.Thread] = []

    async def complete(self, ask: Ask) -> Reply:
        self.prompts[f"{ask.step} {ask.prompt}"] += 1
        if self.prompts.total() == self._at:
            self._kill()
            self.threads.append(threading.Thread(target=self._start))
            self.threads[-1].start()
        return await self._reader.complete(ask)


def test_a_reading_survives_a_kill_of_the_server(own_server: Server) -> None:
    model = Killing(1, own_server.kill, own_server.start)
    url = own_server.new_database()
    document = Document.from_text(BOOK, title="The voyage")
    told: list[str] = []
    with Library(url) as library, ReadAgent(model, library=library, plan=TWO_STEPS) as agent:
        library.on_wait = told.append
        memory = agent.read(document)
        answer = agent.ask(memory, "What did Anna do on day 17?")
        assert len(model.threads) == 1
        model.threads[0].join()
        assert max(model.prompts.values()) == 1
        kept = library.memory(document.id)
        assert kept is not None
        assert (kept.pages, kept.gists) == (memory.pages, memory.gists)
        assert [one.text for one in library.answers(document.id)] == [answer.text]
        assert library.check() == []
        asked = model.prompts.total()
        assert agent.read(document).gists == memory.gists
        assert model.prompts.total() == asked


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
