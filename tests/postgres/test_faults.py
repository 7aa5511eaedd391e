"""The server is killed at every commit of every kind of write: what was acknowledged is there, nothing else is half there.

One client writes, and the server is killed before, at or after each of its commits, or its answers are lost. Others write to another library of
the same database meanwhile, so that the server gives them the transaction ids that it had given to the lost ones. The
first library must be what one on SQLite is after the same writes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from library.everything import fill_everything
from library.shelf import answer_to, kept, memory_of
from library.test_pinned import grown
from postgres_server import Server
from readagent.core.model import Ask, Reply
from readagent.core.plan import Plan
from readagent.library import Library
from readagent.library.corpus_rows import Entry, Spending
from readagent.library.jobs import JobReport
from readagent.library.postgres import PostgresDatabase
from readagent.library.postgres_schema import Connection
from readagent.library.upkeep.tables import TABLES

pytestmark = pytest.mark.slow

_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_NUMBERS = {
    "reading": "readings", "question": "questions", "shelf": "shelves", "corpus": "corpora", "answer": "answers",
}  # fmt: skip
_RANDOM = ("owner", "worker", "content")  # names of processes, and what was removed, with the ids it had
_UNSYNCED = "corpus_spending"  # a crash may undo it


def written(library: Library) -> Iterator[object]:
    """Write everything that a library keeps, and yield what each call returned."""
    memories = fill_everything(library)
    yield [one.document.id for one in memories]
    yield library.unpin(memories[0], [1]).gists
    other = replace(memories[1], plan=Plan(task="Find the lamp."))
    library.start_reading(other.document.id, "other", model="m", prompts="p", plan=other.plan, window=None)
    yield library.memory(other.document.id, task="Find the lamp.")
    library.update_reading(memories[1])
    library.prefer_reading(memories[2])
    library.describe(replace(memories[2].document, title="Another title"))
    yield [row.title for row in library.documents()]
    yield from _jobs(library, memories[1].document.id)
    yield from _corpus(library, memories[1].document.id)
    library.shelves.new("short")
    library.shelves.put("short", memories[1].document.id)
    library.shelves.take_off("short", memories[1].document.id)
    library.shelves.remove("short")
    yield [row.name for row in library.shelves.all()]
    said = memory_of("Anna said that the lamp is lit at night, always.", source="conversation:talk", size=30)
    kept(library, said)
    longer = grown(said)
    library.grow(said.document.id, longer)
    yield library.successor(said.document.id)
    library.delete_conversation("talk")
    library.remove(memories[2].document.id)
    library.forget("free")
    yield library.forget_calls()
    yield library.leases is not None and library.leases.take("call")


def _jobs(library: Library, document: str) -> Iterator[object]:
    jobs = [library.jobs.new("read", document=document, request={"n": n}) for n in range(3)]
    library.jobs.keep(jobs[0].id, "done", JobReport(done=3), {"n": 1})
    library.jobs.remove([jobs[1].id])
    library.jobs.trim(0)
    yield [(job.kind, job.state, job.report) for job in library.jobs.all()]


def _corpus(library: Library, document: str) -> Iterator[object]:
    corpora = library.corpora
    corpus, other = corpora.open("logs"), corpora.open("gone")
    yield corpora.add(corpus, [Entry(f"/logs/{n}") for n in range(3)])
    worker = corpora.enlist()
    first, second = corpora.claim(corpus, worker, 2)
    yield [row.source for row in corpora.claim(corpus, "a worker that is gone", 1)]
    corpora.renew(worker)  # a server that crashes may forget leases
    yield corpora.finish(worker, first.id, document, pages=2, spent=Spending(1, 20, 0.5))
    yield corpora.fail(worker, second.id, ValueError("no"), again=False, spent=Spending(1, 20, 0.5))
    yield corpora.retry(corpus, kind="ValueError")
    corpora.remove(other)
    yield [row.name for row in corpora.all()], corpora.progress(corpus)


def contents(library: Library) -> dict[str, list[Any]]:
    """Return all rows of a library, with ids in place of which a server that crashed leaves gaps counted from 0."""
    db, ids, found = library._db, dict[str, dict[Any, int]](), dict[str, list[Any]]()
    for table in (one for one in TABLES if one.name != _UNSYNCED):
        names = table.columns.split(", ")
        rows = db.insist(partial(db.rows, f"SELECT {table.columns} FROM {table.name} ORDER BY {table.key}"))
        if names[0] == "id" and rows and isinstance(rows[0][0], int):
            ids[table.name] = {row[0]: number for number, row in enumerate(rows)}
        found[table.name] = sorted(
            (
                tuple(_plain(ids, table.name, name, value) for name, value in zip(names, row, strict=True))
                for row in rows
            ),
            key=repr,
        )
    return found


def _plain(ids: dict[str, dict[Any, int]], table: str, name: str, value: Any) -> Any:
    if name in _RANDOM:
        return value is None
    known = ids.get(table if name == "id" else _NUMBERS.get(name, ""), {})
    return known.get(value, value)


class Others:
    """Clients that write to another library of the same database, and remember what was acknowledged."""

    def __init__(self, url: str, clients: int = 2) -> None:
        self._url, self._stop, self._more = f"{url}?tenant=others", threading.Event(), threading.Condition()
        self.acknowledged: list[str] = []
        self._threads = [threading.Thread(target=self._write, args=(n,)) for n in range(clients)]

    def __enter__(self) -> Others:
        for one in self._threads:
            one.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for one in self._threads:
            one.join()

    def _write(self, client: int) -> None:
        with Library(self._url) as library:
            for number in count():
                name = f"{client} {number}"
                memory = memory_of(
                    f"Client {name} crossed the river at night, and came back in the morning.", title=name
                )
                document = kept(library, memory)
                library.put(name, "m", Ask("gist", "prompt"), Reply(name))
                library.keep_answer(document, memory.key, answer_to(), model="m")
                with self._more:
                    self.acknowledged.append(name)
                    self._more.notify_all()
                if self._stop.is_set():
                    return

    def go_on(self) -> None:
        """Return when these clients have written some more."""
        with self._more:
            enough = len(self.acknowledged) + len(self._threads)
            assert self._more.wait_for(lambda: len(self.acknowledged) >= enough, 60)

    def check(self) -> None:
        """Assert that everything acknowledged is there, once."""
        with Library(self._url) as library:
            rows = {row.title: row for row in library.documents()}
            assert sorted(rows) == sorted(self.acknowledged)
            assert {(row.state, row.questions) for row in rows.values()} == {("done", 1)}
            assert all(library.get(name) for name in self.acknowledged)
            assert library.check() == []


class Faults:
    """Kills the server at every second commit of one library, and starts it again."""

    def __init__(self, server: Server, library: Library, others: Others, moment: str, skip: int) -> None:
        assert isinstance(library._db, PostgresDatabase)
        self._server, self._others, self._moment = server, others, moment
        self._statements, self._seen, self.strikes = library._db._statements, count(skip), 0

    @contextmanager
    def striking(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        """Strike while the block runs."""
        with monkeypatch.context() as patch:
            for name in ("run", "piped"):
                patch.setattr(self._statements, name, self._struck(getattr(self._statements, name)), raising=True)
            yield

    def _struck(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def struck(connection: Connection, sent: Any, *values: Any) -> Any:
            if not _commits(connection, sent) or next(self._seen) % 2:
                return method(connection, sent, *values)
            if self._moment in ("after", "unanswered"):
                method(connection, sent, *values)
            elif self._moment == "during" and sent == "COMMIT":
                connection.pgconn.send_query(b"COMMIT")
            self.strikes += 1
            if self._moment != "unanswered":
                self._server.kill()
                self._server.start()
                self._others.go_on()
            connection.close()
            return method(connection, "SELECT 1" if isinstance(sent, str) else [("SELECT 1",)])

        return struck


def _commits(connection: Connection, sent: Any) -> bool:
    if not isinstance(sent, str):
        return bool(sent[-1] == ("COMMIT",)) and "READ ONLY" not in sent[0][0]
    alone = connection.info.transaction_status == 0 and sent.lstrip().startswith(("INSERT", "UPDATE", "DELETE"))
    return sent == "COMMIT" or alone


@pytest.mark.parametrize(
    ("moment", "skip"),
    [("before", 0), ("during", 0), ("after", 0), ("after", 1), ("unanswered", 0), ("unanswered", 1)],
)
def test_what_was_acknowledged_survives_a_kill_at_every_commit(
    own_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str, skip: int
) -> None:
    url = own_server.new_database()
    with ExitStack() as opened:
        file = opened.enter_context(Library(tmp_path, clock=lambda: _NOW))
        library = opened.enter_context(Library(url, clock=lambda: _NOW))
        expected = list(written(file))
        library.documents()
        with Others(url) as others:
            faults = Faults(own_server, library, others, moment, skip)
            with faults.striking(monkeypatch):
                assert list(written(library)) == expected
        assert faults.strikes > 30
        assert contents(library) == contents(file)
        assert library.check() == []
        others.check()
