"""Which databases are ours, and how an older one is brought up to date: numbered SQL files, applied in order.

``PRAGMA application_id`` says that a file is a library of ours, ``PRAGMA user_version`` how many steps it has seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from readagent.errors import DamagedLibraryError, NewerLibraryError

if TYPE_CHECKING:
    from readagent.library.sqlite import Database

APPLICATION_ID = 0x52644167  # "RdAg"

_ELSEWHERE = "it was left as it is; move it away, or keep the library elsewhere by setting READAGENT_HOME"


@cache
def steps() -> tuple[str, ...]:
    """The SQL of every step, the first one first."""
    folder = files("readagent.library") / "sql"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return tuple((folder / name).read_text(encoding="utf-8") for name in names)


def judge(path: Path, application_id: int, version: int, tables: int, newest: int) -> None:
    """Refuse a database that is not ours, or newer than this program."""
    if application_id != APPLICATION_ID and (application_id or tables):
        raise DamagedLibraryError(f"{path} is a database of another program, not a library", hint=_ELSEWHERE)
    if version > newest:
        raise NewerLibraryError(
            f"{path} was written by a newer version (its format is {version}, this program knows up to {newest})",
            hint="update readagent; the library was left as it is",
        )


def migrate(database: Database, all_steps: Sequence[str]) -> None:
    """Apply the steps this database has not seen, all of them or none. Two processes may try at once."""
    with database.transaction():
        for number, script in enumerate(all_steps[database.version() :], start=database.version() + 1):
            for statement in database.statements(script):
                database.rows(statement)
            database.rows(f"PRAGMA user_version = {number}")
        database.rows(f"PRAGMA application_id = {APPLICATION_ID}")


def not_a_library(path: Path) -> DamagedLibraryError:
    """For a file that is no database at all, or a broken one."""
    return DamagedLibraryError(f"{path} is damaged, or not a library", hint=_ELSEWHERE)
