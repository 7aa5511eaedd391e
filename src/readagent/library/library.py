"""Library: documents, readings, answers and cached replies, in an SQLite file or on a PostgreSQL server.

Whatever is killed, the process or the server, what was stored stays stored.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from readagent.core.trace import Listener, ignore
from readagent.errors import UsageError
from readagent.library import answers as _answers
from readagent.library import beside, calls, card_vectors, page_rows, sources
from readagent.library import conversations as _conversations
from readagent.library import documents as _documents
from readagent.library import grow as _grow
from readagent.library import pinned as _pinned
from readagent.library import readings as _readings
from readagent.library.corpora import Corpora
from readagent.library.database import Database, bound, insisting, utc_now
from readagent.library.jobs import Jobs
from readagent.library.leases import Leases
from readagent.library.load import load
from readagent.library.postgres_url import is_database_url
from readagent.library.search import count as _count
from readagent.library.search import search as _search
from readagent.library.shelves import Shelves
from readagent.library.sqlite import MEMORY, SQLiteDatabase
from readagent.library.upkeep import trash as _trash
from readagent.library.upkeep.check import lines, problems
from readagent.library.upkeep.info import LibraryInfo, backup, info
from readagent.library.upkeep.repair import Repair, repair, repair_rows
from readagent.library.upkeep.transfer import Copy, transfer

FILE_NAME = "library.db"


def _on_server(url: str, tenant: str, patience: float, notify: Callable[[str], None]) -> Database:
    from readagent.library.postgres import PostgresDatabase  # needs an extra

    return PostgresDatabase(url, tenant=tenant, patience=patience, notify=notify)


@insisting
class Library:
    """A library in a folder (as ``library.db``), in the file given if its name ends in ``.db``, or in memory.

    The URL of a database, ``postgresql://user@host/name``, is a library on a PostgreSQL server, which many machines can
    share; that needs the extra ``postgres``. If the connection breaks, it waits up to ``patience`` seconds for the
    server, goes on where it was, and calls ``on_wait``, if set, with a sentence that says so. ``tenant`` names a
    separate library in the same database.

    It opens when it is first used, and again if it is used after ``close``. Threads may share it, and so may processes.
    ``location`` says where it is, without a password. ``shelves`` are groups of documents that are asked together, and
    ``jobs`` the work of ``readagent serve``. ``corpora`` are sets of sources that many workers read. ``leases`` let
    processes share calls; a library in memory has none.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        tenant: str = "",
        busy_timeout: float = 30.0,
        patience: float = 1200.0,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        self.on_wait: Callable[[str], None] | None = None
        self.path: Path | None
        self._db: Database
        if is_database_url(path):
            self.path = None
            self._db = _on_server(str(path), tenant, patience, self._waiting)
        elif tenant:
            raise UsageError(
                "only a library on PostgreSQL has tenants", hint="for example postgresql://user@host/name?tenant=legal"
            )
        else:
            given = Path(path)
            self.path = given if given.suffix == ".db" or given == MEMORY else given / FILE_NAME
            self._db = SQLiteDatabase(self.path, busy_timeout=busy_timeout)
        if clock is not None:
            self._db.now = partial(utc_now, clock)
        self.location = self._db.name
        self.shelves = Shelves(self._db)
        self.leases = None if self.path == MEMORY else Leases(self._db)
        self.jobs = Jobs(self._db, self.leases)
        self.corpora = Corpora(self._db, self.leases, self.shelves)

    def __repr__(self) -> str:
        return "<Library in memory>" if self.path == MEMORY else f"<Library {self.location!r}>"

    def _waiting(self, message: str) -> None:
        if self.on_wait is not None:
            self.on_wait(message)

    @classmethod
    def in_memory(cls, *, clock: Callable[[], datetime] | None = None) -> Self:
        """Return an empty library that writes no file and is discarded when it is closed or no longer referenced."""
        return cls(MEMORY, clock=clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file or the connections; a library in memory is discarded."""
        self._db.close()

    def size(self) -> int:
        """Return the bytes on disk."""
        return self._db.size()

    def exists(self) -> bool:
        """Return whether there is a library at this place; it is created when it is first used."""
        return self._db.exists()

    def check_format(self) -> None:
        """Raise LibraryError if there is a library that cannot be opened: newer, damaged or of another program."""
        if self.exists():
            self._db.version()

    # Upkeep

    def info(self) -> LibraryInfo:
        """Return how many things of each kind the library holds, and the space that they take."""
        return info(self._db, self.size())

    def check(self) -> list[str]:
        """Return what is damaged, a line for each kind of problem; an empty list if everything is intact."""
        return lines(problems(self._db))

    def backup(self, path: str | Path, *, force: bool = False) -> int:
        """Write a copy of the library as it is now to a file, and return its size in bytes.

        Other processes may go on reading and writing. A file that exists is replaced with ``force`` only.
        """
        if isinstance(self._db, SQLiteDatabase):
            return backup(self._db, Path(path), force=force)
        to_file = f"copy it to a file: readagent library copy {self.location} FILE.db"
        raise UsageError(
            "a library on PostgreSQL is not a file that ReadAgent can back up",
            hint=f"use pg_dump or the backups of the server; or {to_file}",
        )

    def copy_to(self, target: Library, *, on_progress: Listener = ignore) -> Copy:
        """Copy everything to another library, on SQLite or PostgreSQL, and compare both: rows and hashes.

        The target may be empty, or hold a part of the same things: a copy that was interrupted is continued. One that
        holds anything else is left alone, and the error says so. ``on_progress`` is called after every batch of rows.
        """
        same = self.path is not None and target.path is not None and self.path.resolve() == target.path.resolve()
        if target.location == self.location or (same and self.path != MEMORY):
            raise UsageError(f"{self.location} cannot be copied to itself", hint="give another place for the copy")
        return transfer(self._db, target._db, on_progress)

    def repair(self) -> Repair:
        """Replace a damaged library by a new one with everything that can still be read; the old file is kept.

        No other process may use the library meanwhile. On PostgreSQL, rows that do not fit to each other are mended
        where they are, while others wait; what is damaged otherwise needs a backup of the database.
        """
        if self.path is None:
            return self._db.insist(lambda: repair_rows(self._db))
        self.close()
        return repair(self.path)

    def compact(self) -> int:
        """Rewrite the file without unused space, and return how many bytes that freed.

        On PostgreSQL the space of what was removed becomes free for new rows.
        """
        before = self.size()
        self._db.compact()
        return before - self.size()

    # What is stored, each by the function that stores it

    get = bound(calls.get)
    put = bound(calls.put)
    forget = bound(calls.forget)
    prompt = bound(calls.prompt)
    forget_calls = bound(calls.forget_all)
    facts = bound(calls.facts)
    keep_facts = bound(calls.keep_facts)

    add = bound(_documents.add)
    describe = bound(_documents.describe)
    document = bound(load)
    documents = bound(_documents.listed)
    row = bound(_documents.row)
    mark = bound(_documents.mark)
    find_document = bound(_documents.find)
    remove = bound(_trash.remove_document)
    remove_answer = bound(_trash.remove_answer)
    trash = bound(_trash.listed)
    restore = bound(_trash.restore)
    empty_trash = bound(_trash.empty)
    expire_trash = bound(_trash.expire)
    newest_at = bound(sources.newest)
    version = bound(sources.version)
    document_in_file = bound(sources.document_in)
    keep_file = bound(sources.keep)

    conversations = bound(_conversations.listed)
    delete_conversation = bound(_conversations.delete)
    forget_turn = bound(_conversations.forget_turn)

    start_reading = bound(_readings.start)
    settle_reading = bound(_readings.settle)
    stop_reading = bound(_readings.stop)
    finish_reading = bound(_readings.finish)
    update_reading = bound(_readings.update)
    prefer_reading = bound(_readings.prefer)
    memory = bound(_readings.memory_of)
    plans = bound(_readings.plans)
    readings = bound(_readings.of_document)
    read_beginning = bound(_grow.read_beginning)
    beginning = bound(_grow.beginning)
    grow = bound(_grow.grow)
    successor = bound(_grow.successor)
    levels = bound(page_rows.of)
    keep_levels = bound(page_rows.keep)

    pinned = bound(_pinned.of)
    pin = bound(_pinned.pin)
    unpin = bound(_pinned.unpin)

    keep_answer = bound(_answers.keep)
    answers = bound(_answers.kept_answers)
    answers_to = bound(_answers.answers_to)
    kept_answer = bound(_answers.kept_answer)
    answer_ids = bound(_answers.ids)
    annotate = bound(_answers.annotate)
    notes = bound(_answers.notes)
    answer = bound(_answers.answer_with_document)

    keep_original = bound(beside.keep_original)
    original = bound(beside.original)
    has_original = bound(beside.has_original)
    highlight = bound(beside.highlight)
    unhighlight = bound(beside.unhighlight)
    highlights = bound(beside.highlights)

    search = bound(_search)
    count_found = bound(_count)

    vectors = bound(card_vectors.kept)
    keep_vectors = bound(card_vectors.keep_vectors)
