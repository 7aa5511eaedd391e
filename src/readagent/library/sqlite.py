"""SQLite: a connection that threads can share, and that raises ``LibraryError`` instead of sqlite3's errors.

A file that is newer, or that belongs to another program, is not changed. A library gets a write-ahead log when
something is written for the first time, and loses it when the last process closes it: a closed library is one file,
which can be copied, and read from a medium that cannot be written.
"""

from __future__ import annotations

import atexit
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar
from weakref import WeakSet

from readagent.errors import FullDiskError, LibraryError
from readagent.library.database import Database, Row, Statement, TextIndex, utc_now
from readagent.library.errors import damaged, is_busy, is_unwritable, of_system, read_only, translated
from readagent.library.fts5 import Fts5
from readagent.library.migrate import is_current, migrate, steps
from readagent.library.own_files import connect, create, make_private
from readagent.private import make_folder

MEMORY = Path(":memory:")  # SQLite's own name for a database in memory
SYNCHRONOUS = "NORMAL"  # a power failure may cost the last commits, never the file

_WRITES = ("INSERT", "UPDATE", "DELETE", "CREATE", "DROP")

_MOST_FAULTS = 20  # that SQLite's check reports
_WHERE = "*** in database main ***\n"  # before the first of them

T = TypeVar("T")


class SQLiteDatabase(Database):
    """A connection that opens when it is first used; threads take turns.

    A database at ``MEMORY`` lives as long as its connection: closing it, or dropping the last reference, discards it.
    """

    def __init__(self, path: Path, *, busy_timeout: float = 30.0, all_steps: Sequence[str] | None = None) -> None:
        self.path = path
        self.name = str(path)
        self.index: TextIndex = Fts5(self)
        self.json_list = "(SELECT value FROM json_each(CAST(? AS TEXT)))"
        self.skip_locked = ""  # writers take turns
        self.unsynced = "1 = 1"  # nothing waits for the disk
        self.epoch = "((julianday('now') - 2440587.5) * 86400)"
        self.now: Callable[[], str] = utc_now
        self._connection: sqlite3.Connection | None = None
        self._writing = False  # the file has a write-ahead log
        self._unwritable: LibraryError | None = None  # why a copy is open in place of the file
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        self._lock = threading.RLock()
        self._translating = _Translating(path)
        self._busy_timeout = busy_timeout
        self._steps = steps() if all_steps is None else all_steps

    def __del__(self) -> None:
        self.close()  # everything is committed; from 3.13 on Python would warn that the connection is still open

    def last_id(self, table: str) -> str:
        return "last_insert_rowid()"

    def rows(self, sql: str, *values: Any) -> list[Row]:
        with self._lock, self._translating:
            return self._ready(sql.lstrip().startswith(_WRITES)).execute(sql, values).fetchall()

    def many(self, sql: str, values: Iterable[Row]) -> None:
        with self._lock, self._translating:
            self._ready(True).executemany(sql, values)

    def batch(self, statements: Sequence[Statement], *about: str | bytes, write: bool = True) -> list[list[Row]]:
        with self._lock:
            inside = self._connection is not None and self._connection.in_transaction
            with nullcontext() if inside else self.transaction(*about, write=write):
                return [self.rows(*one) for one in statements]

    @contextmanager
    def transaction(self, *about: str | bytes, write: bool = True) -> Iterator[None]:
        # SQLite has one writer at a time, whatever a transaction is about.
        with self._lock:
            with self._translating:
                connection = self._ready(write)
                connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            try:
                yield
                with self._translating:
                    connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # the first error is the one to report; some have rolled back already
                    connection.rollback()
                raise

    def insist(self, work: Callable[[], T]) -> T:
        return work()  # there is no connection that could break

    def exists(self) -> bool:
        with self._translating:
            try:
                return self.path == MEMORY or self.path.stat().st_size > 0
            except FileNotFoundError:
                return False

    def version(self) -> int:
        return self._number("PRAGMA user_version")

    def size(self) -> int:
        parts = (Path(f"{self.path}{suffix}") for suffix in ("", "-wal", "-shm"))
        return sum(part.stat().st_size for part in parts if part.exists())

    def unused(self) -> int:
        return self._number("PRAGMA freelist_count") * self._number("PRAGMA page_size")

    def _number(self, sql: str) -> int:
        return int(self.rows(sql)[0][0])

    def compact(self) -> None:
        if self.path == MEMORY:
            return
        with self.transaction():
            self.rows("INSERT INTO page_words (page_words) VALUES ('optimize')")
            self.rows("INSERT INTO card_words (card_words) VALUES ('optimize')")
        self.close()  # without a log the file is rewritten in one step
        self.rows("VACUUM")
        self.close()

    def renumber(self) -> None:
        pass  # SQLite counts from the highest id

    def keep_ids(self, table: str, last: int) -> None:
        pass

    def faults(self) -> Iterator[str]:
        """Yield what SQLite's own check finds."""
        found = [text for (text,) in self.rows(f"PRAGMA integrity_check({_MOST_FAULTS})") if text != "ok"]
        if found:
            more = f", and {len(found) - 1} more problems" if len(found) > 1 else ""
            yield f"SQLite finds damage in the file: {found[0].removeprefix(_WHERE)}{more}"

    def copy_to(self, target: sqlite3.Connection) -> None:
        """Copy everything, as it is at this moment, to another connection."""
        with self._lock, self._translating:
            self._ready(False).backup(target)

    def close(self) -> None:
        """Close the connection and merge the log into the file, if no one else uses it. The next use opens it again."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                if self.path != MEMORY and self._copy is None:
                    _end_log(connection)
                connection.close()
                _open.discard(self)
            if self._copy is not None:
                self._copy.cleanup()
            self._copy, self._writing, self._unwritable = None, False, None

    def _ready(self, write: bool) -> sqlite3.Connection:
        """Return the connection, able to write if wanted."""
        connection = self._opened()
        if write and not self._writing:
            if self._unwritable is not None:
                raise self._unwritable
            self._start_log(connection)
            self._writing = True
        return connection

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            try:
                self._connection = self._in_memory() if self.path == MEMORY else self._in_file()
            except (sqlite3.OperationalError, OSError) as error:
                if not is_unwritable(error) or not self.path.exists():
                    raise
                self._connection = self._in_copy(error)
            _open.add(self)
        return self._connection

    def _in_memory(self) -> sqlite3.Connection:
        connection = sqlite3.connect(str(MEMORY), isolation_level=None, check_same_thread=False)
        self._writing = True
        return self._prepared(connection)

    def _in_file(self) -> sqlite3.Connection:
        make_folder(self.path.parent)
        if not self.path.exists():
            create(self.path)
        connection = self._prepared(connect(self.path, self._busy_timeout))
        make_private(self.path)
        return connection

    def _in_copy(self, error: sqlite3.OperationalError | OSError) -> sqlite3.Connection:
        """Open a copy, for reading: SQLite would have to write, but cannot, to merge a log or to migrate the file."""
        found = of_system(error, self.path) if isinstance(error, OSError) else translated(error, self.path)
        self._unwritable = found if isinstance(found, FullDiskError) else read_only(self.path)
        self._copy = tempfile.TemporaryDirectory(prefix="readagent-")
        copy = Path(self._copy.name) / self.path.name
        try:
            for suffix in ("", "-wal"):
                if (file := Path(f"{self.path}{suffix}")).exists():
                    shutil.copyfile(file, f"{copy}{suffix}")
            return self._prepared(connect(copy, self._busy_timeout))
        except BaseException:
            self._copy.cleanup()
            self._copy = None
            raise

    def _prepared(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        """Return a connection to an up-to-date library; raise, and close it, if the file cannot become one."""
        try:
            current = is_current(connection, self.path, len(self._steps))
            connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA cell_size_check = ON")
            if not current:
                migrate(connection, self._steps)
        except BaseException:
            connection.close()
            raise
        return connection

    def _start_log(self, connection: sqlite3.Connection) -> None:
        """Switch to a write-ahead log. SQLite does not wait when two processes switch a file at once, so retry here."""
        deadline = time.monotonic() + self._busy_timeout
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if not is_busy(error) or time.monotonic() > deadline:
                    raise
            time.sleep(0.005)


def _end_log(connection: sqlite3.Connection) -> None:
    """Merge the log into the file, if no one else uses it. A process killed in the meantime loses nothing."""
    with suppress(sqlite3.Error):  # others use it, and the last of them merges the log; or it cannot be written
        connection.execute("PRAGMA busy_timeout = 0")
        if connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
            connection.execute("PRAGMA journal_mode = DELETE")


class _Translating:
    """Raises our errors in place of those that are raised in its block. Blocks may be nested."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        """There is nothing to prepare."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.ProgrammingError):
            raise translated(error, self._path) from error
        if isinstance(error, UnicodeDecodeError):  # sqlite3 cannot decode a damaged name, not even in a message
            raise damaged(self._path) from error
        if isinstance(error, OSError):
            raise of_system(error, self._path) from error


_open: WeakSet[SQLiteDatabase] = WeakSet()  # the databases that this process has open


@atexit.register
def _close_all() -> None:
    """Merge the logs at the end of the program, while everything that this needs is still there."""
    for database in list(_open):
        database.close()
