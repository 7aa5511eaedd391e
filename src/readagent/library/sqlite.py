"""SQLite: a connection that threads can share, and that raises ``LibraryError`` instead of sqlite3's errors.

A file is inspected read-only first. If it is damaged, newer, or belongs to another program, it is not changed. It gets
a write-ahead log when something is written for the first time, and loses it when the last process closes it: a closed
library is one file with a checksum, which can be copied, and read from a medium that cannot be written.
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
from readagent.library import file_state, own_files, sums
from readagent.library.database import Row, Statement
from readagent.library.errors import damaged, full, is_busy, is_unwritable, lost_log, of_system, read_only, translated
from readagent.library.file_state import (
    STATE_SINCE,
    SUMS_SINCE,
    Marks,
    connect,
    examine,
    inspect,
    log_of,
    make_private,
    one_line,
)
from readagent.library.fts5 import Fts5
from readagent.library.migrate import APPLICATION_ID, check, migrate, steps

MEMORY = Path(":memory:")  # SQLite's own name for a database in memory
SYNCHRONOUS = "NORMAL"  # a power failure may cost the last commits, never the file

_WRITES = ("INSERT", "UPDATE", "DELETE", "CREATE", "DROP")

_MOST_FAULTS = 20  # that SQLite's check reports

T = TypeVar("T")


class SQLiteDatabase:
    """A connection that opens when it is first used; threads take turns.

    A database at ``MEMORY`` lives as long as its connection: closing it, or dropping the last reference, discards it.
    With ``checked=False`` a file that is damaged somewhere opens too, as far as SQLite can open it.
    """

    def __init__(
        self, path: Path, *, busy_timeout: float = 30.0, all_steps: Sequence[str] | None = None, checked: bool = True
    ) -> None:
        self.path = path
        self.name = str(path)
        self.index = Fts5(self)
        self.vector_index = None
        self.row_id = "rowid"
        self.json_list = "(SELECT value FROM json_each(CAST(? AS TEXT)))"
        self.skip_locked = ""  # writers take turns
        self.unsynced = "1 = 1"  # nothing waits for the disk
        self.shared_calls = ""
        self.clock = time.time
        self._checked = checked
        self._file = path.resolve()
        self._connection: sqlite3.Connection | None = None
        self._writing = False  # the file has a write-ahead log
        self._unwritable: LibraryError | None = None  # why a copy is open in place of the file
        self._sum_is_due = False  # the file is intact, but has no checksum that says so
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
        """Run one statement and return its rows; outside a transaction it is committed when this returns."""
        with self._lock, self._translating:
            return self._ready(sql.lstrip().startswith(_WRITES)).execute(sql, values).fetchall()

    def row(self, sql: str, *values: Any) -> Row | None:
        """Return the first row, or None."""
        return next(iter(self.rows(sql, *values)), None)

    def many(self, sql: str, values: Iterable[Row]) -> None:
        """Run one statement for each of the values. Call it in a transaction."""
        with self._lock, self._translating:
            self._ready(True).executemany(sql, values)

    def batch(self, statements: Sequence[Statement], *about: str | bytes, write: bool = True) -> list[list[Row]]:
        """Run statements, outside a transaction as one, and return the rows of each."""
        with self._lock:
            inside = self._connection is not None and self._connection.in_transaction
            with nullcontext() if inside else self.transaction(*about, write=write):
                return [self.rows(*one) for one in statements]

    @contextmanager
    def transaction(self, *about: str | bytes, write: bool = True) -> Iterator[None]:
        """Commit everything in the block, or nothing; with ``write=False``, read from one snapshot.

        SQLite has one writer at a time, whatever a transaction is about.
        """
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
        """Return the result of some work: there is no connection that could break."""
        return work()

    def exists(self) -> bool:
        """Return whether there is a file that is not empty."""
        with self._translating:
            try:
                return self.path == MEMORY or self.path.stat().st_size > 0
            except FileNotFoundError:
                return False

    def version(self) -> int:
        return self._number("PRAGMA user_version")

    def size(self) -> int:
        """Return the bytes on disk."""
        parts = (Path(f"{self.path}{suffix}") for suffix in ("", "-wal", "-shm"))
        return sum(part.stat().st_size for part in parts if part.exists())

    def unused(self) -> int:
        return self._number("PRAGMA freelist_count") * self._number("PRAGMA page_size")

    def _number(self, sql: str) -> int:
        return int(self.rows(sql)[0][0])

    def compact(self) -> None:
        """Rewrite the file without the space that removed things have left."""
        if self.path == MEMORY:
            return
        with self.transaction():
            self.rows("INSERT INTO page_words (page_words) VALUES ('optimize')")
            self.rows("INSERT INTO card_words (card_words) VALUES ('optimize')")
        self.close()  # without a log the file is rewritten in one step
        self.rows("VACUUM")
        self.close()
        sums.store(self.path)

    def renumber(self) -> None:
        """Do nothing: SQLite counts from the highest id."""

    def faults(self) -> Iterator[str]:
        """Yield what SQLite's own check finds."""
        found = [one_line(text) for (text,) in self.rows(f"PRAGMA integrity_check({_MOST_FAULTS})") if text != "ok"]
        if found:
            more = f", and {len(found) - 1} more problems" if len(found) > 1 else ""
            yield f"SQLite finds damage in the file: {found[0]}{more}"
        for table, _, parent, _ in self.rows("PRAGMA foreign_key_check"):
            yield f"a row of {table} belongs to one of {parent} that is missing"

    def copy_to(self, target: sqlite3.Connection) -> None:
        """Copy everything, as it is at this moment, to another connection."""
        with self._lock, self._translating:
            self._ready(False).backup(target)

    @contextmanager
    def with_reserve(self) -> Iterator[None]:
        """Use the space that is reserved for a full disk during the block, and reserve it again afterwards."""
        with self._lock:
            if not own_files.give_up(self.path):
                raise full(self.path)
            self.close()
            try:
                self.rows("PRAGMA cache_size = -64000")  # what is changed is written to the log once
                yield
            finally:
                self.close()  # merges the log
                own_files.make(self.path, share=1)

    def close(self) -> None:
        """Close the connection and merge the log into the file, if no one else uses it. The next use opens it again."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                in_file = self.path != MEMORY and self._copy is None
                merged = in_file and self._end_log(connection)
                connection.close()
                with _opening:
                    _open.discard(self)
                    if (merged or self._sum_is_due) and self._checked and not self._is_open_elsewhere():
                        sums.store(self.path)
            if self._copy is not None:
                self._copy.cleanup()
            self._copy, self._writing, self._unwritable, self._sum_is_due = None, False, None, False

    def _ready(self, write: bool) -> sqlite3.Connection:
        """Return the connection, able to write if wanted."""
        connection = self._opened()
        if write and not self._writing:
            if self._unwritable is not None:
                raise self._unwritable
            self._start_log(connection)
            self._writing = True
            own_files.make(self.path)
        return connection

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            with _opening:
                try:
                    self._connection = self._in_memory() if self.path == MEMORY else self._in_file()
                except (sqlite3.OperationalError, OSError) as error:
                    if not is_unwritable(error) or not self.path.exists():
                        raise
                    self._connection = self._in_copy(error)
                _open.add(self)
        return self._connection

    def _is_open_elsewhere(self) -> bool:
        """Whether this process has the file open already: then opening and closing it would release SQLite's locks."""
        return any(one._file == self._file for one in list(_open))

    def _in_memory(self) -> sqlite3.Connection:
        connection = sqlite3.connect(str(MEMORY), isolation_level=None, check_same_thread=False)
        self._writing = True
        return self._prepared(connection, current=False)

    def _in_file(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        alone = not self._is_open_elsewhere()
        if self._checked and alone and file_state.is_damaged(self.path):
            raise lost_log(self.path, "damaged")
        marks = inspect(self.path, self._busy_timeout)
        current = self._is_current(marks)
        right = sums.matches(self.path, marks.sum) if self._checked and alone and marks is not None else True
        if right is False:
            raise damaged(self.path, "its checksum is wrong")
        with suppress(OSError if current else FileExistsError):
            make_private(self.path)
        unknown = right is None and not file_state.in_use(
            Path(f"{self.path}-shm")
        )  # before this process has locks of its own
        connection = self._prepared(connect(self.path, "rw", self._busy_timeout), current=current)
        if unknown:
            examine(connection, self.path)
            self._sum_is_due = True
        return connection

    def _in_copy(self, error: sqlite3.OperationalError | OSError) -> sqlite3.Connection:
        """Open a copy, for reading: SQLite would have to write, but cannot, to merge a log or to migrate the file."""
        found = of_system(error, self.path) if isinstance(error, OSError) else translated(error, self.path)
        self._unwritable = found if isinstance(found, FullDiskError) else read_only(self.path)
        self._copy = tempfile.TemporaryDirectory(prefix="readagent-")
        copy = Path(self._copy.name) / self.path.name
        for file, to in ((self.path, copy), (log_of(self.path), log_of(copy))):
            if file.exists():
                shutil.copyfile(file, to)
        marks = inspect(copy, self._busy_timeout)
        return self._prepared(connect(copy, "rw", self._busy_timeout), current=self._is_current(marks))

    def _is_current(self, marks: Marks | None) -> bool:
        """Return whether a file with these marks is an up-to-date library; raise if it cannot become one."""
        if marks is None:
            return False
        check(self.path, marks.application_id, marks.version, marks.tables, len(self._steps))
        return marks.application_id == APPLICATION_ID and marks.version == len(self._steps)

    def _prepared(self, connection: sqlite3.Connection, *, current: bool) -> sqlite3.Connection:
        try:
            connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA cell_size_check = ON")
            if current:
                connection.execute("SELECT count(*) FROM sqlite_master")  # whether it can be read at all
            else:
                migrate(connection, self._steps)
        except BaseException:
            connection.close()
            raise
        return connection

    def _start_log(self, connection: sqlite3.Connection) -> None:
        """Switch to a write-ahead log, and record in the file, not in the log only, that the file is open."""
        self._switch_to_log(connection)
        if len(self._steps) >= STATE_SINCE:
            changed = connection.execute("UPDATE state SET open = 1 WHERE open = 0 RETURNING open").fetchall()
            if changed:
                if len(self._steps) >= SUMS_SINCE:
                    connection.execute("DELETE FROM sums")
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def _switch_to_log(self, connection: sqlite3.Connection) -> None:
        """Switch. SQLite does not wait when two processes switch a file at once, so retry here."""
        deadline = time.monotonic() + self._busy_timeout
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if not is_busy(error) or time.monotonic() > deadline:
                    raise
            time.sleep(0.005)

    def _end_log(self, connection: sqlite3.Connection) -> bool:
        """Merge the log into the file, if no one else uses it; return whether there was one, and it is merged.

        A process killed in the meantime loses nothing.
        """
        with suppress(sqlite3.Error):  # the file cannot be written
            if self._writing and len(self._steps) >= STATE_SINCE:
                connection.execute("UPDATE state SET open = 0 WHERE open = 1")
        with suppress(sqlite3.Error):  # others use it: the last of them merges the log
            connection.execute("PRAGMA busy_timeout = 0")
            if connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
                return bool(connection.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",))
        return False


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
_opening = threading.RLock()  # held while a file is opened, or read without SQLite


@atexit.register
def _close_all() -> None:
    """Merge the logs at the end of the program, while everything that this needs is still there."""
    for database in list(_open):
        database.close()
