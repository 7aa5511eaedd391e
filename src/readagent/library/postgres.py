"""PostgreSQL: a pool of connections to a server. No other module imports psycopg.

A library is a schema: ``readagent``, or ``readagent_NAME`` for a tenant. Statements outside a transaction commit by
themselves. Transactions that write take turns by advisory locks: those about the whole library with all others, those
about a document or a source with others about the same. A transaction whose commit got no answer is looked up by its id
when the server is back, so that nothing is done twice.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from typing import Any, TypeVar

from readagent.errors import LibraryError, NewerLibraryError
from readagent.extras import missing_extra
from readagent.library.database import Row, Statement
from readagent.library.errors import full
from readagent.library.pgvector import PgVector, installed
from readagent.library.postgres_errors import (
    OLDEST,
    LostConnectionError,
    forbidden,
    is_read_only,
    is_temporary,
    lost,
    no_shared_cache,
    refused,
    too_old,
    translated,
    unreachable,
    waiting_for,
    wrong_encoding,
)
from readagent.library.postgres_url import invalid, place_of, read_only_too
from readagent.library.tsvector import TsVector

try:
    import psycopg
    from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout
except ImportError as error:
    raise missing_extra("a library on PostgreSQL", "psycopg", "postgres") from error

T = TypeVar("T")
Connection = psycopg.Connection[Row]

_LOGGER = logging.getLogger("readagent.library")
logging.getLogger("psycopg").addHandler(logging.NullHandler())  # it warns of every connection that breaks
_FIRST_PAUSE, _LAST_PAUSE = 0.05, 2.0  # seconds between two attempts to reach a server
_TOLD_EVERY = 30.0  # seconds
_IDLE = 20.0  # seconds after which a connection that is not needed is given back, so that others can connect
_QUEUED = 2.0  # seconds in the queue for a connection after which the server is looked at
_FEW = 20  # rows that are inserted one by one; more are sent with COPY
_PLAIN_INSERT = re.compile(r'INSERT INTO (\w+) \(([\w, ]+)\) VALUES \((?:\?|CAST\(\? AS [\w."]+\)|, )+\)')
_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_TABLES = "SELECT table_name FROM information_schema.tables WHERE table_schema = ? AND table_type = 'BASE TABLE'"
_NUMBERED = "SELECT table_name FROM information_schema.columns WHERE table_schema = ? AND is_identity = 'YES'"
_USABLE = """
SELECT coalesce(bool_and(has_schema_privilege(pg_namespace.oid, 'USAGE') AND has_table_privilege(pg_class.oid, 'SELECT')
    AND has_table_privilege(pg_class.oid, 'INSERT') AND has_table_privilege(pg_class.oid, 'DELETE')), false)
FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = ? AND relname = 'calls'
"""


class PostgresDatabase:
    """Connections to one schema, which is created or migrated when it is first used."""

    def __init__(
        self, url: str, *, tenant: str = "", patience: float = 1200.0, notify: Callable[[str], None] | None = None
    ) -> None:
        self._place = place_of(url, tenant)
        self.name = self._place.name
        self.index = TsVector(self)
        self.row_id = "ctid"
        self.json_list = "(SELECT jsonb_array_elements_text(CAST(? AS JSONB)))"
        self.skip_locked = "FOR UPDATE SKIP LOCKED"
        self.unsynced = "set_config('synchronous_commit', 'off', true) = 'off'"
        self.shared_calls = f'"{self._place.shared}".calls' if self._place.shared else ""
        self._patience, self._notify = patience, notify
        self._pool: ConnectionPool[Connection] | None = None
        self._process = os.getpid()
        self._ahead = 0.0  # seconds by which the server's clock is ahead of ours
        self._opening = threading.Lock()
        self._here = threading.local()  # the connection of this thread's transaction

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()

    @cached_property
    def vector_index(self) -> PgVector | None:
        """The extension pgvector, if it was installed when this was first asked for."""
        return installed(self)

    # Statements

    def last_id(self, table: str) -> str:
        """Return an expression; lastval() would be that of the row which is inserted with it."""
        return f"currval(pg_get_serial_sequence('{table}', 'id'))"

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """Run one statement and return its rows; outside a transaction it is committed when this returns."""
        with self._connection() as connection:
            return self._run(connection, sql, values)

    def row(self, sql: str, *values: Any) -> Row | None:
        """Return the first row, or None."""
        return next(iter(self.rows(sql, *values)), None)

    def many(self, sql: str, values: Iterable[Row]) -> None:
        """Run one statement for each of the values. Call it in a transaction."""
        rows = [tuple(map(_storable, one)) for one in values]
        plain = _PLAIN_INSERT.fullmatch(sql) if len(rows) > _FEW else None
        with self._connection() as connection, self._translating(connection), connection.cursor() as cursor:
            if plain is None:
                cursor.executemany(_translated(sql), rows)
                return
            with cursor.copy(f"COPY {plain[1]} ({plain[2]}) FROM STDIN".encode()) as copy:
                for row in rows:
                    copy.write_row(row)

    def batch(self, statements: Sequence[Statement], *about: str | bytes, write: bool = True) -> list[list[Row]]:
        """Run statements in one trip to the server, outside a transaction as one, and return the rows of each."""
        if getattr(self._here, "connection", None) is not None:
            with self._connection() as connection:
                return self._piped(connection, statements)
        begin: list[Statement] = [("BEGIN",), self._turn(about)] if write else [(_SNAPSHOT,)]
        with self._borrowed() as connection:
            try:
                return self._piped(connection, [*begin, *statements, ("COMMIT",)])[len(begin) : -1]
            except BaseException:
                with suppress(psycopg.Error):  # the first error is the one to report
                    connection.rollback()
                raise

    def _piped(self, connection: Connection, statements: Sequence[Statement]) -> list[list[Row]]:
        """Send all statements, then wait for their rows."""
        with self._translating(connection), ExitStack() as opened:
            cursors = [opened.enter_context(connection.cursor(binary=True)) for _ in statements]
            with connection.pipeline():
                for cursor, (sql, *values) in zip(cursors, statements, strict=True):
                    cursor.execute(_translated(sql), tuple(map(_storable, values)))
            return [cursor.fetchall() if cursor.description is not None else [] for cursor in cursors]

    def _run(self, connection: Connection, sql: str, values: tuple[Any, ...]) -> list[Row]:
        with self._translating(connection), connection.cursor(binary=self.row_id not in sql) as cursor:
            cursor.execute(_translated(sql), tuple(map(_storable, values)))
            return cursor.fetchall() if cursor.description is not None else []

    def _script(self, connection: Connection, sql: str) -> list[Row]:
        """Run several statements in one trip to the server, and return the rows of the last one."""
        with self._translating(connection), connection.cursor() as cursor:
            cursor.execute(sql.encode())
            while cursor.nextset():
                pass
            return cursor.fetchall() if cursor.description is not None else []

    @contextmanager
    def transaction(self, *about: str | bytes, write: bool = True) -> Iterator[None]:
        """Commit everything in the block, or nothing; with ``write=False``, read from one snapshot.

        A transaction that reads may be within another one, and is a part of it.
        """
        if not write and getattr(self._here, "connection", None) is not None:
            yield
            return
        with self._borrowed() as connection:
            self._here.connection = connection
            try:
                number = self._begin(connection, about, write)
                yield
                self._commit(connection, number)
            except BaseException:
                with suppress(psycopg.Error):  # the first error is the one to report
                    connection.rollback()
                raise
            finally:
                self._here.connection = None

    def _begin(self, connection: Connection, about: tuple[str | bytes, ...], write: bool) -> str:
        """Begin a transaction, wait for its turn, and return its number; one trip to the server."""
        if not write:
            self._run(connection, _SNAPSHOT, ())
            return ""
        waiting, *locks = self._turn(about)
        for number in locks:
            waiting = waiting.replace("?", str(number), 1)
        return str(self._script(connection, f"BEGIN; {waiting}; SELECT pg_current_xact_id()::text")[0][0])

    def _turn(self, about: tuple[str | bytes, ...]) -> Statement:
        """Return the statement that waits for the turn of a transaction that writes."""
        first = "pg_advisory_xact_lock_shared(?)" if about else "pg_advisory_xact_lock(?)"
        locks = sorted({self._lock(one) for one in about})
        waiting = ", ".join([first, *("pg_advisory_xact_lock(?)" for _ in locks)])
        return f"SELECT {waiting}", self._lock(""), *locks

    def _lock(self, about: str | bytes) -> int:
        """Return the number of the lock for something in this library."""
        named = about if isinstance(about, bytes) else about.encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(self._place.schema.encode() + b"\0" + named).digest()
        return int.from_bytes(digest[:8], "big", signed=True)

    def _commit(self, connection: Connection, number: str) -> None:
        try:
            self._run(connection, "COMMIT", ())
        except LostConnectionError:
            if not number or not self._was_committed(number):
                raise

    def _was_committed(self, number: str) -> bool:
        """Return whether a transaction was committed, although no answer said so. Wait for the server."""
        deadline = time.monotonic() + self._patience
        while True:
            self._await_server(lost(self.name), deadline)
            try:
                with self._connect() as connection:
                    (state,) = self._run(connection, "SELECT pg_xact_status(CAST(? AS XID8))", (number,))[0]
            except LostConnectionError:
                continue
            except LibraryError:  # the server that took over does not know it
                return False
            if state != "in progress":
                return bool(state == "committed")
            time.sleep(_FIRST_PAUSE)

    # Connections

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        """Return the connection of the transaction in this thread, or borrow one."""
        current = getattr(self._here, "connection", None)
        if current is not None:
            yield current
            return
        with self._borrowed() as connection:
            yield connection

    @contextmanager
    def _borrowed(self) -> Iterator[Connection]:
        pool = self._opened()
        deadline = time.monotonic() + self._patience
        while True:
            try:
                connection = pool.getconn(timeout=_QUEUED)
                break
            except PoolTimeout:
                with suppress(_NotReadyError), self._connect():  # is it the server, or only a long queue?
                    pass
                if time.monotonic() > deadline:
                    raise lost(self.name) from None
            except PoolClosed:
                pool = self._opened()
        try:
            yield connection
        finally:
            pool.putconn(connection)

    def _opened(self) -> ConnectionPool[Connection]:
        """Return the pool; at first use, and in a process that was forked, open it."""
        pool = self._pool
        if pool is not None and self._process == os.getpid():
            return pool
        with self._opening:
            if self._pool is None or self._process != os.getpid():
                self._process = os.getpid()
                with self._connect_patiently() as connection:
                    self._prepare(connection)
                self._pool = ConnectionPool(
                    self._place.url,
                    kwargs={"autocommit": True},
                    min_size=1,
                    max_size=self._place.connections,
                    max_idle=_IDLE,
                    configure=self._configure,
                    timeout=_QUEUED,
                    reconnect_timeout=_TOLD_EVERY,
                    name="readagent-library",
                    open=True,
                )
            return self._pool

    def _connect_patiently(self) -> Connection:
        """Connect. Wait for a server that is starting or has no free connection, but not for one that is not there.

        If none of the servers can be written, a library can still be read from one.
        """
        try:
            return self._connect()
        except _NotReadyError as error:
            if is_read_only(error.__cause__ or error):
                self._place = read_only_too(self._place)
                return self._connect()
            self._await_server(error, time.monotonic() + self._patience)
            return self._connect()

    def _connect(self) -> Connection:
        """Connect without the pool."""
        try:
            connection: Connection = psycopg.connect(self._place.url, autocommit=True)
        except psycopg.OperationalError as error:
            if is_temporary(error):
                raise _NotReadyError(str(unreachable(self.name, error))) from error
            raise refused(error, self.name) from error
        except (psycopg.Error, UnicodeError):
            known = {option.keyword.decode() for option in psycopg.pq.Conninfo.get_defaults()}
            raise invalid(self._place, known) from None  # the message may quote a part of the password
        try:
            self._configure(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _configure(self, connection: Connection) -> None:
        """Let a connection use the schema of this library. Plans are not compiled: every statement is short."""
        settings = f'SET search_path TO "{self._place.schema}"; SET jit TO off; SET client_encoding TO utf8'
        self._script(connection, settings)

    def _prepare(self, connection: Connection) -> None:
        """Check the server, and create or migrate the library."""
        version = connection.info.server_version // 10_000
        if version < OLDEST:
            raise too_old(self.name, version)
        encoding = connection.info.parameter_status("server_encoding")
        if encoding and encoding != "UTF8":
            raise wrong_encoding(self.name, encoding)
        before = time.time()
        (seconds,) = self._run(connection, "SELECT CAST(extract(epoch FROM clock_timestamp()) AS FLOAT8)", ())[0]
        self._ahead = seconds - (before + time.time()) / 2
        if self._version(connection) < len(steps()):
            self._migrate(connection)
        if self.shared_calls and not self._run(connection, _USABLE, (self._place.shared,))[0][0]:
            raise no_shared_cache(self.name)

    def _version(self, connection: Connection) -> int:
        """Return how many steps were applied; raise if a newer version of this program has applied more."""
        if self._run(connection, "SELECT to_regclass('library_format')", ())[0][0] is None:
            return 0
        version = int(self._run(connection, "SELECT max(version) FROM library_format", ())[0][0] or 0)
        if version > len(steps()):
            raise NewerLibraryError(
                f"{self.name} was written by a newer version of readagent"
                f" (format {version}; this version knows up to {len(steps())})",
                hint="upgrade readagent; nothing was changed",
            )
        return version

    def _migrate(self, connection: Connection) -> None:
        """Apply the steps that the library lacks, all or none. Several processes may try at once: they take turns."""
        schema = self._place.schema
        try:
            self._script(connection, f"BEGIN; SELECT pg_advisory_xact_lock({self._lock('migration')})")
            known = "SELECT has_schema_privilege(nspname, 'USAGE') FROM pg_namespace WHERE nspname = ?"
            allowed = self._run(connection, known, (schema,))
            if not allowed:
                self._run(connection, f'CREATE SCHEMA "{schema}"', ())
            elif not allowed[0][0]:
                raise forbidden(self.name)
            version = self._version(connection)
            if not version:
                self._run(connection, "CREATE TABLE IF NOT EXISTS library_format (version INTEGER PRIMARY KEY)", ())
            for number, script in enumerate(steps()[version:], version + 1):
                self._script(connection, script)
                self._run(connection, "INSERT INTO library_format (version) VALUES (?)", (number,))
            self._run(connection, "COMMIT", ())
        except BaseException:
            with suppress(psycopg.Error):
                connection.rollback()
            raise

    # When the server is away

    def insist(self, work: Callable[[], T]) -> T:
        """Return the result of some work. If the connection breaks, wait for the server and do the work again."""
        if getattr(self._here, "connection", None) is not None:
            return work()  # the whole transaction is done again
        deadline: float | None = None
        while True:
            try:
                return work()
            except LostConnectionError as error:
                deadline = deadline or time.monotonic() + self._patience
                self._await_server(error, deadline)
                if self._pool is not None:
                    self._pool.check()

    def _await_server(self, error: LibraryError, deadline: float) -> None:
        """Return when the server accepts connections; raise if it does not until then."""
        pause, tell_at = _FIRST_PAUSE, time.monotonic() + 1.0
        while True:
            try:
                self._connect().close()
                return
            except LibraryError as failed:
                if time.monotonic() > deadline:
                    raise unreachable(self.name, failed, self._patience) from error
                waiting = waiting_for(self.name, failed.__cause__ or failed)
            if time.monotonic() > tell_at:
                self._tell(waiting)
                tell_at += _TOLD_EVERY
            time.sleep(pause)
            pause = min(2 * pause, _LAST_PAUSE)

    def _tell(self, message: str) -> None:
        _LOGGER.warning("%s", message)
        if self._notify is not None:
            self._notify(message)

    @contextmanager
    def _translating(self, connection: Connection) -> Iterator[None]:
        """Raise our errors in place of psycopg's."""
        try:
            yield
        except psycopg.Error as error:
            raise translated(error, self.name, broken=connection.closed) from error

    def with_reserve(self) -> AbstractContextManager[None]:
        """Raise: the disk is the server's, and nothing is reserved on it."""
        raise full(self.name)

    # About the whole library

    def clock(self) -> float:
        """Return the time on the server, in seconds."""
        self._opened()
        return time.time() + self._ahead

    def exists(self) -> bool:
        """Return whether the schema has a library."""
        with self._connect_patiently() as connection:
            return self._version(connection) > 0

    def version(self) -> int:
        with self._connection() as connection:
            return self._version(connection)

    def size(self) -> int:
        """Return the bytes of all tables and indexes."""
        sizes = "sum(pg_total_relation_size(CAST(quote_ident(table_name) AS regclass)))"
        return int(self.rows(f"SELECT CAST({sizes} AS BIGINT) FROM ({_TABLES}) AS tables", self._place.schema)[0][0])

    def unused(self) -> int:
        return 0  # the server reuses the space of removed rows by itself

    def compact(self) -> None:
        """Make the space of removed rows free, and renew what the planner knows about the tables."""
        for (table,) in self.rows(_TABLES, self._place.schema):
            self.rows(f'VACUUM (ANALYZE) "{table}"')

    def renumber(self) -> None:
        """Let new rows get ids after those of rows that were inserted with an id."""
        with self.transaction():
            for (table,) in self.rows(_NUMBERED, self._place.schema):
                self.rows(
                    "SELECT setval(pg_get_serial_sequence(?, 'id'), coalesce(max(id), 1), max(id) IS NOT NULL)"
                    f' FROM "{table}"',
                    f'"{table}"',
                )

    def faults(self) -> Iterator[str]:
        """Yield nothing: the server checks pages and references itself."""
        yield from ()

    def close(self) -> None:
        """Close the connections. The next use opens them again."""
        pool, self._pool = self._pool, None
        if pool is not None and self._process == os.getpid():
            pool.close()


class _NotReadyError(LibraryError):
    """A server that is starting, or that has no connection left."""


@cache
def steps() -> tuple[str, ...]:
    """Return the SQL of every step, in order."""
    folder = files("readagent.library") / "sql" / "postgres"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return tuple((folder / name).read_text(encoding="utf-8") for name in names)


@lru_cache(maxsize=1024)
def _translated(sql: str) -> bytes:
    """Return a statement in PostgreSQL's dialect, with psycopg's marks for values."""
    return sql.replace("%", "%%").replace("x''", "''::bytea").replace("?", "%s").encode()


def _storable(value: Any) -> Any:
    """Return a value that PostgreSQL accepts. A text with NUL or half a character is in no column: nothing has it."""
    if isinstance(value, str) and not (value.isascii() and "\0" not in value):
        return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    return value
