"""SQL statements on a connection to PostgreSQL, written in the dialect that SQLite shares."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from typing import Any

from readagent.extras import missing_extra
from readagent.library.database import Row, Statement
from readagent.library.postgres_errors import translated

try:
    import psycopg
except ImportError as error:
    raise missing_extra("a library on PostgreSQL", "psycopg", "postgres") from error

Connection = psycopg.Connection[Row]

ROW_ID = "ctid"
_FEW = 20  # rows that are inserted one by one; more are sent with COPY
_PLAIN_INSERT = re.compile(r'INSERT INTO (\w+) \(([\w, ]+)\) VALUES \((?:\?|CAST\(\? AS [\w."]+\)|, )+\)')


class Statements:
    """Runs statements, and raises our errors in place of psycopg's. ``name`` is what the errors call the library."""

    def __init__(self, name: str) -> None:
        self._name = name

    def run(self, connection: Connection, sql: str, *values: Any) -> list[Row]:
        """Run one statement and return its rows."""
        with self._translating(connection), connection.cursor(binary=ROW_ID not in sql) as cursor:
            cursor.execute(_translated(sql), tuple(map(_storable, values)))
            return cursor.fetchall() if cursor.description is not None else []

    def many(self, connection: Connection, sql: str, values: Iterable[Row]) -> None:
        """Run one statement for each of the values."""
        rows = [tuple(map(_storable, one)) for one in values]
        plain = _PLAIN_INSERT.fullmatch(sql) if len(rows) > _FEW else None
        with self._translating(connection), connection.cursor() as cursor:
            if plain is None:
                cursor.executemany(_translated(sql), rows)
                return
            with cursor.copy(f"COPY {plain[1]} ({plain[2]}) FROM STDIN".encode()) as copy:
                for row in rows:
                    copy.write_row(row)

    def piped(self, connection: Connection, statements: Sequence[Statement]) -> list[list[Row]]:
        """Send all statements, then wait for their rows."""
        with self._translating(connection), ExitStack() as opened:
            cursors = [opened.enter_context(connection.cursor(binary=True)) for _ in statements]
            with connection.pipeline():
                for cursor, (sql, *values) in zip(cursors, statements, strict=True):
                    cursor.execute(_translated(sql), tuple(map(_storable, values)))
            return [cursor.fetchall() if cursor.description is not None else [] for cursor in cursors]

    def script(self, connection: Connection, sql: str) -> list[Row]:
        """Run several statements in one trip to the server, and return the rows of the last one."""
        with self._translating(connection), connection.cursor() as cursor:
            cursor.execute(sql.encode())
            while cursor.nextset():
                pass
            return cursor.fetchall() if cursor.description is not None else []

    def undo(self, connection: Connection) -> None:
        """Roll a transaction back after an error, which is the one to report."""
        with suppress(psycopg.Error):
            connection.rollback()

    @contextmanager
    def _translating(self, connection: Connection) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise translated(error, self._name, broken=connection.closed) from error


@lru_cache(maxsize=1024)
def _translated(sql: str) -> bytes:
    """Return a statement in PostgreSQL's dialect, with psycopg's marks for values."""
    return sql.replace("%", "%%").replace("x''", "''::bytea").replace("?", "%s").encode()


def _storable(value: Any) -> Any:
    """Return a value that PostgreSQL accepts. A text with NUL or half a character is in no column: nothing has it."""
    if isinstance(value, str) and not (value.isascii() and "\0" not in value):
        return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    return value
