"""Backups of a library in a file."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from readagent.errors import FullDiskError, LibraryError, UsageError
from readagent.library import sums
from readagent.library.errors import damaged, full, translated
from readagent.library.inspect import connect, make_private
from readagent.library.own_files import is_own_file, is_same_file
from readagent.library.sqlite import SQLiteDatabase


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
        make_private(new)
        with closing(connect(new, "rw", 0)) as copy:
            db.copy_to(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            if copy.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise damaged(db.path)
        sums.store(new)
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
