"""What a library holds, and backups of it in a file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from readagent.errors import FullDiskError, LibraryError, UsageError
from readagent.library.database import Database
from readagent.library.errors import damaged, full, translated
from readagent.library.own_files import connect, create, is_own_file, is_same_file
from readagent.library.sqlite import SQLiteDatabase

_BYTES = {
    "documents": "SELECT sum(length(text) + length(paragraphs) + length(metadata)) FROM documents",
    "pages": "SELECT sum(size) FROM (SELECT sum(length(gist)) AS size FROM pages UNION ALL"
    " SELECT sum(length(gist)) FROM levels UNION ALL SELECT sum(length(gist) + length(made)) FROM pinned) AS parts",
    "replies": "SELECT sum(length(reply) + length(prompt)) FROM calls",
    "answers": "SELECT sum(length(text) + length(trace)) FROM answers",
    "vectors": "SELECT sum(length(vector)) FROM vectors",
    "trash": "SELECT sum(length(content)) FROM trash",
}
_COUNTS = {
    "documents": "SELECT count(*) FROM documents",
    "readings": "SELECT count(*) FROM readings",
    "pages": "SELECT count(*) FROM pages",
    "replies": "SELECT count(*) FROM calls",
    "answers": "SELECT count(*) FROM answers",
    "vectors": "SELECT count(*) FROM vectors",
    "shelves": "SELECT count(*) FROM shelves",
    "trash": "SELECT count(*) FROM trash",
}


@dataclass(frozen=True, slots=True)
class LibraryInfo:
    """How many things of each kind a library holds, and their bytes.

    ``size`` are the bytes on disk; ``compact`` would free the ``unused`` ones. ``version`` is that of the format.
    """

    path: str
    version: int
    size: int
    unused: int
    counts: Mapping[str, int]
    bytes: Mapping[str, int]


def info(db: Database, size: int) -> LibraryInfo:
    """Return what a library holds; ``size`` are its bytes on disk."""
    with db.transaction(write=False):
        counts = {kind: _number(db, sql) for kind, sql in _COUNTS.items()}
        sizes = {kind: _number(db, sql) for kind, sql in _BYTES.items()} | {"index": db.index.size()}
        unused, version = db.unused(), db.version()
    return LibraryInfo(db.name, version, size, unused, counts, sizes)


def _number(db: Database, sql: str) -> int:
    return int(db.rows(sql)[0][0] or 0)


def backup(db: SQLiteDatabase, target: Path, *, force: bool = False) -> int:
    """Write a copy of the library as it is now to a file, and return the size of the copy in bytes.

    Other processes may read and write meanwhile. The copy is checked before it gets its name.
    """
    if is_own_file(db.path, target):
        itself = target.exists() and is_same_file(db.path, target)
        what = "the library itself" if itself else "a file of the library"
        raise UsageError(f"{target} is {what}", hint="give another file for the backup")
    if target.exists() and not force:
        raise UsageError(f"{target} exists", hint="use another name, or `force=True` to replace it")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}", hint="create it first, or give another file")
    new = target.with_name(f".{target.name}.new")
    try:
        new.unlink(missing_ok=True)
        create(new)
        with closing(connect(new, 0)) as copy:
            db.copy_to(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            if copy.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise damaged(db.path)
        os.replace(new, target)
    except FullDiskError as error:  # reading the library needs no space
        raise full(target) from error
    except OSError as error:
        raise LibraryError(f"cannot write {target}: {(error.strerror or str(error)).lower()}") from error
    except sqlite3.DatabaseError as error:
        raise translated(error, target) from error
    finally:
        new.unlink(missing_ok=True)
    return target.stat().st_size
