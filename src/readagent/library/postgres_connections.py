"""Connections to a PostgreSQL server: a pool of them, and waiting for a server that is away."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from readagent.advice import missing_extra
from readagent.errors import LibraryError, UnreachableLibraryError
from readagent.library.postgres_errors import (
    LostConnectionError,
    is_read_only,
    is_temporary,
    lost,
    refused,
    unreachable,
    waiting_for,
)
from readagent.library.postgres_schema import Connection, Schema, Statements
from readagent.library.postgres_url import Place, invalid, read_only_too

try:
    import psycopg
    from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout
except ImportError as error:
    raise missing_extra("a library on PostgreSQL", "psycopg", "postgres") from error

T = TypeVar("T")

_LOGGER = logging.getLogger("readagent.library")
logging.getLogger("psycopg").addHandler(logging.NullHandler())  # it warns of every connection that breaks
FIRST_PAUSE, _LAST_PAUSE = 0.05, 2.0  # seconds between two attempts to reach a server
_TOLD_EVERY = 30.0  # seconds
_IDLE = 20.0  # seconds after which a connection that is not needed is given back, so that others can connect
_QUEUED = 2.0  # seconds in the queue for a connection after which the server is looked at


class Connections:
    """Connections to the schema of a library, which is created or migrated before the first of them is used."""

    def __init__(
        self,
        place: Place,
        schema: Schema,
        statements: Statements,
        patience: float,
        notify: Callable[[str], None] | None,
    ) -> None:
        self._place, self._schema, self._statements = place, schema, statements
        self._patience, self._notify = patience, notify
        self._pool: ConnectionPool[Connection] | None = None
        self._process = os.getpid()
        self._prepared = False
        self._opening = threading.Lock()

    @contextmanager
    def borrowed(self) -> Iterator[Connection]:
        """Lend a connection of the pool. If all are in use, wait for one."""
        pool = self._opened()
        deadline = time.monotonic() + self._patience
        while True:
            try:
                connection = pool.getconn(timeout=_QUEUED)
                break
            except PoolTimeout:
                try:  # is it the server, or only a long queue?
                    self.connect().close()
                except UnreachableLibraryError as error:
                    raise lost(self._place.name) from error
                if time.monotonic() > deadline:
                    raise lost(self._place.name) from None
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
                if not self._prepared:  # or the server was there a moment ago: `insist` waits if it is away
                    with self.connect_patiently() as connection:
                        self._schema.prepare(connection)
                    self._prepared = True
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

    def connect_patiently(self) -> Connection:
        """Connect. Wait for a server that is starting or has no free connection, but not for one that is not there.

        If none of the servers can be written, a library can still be read from one.
        """
        try:
            return self.connect()
        except _NotReadyError as error:
            if is_read_only(error.__cause__ or error):
                self._place = read_only_too(self._place)
                return self.connect()
            deadline = time.monotonic() + self._patience
            while True:
                self.await_server(error, deadline)
                with suppress(UnreachableLibraryError):  # it has ended again
                    return self.connect()

    def connect(self) -> Connection:
        """Connect without the pool."""
        try:
            connection: Connection = psycopg.connect(self._place.url, autocommit=True)
        except psycopg.OperationalError as error:
            if is_temporary(error):
                raise _NotReadyError(str(unreachable(self._place.name, error))) from error
            raise refused(error, self._place.name) from error
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
        self._statements.script(connection, settings)

    def insist(self, work: Callable[[], T]) -> T:
        """Return the result of some work. If the connection breaks, wait for the server and do the work again."""
        deadline: float | None = None
        while True:
            try:
                return work()
            except LostConnectionError as error:
                pool, deadline = self._pool, deadline or time.monotonic() + self._patience
                self.await_server(error, deadline)
                if pool is not None and pool is self._pool:  # a new one connects at once, this one only after a pause
                    self._pool = None
                    pool.close(0)

    def await_server(self, error: LibraryError, deadline: float) -> None:
        """Return when the server accepts connections; raise if it does not until then."""
        pause, tell_at = FIRST_PAUSE, time.monotonic() + 1.0
        while True:
            try:
                self.connect().close()
                return
            except LibraryError as failed:
                if time.monotonic() > deadline:
                    raise unreachable(self._place.name, failed, self._patience) from error
                waiting = waiting_for(self._place.name, failed.__cause__ or failed)
            if time.monotonic() > tell_at:
                self._tell(waiting)
                tell_at += _TOLD_EVERY
            time.sleep(pause)
            pause = min(2 * pause, _LAST_PAUSE)

    def _tell(self, message: str) -> None:
        _LOGGER.warning("%s", message)
        if self._notify is not None:
            self._notify(message)

    def close(self) -> None:
        """Close the connections. The next use opens them again."""
        pool, self._pool, self._prepared = self._pool, None, False
        if pool is not None and self._process == os.getpid():
            pool.close()


class _NotReadyError(UnreachableLibraryError):
    """A server that is starting, or that has no connection left."""
