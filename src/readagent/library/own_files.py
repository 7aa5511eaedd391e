"""The files that SQLite and ReadAgent keep next to the database of a library."""

from __future__ import annotations

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
