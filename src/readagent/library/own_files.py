"""The files next to the database of a library: SQLite's, a lock, and some space that is given up on a full disk."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path

_SUFFIXES = ("", "-wal", "-shm", "-journal", "-reserve")


def is_own_file(library: Path, file: Path) -> bool:
    """Whether a file is the library or one that belongs to it, also through a link, and also if it does not exist yet.

    A log that another program writes would be applied to the library when it is next opened.
    """
    return any(is_same_file(Path(f"{place}{suffix}"), file) for place in (library, library.resolve())
               for suffix in _SUFFIXES)  # fmt: skip


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


_SIZE = 4 << 20  # bytes: enough for the log of removing a long novel
_SHARE = 8  # it takes at most one part in so many of the free space


def reserve_of(path: Path) -> Path:
    """Return the path of the reserve of a library."""
    return Path(f"{path}-reserve")


def make(path: Path, *, share: int = _SHARE) -> None:
    """Make the reserve, if there is none, of at most this share of the free space; without it nothing else fails."""
    reserve = reserve_of(path)
    with suppress(OSError):
        size = min(_SIZE, shutil.disk_usage(path.parent).free // share)
        if reserve.exists() or not size:
            return
        descriptor = os.open(reserve, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(descriptor, 0, size)
            else:
                os.write(descriptor, bytes(size))
        except OSError:
            reserve.unlink()
        finally:
            os.close(descriptor)


def give_up(path: Path) -> bool:
    """Remove the reserve; return whether there was one."""
    try:
        reserve_of(path).unlink()
    except OSError:
        return False
    return True
