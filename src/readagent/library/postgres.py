"""A library on a PostgreSQL server. Only the modules that begin with ``postgres_`` import psycopg.

A library is a schema: ``readagent``, or ``readagent_NAME`` for a tenant. Statements outside a transaction commit by
themselves. Transactions that write take turns by advisory locks: those about the whole library with all others, those
about a document or a source with others about the same. Each of them inserts a row: one whose COMMIT got no answer is
looked up by that row when the server is back, so that nothing is done twice and nothing lost is taken for done.
PostgreSQL's own ids of transactions cannot tell, since a server that crashed may give them out again.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any, TypeVar

from readagent.errors import LibraryError, UnreachableLibraryError
from readagent.library.database import Database, Row, Statement, TextIndex, utc_now
from readagent.library.postgres_connections import Connections
from readagent.library.postgres_errors import LostConnectionError
from readagent.library.postgres_schema import Connection, Schema, Statements
from readagent.library.postgres_url import place_of
from readagent.library.tsvector import TsVector

T = TypeVar("T")
_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_MARK = "INSERT INTO commits (id) VALUES ('{mark}')"
_MISSING = f"BEGIN; {_MARK} ON CONFLICT DO NOTHING RETURNING id"  # it waits for a transaction that has not ended
_PRUNE = (
    "DELETE FROM commits WHERE id IN (SELECT id FROM commits WHERE at < now() - interval '1 day'"
    " LIMIT 10000 FOR UPDATE SKIP LOCKED)"
)
_PRUNED_EVERY = 1000  # transactions
_TABLES = "SELECT table_name FROM information_schema.tables WHERE table_schema = ? AND table_type = 'BASE TABLE'"
_NUMBERED = "SELECT table_name FROM information_schema.columns WHERE table_schema = ? AND is_identity = 'YES'"


class PostgresDatabase(Database):
    """One schema, which is created or migrated when it is first used."""

    def __init__(
        self, url: str, *, tenant: str = "", patience: float = 1200.0, notify: Callable[[str], None] | None = None
    ) -> None:
        self._place = place_of(url, tenant)
        self.name = self._place.name
        self.index: TextIndex = TsVector(self)
        self.json_list = "(SELECT jsonb_array_elements_text(CAST(? AS JSONB)))"
        self.skip_locked = "FOR UPDATE SKIP LOCKED"
        self.unsynced = "set_config('synchronous_commit', 'off', true) = 'off'"
        self.epoch = "CAST(extract(epoch FROM clock_timestamp()) AS FLOAT8)"
        self.now: Callable[[], str] = utc_now
        self._patience = patience
        self._statements = Statements(self.name)
        self._schema = Schema(self._place, self._statements)
        self._connections = Connections(self._place, self._schema, self._statements, patience, notify)
        self._here = threading.local()  # the connection of this thread's transaction
        self._begun = count()  # transactions that write

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()

    # Statements

    def last_id(self, table: str) -> str:
        """Return an expression; lastval() would be that of the row which is inserted with it."""
        return f"currval(pg_get_serial_sequence('{table}', 'id'))"

    def rows(self, sql: str, *values: Any) -> list[Row]:
        with self._connection() as connection:
            return self._statements.run(connection, sql, *values)

    def many(self, sql: str, values: Iterable[Row]) -> None:
        with self._connection() as connection:
            self._statements.many(connection, sql, values)

    def batch(self, statements: Sequence[Statement], *about: str | bytes, write: bool = True) -> list[list[Row]]:
        if getattr(self._here, "connection", None) is not None:
            with self._connection() as connection:
                return self._statements.piped(connection, statements)
        begin: list[Statement] = [("BEGIN",), self._turn(about)] if write else [(_SNAPSHOT,)]
        with self._connections.borrowed() as connection:
            try:
                return self._statements.piped(connection, [*begin, *statements, ("COMMIT",)])[len(begin) : -1]
            except BaseException:
                self._statements.undo(connection)
                raise

    @contextmanager
    def transaction(self, *about: str | bytes, write: bool = True) -> Iterator[None]:
        # One that reads may be within another one, and is a part of it.
        if not write and getattr(self._here, "connection", None) is not None:
            yield
            return
        with self._connections.borrowed() as connection:
            self._here.connection = connection
            try:
                mark = self._begin(connection, about, write)
                yield
                self._commit(connection, mark)
            except BaseException:
                self._statements.undo(connection)
                raise
            finally:
                self._here.connection = None

    def _begin(self, connection: Connection, about: tuple[str | bytes, ...], write: bool) -> str:
        """Begin a transaction, wait for its turn, and return its mark; one trip to the server."""
        if not write:
            self._statements.run(connection, _SNAPSHOT)
            return ""
        waiting, *locks = self._turn(about)
        for number in locks:
            waiting = waiting.replace("?", str(number), 1)
        mark = str(uuid.uuid4())
        prune = f"; {_PRUNE}" if next(self._begun) % _PRUNED_EVERY == 0 else ""
        self._statements.script(connection, f"BEGIN; {waiting}; {_MARK.format(mark=mark)}{prune}")
        return mark

    def _turn(self, about: tuple[str | bytes, ...]) -> Statement:
        """Return the statement that waits for the turn of a transaction that writes."""
        first = "pg_advisory_xact_lock_shared(?)" if about else "pg_advisory_xact_lock(?)"
        locks = sorted({self._schema.lock(one) for one in about})
        waiting = ", ".join([first, *("pg_advisory_xact_lock(?)" for _ in locks)])
        return f"SELECT {waiting}", self._schema.lock(""), *locks

    def _commit(self, connection: Connection, mark: str) -> None:
        try:
            self._statements.run(connection, "COMMIT")
        except LostConnectionError as error:
            if not mark or not self._was_committed(mark, error):
                raise

    def _was_committed(self, mark: str, error: LibraryError) -> bool:
        """Return whether a transaction was committed, although no answer said so. Wait for the server."""
        deadline = time.monotonic() + self._patience
        while True:
            self._connections.await_server(error, deadline)
            with suppress(UnreachableLibraryError), self._connections.connect() as connection:
                missing = self._statements.script(connection, _MISSING.format(mark=mark))
                self._statements.undo(connection)
                return not missing

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        """Return the connection of the transaction in this thread, or borrow one."""
        current = getattr(self._here, "connection", None)
        if current is not None:
            yield current
            return
        with self._connections.borrowed() as connection:
            yield connection

    def insist(self, work: Callable[[], T]) -> T:
        if getattr(self._here, "connection", None) is not None:
            return work()  # the whole transaction is done again
        return self._connections.insist(work)

    # About the whole library

    def exists(self) -> bool:
        with self._connections.connect_patiently() as connection:
            return self._schema.version(connection) > 0

    def version(self) -> int:
        with self._connection() as connection:
            return self._schema.version(connection)

    def size(self) -> int:
        sizes = "sum(pg_total_relation_size(CAST(quote_ident(table_name) AS regclass)))"
        return int(self.rows(f"SELECT CAST({sizes} AS BIGINT) FROM ({_TABLES}) AS tables", self._place.schema)[0][0])

    def unused(self) -> int:
        return 0  # the server reuses the space of removed rows by itself

    def compact(self) -> None:
        """Make the space of removed rows free, and renew what the planner knows about the tables."""
        for (table,) in self.rows(_TABLES, self._place.schema):
            self.rows(f'VACUUM (ANALYZE) "{table}"')

    def renumber(self) -> None:
        with self.transaction():
            for (table,) in self.rows(_NUMBERED, self._place.schema):
                self.rows(
                    "SELECT setval(pg_get_serial_sequence(?, 'id'), coalesce(max(id), 1), max(id) IS NOT NULL)"
                    f' FROM "{table}"',
                    f'"{table}"',
                )

    def keep_ids(self, table: str, last: int) -> None:
        sequence = "CAST(pg_get_serial_sequence(?, 'id') AS REGCLASS)"
        self.rows(f"SELECT setval({sequence}, greatest(nextval({sequence}), ?))", table, table, last)

    def faults(self) -> Iterator[str]:
        """Yield what a copy leaves that was interrupted; the server checks its pages itself."""
        for (table,) in self.rows(_NUMBERED, self._place.schema):
            last = "pg_sequence_last_value(CAST(pg_get_serial_sequence(?, 'id') AS REGCLASS))"
            if self.rows(f'SELECT coalesce(max(id), 0) > coalesce({last}, 0) FROM "{table}"', f'"{table}"')[0][0]:
                yield f"new rows of {table} would get ids that are in use"

    def close(self) -> None:
        self._connections.close()
