"""The schema of a library on PostgreSQL, and statements in the dialect that SQLite shares."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache, partial
from typing import Any

from readagent.advice import missing_extra
from readagent.library import migrate
from readagent.library.database import Row, Statement
from readagent.library.postgres_errors import OLDEST, forbidden, too_old, translated, wrong_encoding
from readagent.library.postgres_url import Place

try:
    import psycopg
except ImportError as error:
    raise missing_extra("a library on PostgreSQL", "psycopg", "postgres") from error

Connection = psycopg.Connection[Row]
steps = partial(migrate.steps, "postgres")

_FEW = 20  # rows that are inserted one by one; more are sent with COPY
_PLAIN_INSERT = re.compile(r"INSERT INTO (\w+) \(([\w, ]+)\) VALUES \((?:\?|CAST\(\? AS \w+\)|, )+\)")


class Statements:
    """Runs statements, and raises our errors in place of psycopg's. ``name`` is what the errors call the library."""

    def __init__(self, name: str) -> None:
        self._name = name

    def run(self, connection: Connection, sql: str, *values: Any) -> list[Row]:
        """Run one statement and return its rows."""
        with self._translating(connection), connection.cursor(binary=True) as cursor:
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
            if isinstance(error, psycopg.OperationalError) and not error.sqlstate:
                connection.close()  # libpq could not go on with it, and may take it for open all the same
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


class Schema:
    """A schema with the tables of a library."""

    def __init__(self, place: Place, statements: Statements) -> None:
        self._place, self._statements = place, statements

    def prepare(self, connection: Connection) -> None:
        """Check the server; create or migrate the library."""
        version = connection.info.server_version // 10_000
        if version < OLDEST:
            raise too_old(self._place.name, version)
        encoding = connection.info.parameter_status("server_encoding")
        if encoding and encoding != "UTF8":
            raise wrong_encoding(self._place.name, encoding)
        if self.version(connection) < len(steps()):
            self._migrate(connection)

    def version(self, connection: Connection) -> int:
        """Return how many steps were applied; raise if a newer version of this program has applied more."""
        if self._statements.run(connection, "SELECT to_regclass('library_format')")[0][0] is None:
            self._has_schema(connection)
            return 0
        version = int(self._statements.run(connection, "SELECT max(version) FROM library_format")[0][0] or 0)
        if version > len(steps()):
            raise migrate.newer(self._place.name, version, len(steps()))
        return version

    def _has_schema(self, connection: Connection) -> bool:
        """Return whether the schema exists; raise if its owner does not let this user in."""
        known = "SELECT has_schema_privilege(nspname, 'USAGE') FROM pg_namespace WHERE nspname = ?"
        allowed = self._statements.run(connection, known, self._place.schema)
        if allowed and not allowed[0][0]:
            raise forbidden(self._place.name)
        return bool(allowed)

    def _migrate(self, connection: Connection) -> None:
        """Apply the steps that the library lacks, all or none. Several processes may try at once: they take turns."""
        try:
            self._statements.script(connection, f"BEGIN; SELECT pg_advisory_xact_lock({self.lock('migration')})")
            if not self._has_schema(connection):
                self._statements.run(connection, f'CREATE SCHEMA "{self._place.schema}"')
            version = self.version(connection)
            if not version:
                self._statements.run(
                    connection, "CREATE TABLE IF NOT EXISTS library_format (version INTEGER PRIMARY KEY)"
                )
            for number, script in enumerate(steps()[version:], version + 1):
                self._statements.script(connection, script)
                self._statements.run(connection, "INSERT INTO library_format (version) VALUES (?)", number)
            self._statements.run(connection, "COMMIT")
        except BaseException:
            self._statements.undo(connection)
            raise

    def lock(self, about: str | bytes) -> int:
        """Return the number of the lock for something in this library."""
        named = about if isinstance(about, bytes) else about.encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(self._place.schema.encode() + b"\0" + named).digest()
        return int.from_bytes(digest[:8], "big", signed=True)
