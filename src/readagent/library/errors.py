"""From sqlite3's errors to ours: each is one line that says what is wrong with the file and what to do."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

from readagent.errors import BusyLibraryError, DamagedLibraryError, FullDiskError, LibraryError

_FULL = ("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE")
_READ_ONLY = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_IOERR_SHORT_READ", "SQLITE_FORMAT")
_LACKING = ("no such table", "no such column", "malformed", "vtable constructor failed", "invalid fts5", "fts5")
REPAIR = "restore your backup, or keep what can be read with: readagent library repair"


def name_of(error: sqlite3.Error) -> str:
    """Return SQLite's name of an error, such as ``SQLITE_BUSY``; empty where Python raised it."""
    return getattr(error, "sqlite_errorname", None) or ""


def is_busy(error: sqlite3.Error) -> bool:
    return name_of(error).startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def is_unwritable(error: sqlite3.Error | OSError) -> bool:
    """Whether the file could be opened if nothing had to be written: the medium is read-only, or full."""
    if isinstance(error, OSError):
        return error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT)
    return name_of(error).startswith((*_READ_ONLY, *_FULL))


def translated(error: sqlite3.DatabaseError, path: Path) -> LibraryError:
    """Return our error for one of sqlite3's."""
    name = name_of(error)
    if name == "SQLITE_NOTADB":
        return DamagedLibraryError(f"{path} is damaged, or not a library", hint=REPAIR)
    if name.startswith(_DAMAGED) or "Could not decode" in str(error):
        return damaged(path)
    if is_busy(error):
        return busy(path)
    if name.startswith(_FULL):
        return full(path)
    if name.startswith(_READ_ONLY):
        return read_only(path)
    if name == "SQLITE_ERROR" and str(error).startswith(_LACKING):
        return damaged(path, str(error))
    return LibraryError(f"{path}: {error}")


def of_system(error: OSError, path: Path) -> LibraryError:
    """Return our error for one of the operating system's."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return full(path)
    reason = (error.strerror or str(error)).lower()
    return LibraryError(
        f"cannot open {path}: {reason}", hint="set READAGENT_HOME to keep the library in another folder"
    )


def busy(path: Path | str) -> BusyLibraryError:
    """Return the error for a library that another process is using."""
    return BusyLibraryError(f"{path} is in use by another process", hint="try again when it has finished")


def of_another_program(path: Path | str) -> LibraryError:
    """Return the error for a database of another program."""
    return LibraryError(
        f"{path} is a database of another program, not a library",
        hint="it was not changed; move it, or set READAGENT_HOME to keep the library in another folder",
    )


def damaged(path: Path | str, what: str = "", hint: str = REPAIR) -> DamagedLibraryError:
    """Return the error for a library in which something cannot be read."""
    return DamagedLibraryError(f"{path} is damaged" + (f": {what}" if what else ""), hint=hint)


def read_only(path: Path | str) -> LibraryError:
    """Return the error for a library that can be read but not written."""
    return LibraryError(
        f"cannot write to {path}: it is read-only", hint="check its permissions; everything in it can still be read"
    )


def full(path: Path | str) -> FullDiskError:
    """Return the error for a full disk."""
    return FullDiskError(
        f"no space left for {path}", hint="free some space and run the same command again; nothing is lost"
    )
