"""The files of a library on SQLite: connecting to one, keeping it private, and telling it from other files."""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import suppress
from pathlib import Path

BESIDE = ("-wal", "-shm", "-journal")  # what SQLite keeps next to a database while it is used


def connect(path: Path, busy_timeout: float) -> sqlite3.Connection:
    """Connect to a file that exists; nothing is read or written yet."""
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=busy_timeout,
        isolation_level=None,
        check_same_thread=False,
    )


def create(path: Path) -> None:
    """Create an empty file, if there is none, that nobody but its owner can read."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def make_private(path: Path) -> None:
    """Let nobody but its owner read a file or those next to it."""
    for file in (path, *(Path(f"{path}{suffix}") for suffix in BESIDE)):
        with suppress(OSError):  # missing, or another user's
            mode = file.stat().st_mode & 0o777
            if mode & 0o077:
                file.chmod(mode & 0o700)


def is_own_file(library: Path, file: Path) -> bool:
    """Whether a file is the library or one that belongs to it, also through a link, and also if it does not exist yet.

    A log that another program writes would be applied to the library when it is next opened.
    """
    places = (library, library.resolve())
    return any(is_same_file(Path(f"{place}{suffix}"), file) for place in places for suffix in ("", *BESIDE))


def is_same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to the same file, also through a symbolic or hard link."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # one of them does not exist
        return one.resolve() == other.resolve()


def lock_file(descriptor: int) -> None:
    """Lock a file until it is closed, or this process ends; raise OSError if another process has locked it."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
