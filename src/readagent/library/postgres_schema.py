"""The schema of a library on PostgreSQL: it is created and migrated when it is first used."""

from __future__ import annotations

import hashlib
import time
from functools import cache
from importlib.resources import files

from readagent.errors import NewerLibraryError
from readagent.library.postgres_errors import OLDEST, forbidden, no_shared_cache, too_old, wrong_encoding
from readagent.library.postgres_statements import Connection, Statements
from readagent.library.postgres_url import Place

_USABLE = """
SELECT coalesce(bool_and(has_schema_privilege(pg_namespace.oid, 'USAGE') AND has_table_privilege(pg_class.oid, 'SELECT')
    AND has_table_privilege(pg_class.oid, 'INSERT') AND has_table_privilege(pg_class.oid, 'DELETE')), false)
FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = ? AND relname = 'calls'
"""


class Schema:
    """A schema with the tables of a library."""

    def __init__(self, place: Place, statements: Statements) -> None:
        self._place, self._statements = place, statements

    def prepare(self, connection: Connection) -> float:
        """Check the server, create or migrate the library; return the seconds by which the server's clock is ahead."""
        version = connection.info.server_version // 10_000
        if version < OLDEST:
            raise too_old(self._place.name, version)
        encoding = connection.info.parameter_status("server_encoding")
        if encoding and encoding != "UTF8":
            raise wrong_encoding(self._place.name, encoding)
        before = time.time()
        (seconds,) = self._statements.run(connection, "SELECT CAST(extract(epoch FROM clock_timestamp()) AS FLOAT8)")[0]
        ahead = float(seconds) - (before + time.time()) / 2
        if self.version(connection) < len(steps()):
            self._migrate(connection)
        if self._place.shared and not self._statements.run(connection, _USABLE, self._place.shared)[0][0]:
            raise no_shared_cache(self._place.name)
        return ahead

    def version(self, connection: Connection) -> int:
        """Return how many steps were applied; raise if a newer version of this program has applied more."""
        if self._statements.run(connection, "SELECT to_regclass('library_format')")[0][0] is None:
            return 0
        version = int(self._statements.run(connection, "SELECT max(version) FROM library_format")[0][0] or 0)
        if version > len(steps()):
            raise NewerLibraryError(
                f"{self._place.name} was written by a newer version of readagent"
                f" (format {version}; this version knows up to {len(steps())})",
                hint="upgrade readagent; nothing was changed",
            )
        return version

    def _migrate(self, connection: Connection) -> None:
        """Apply the steps that the library lacks, all or none. Several processes may try at once: they take turns."""
        schema = self._place.schema
        try:
            self._statements.script(connection, f"BEGIN; SELECT pg_advisory_xact_lock({self.lock('migration')})")
            known = "SELECT has_schema_privilege(nspname, 'USAGE') FROM pg_namespace WHERE nspname = ?"
            allowed = self._statements.run(connection, known, schema)
            if not allowed:
                self._statements.run(connection, f'CREATE SCHEMA "{schema}"')
            elif not allowed[0][0]:
                raise forbidden(self._place.name)
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


@cache
def steps() -> tuple[str, ...]:
    """Return the SQL of every step, in order."""
    folder = files("readagent.library") / "sql" / "postgres"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return tuple((folder / name).read_text(encoding="utf-8") for name in names)
