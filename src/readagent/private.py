"""Private files: nobody but the user can read what is kept in the home folder."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from readagent.errors import UsageError


def opener(path: str, flags: int) -> int:
    """Open a file that only its owner can read, if it is new: ``open(path, "ab", opener=opener)``."""
    return os.open(path, flags, 0o600)


def make_folder(folder: Path) -> None:
    """Create a folder, and those around it that are missing, which only their owner can enter."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(exist_ok=True)  # a file of this name is an error


def repair_home(folder: Path) -> None:
    """Let nobody but its owner read a folder and all below it, which older versions did not see to.

    Nothing is done where the folder is private already, or another user's. Links are not followed.
    """
    with suppress(OSError):
        found = folder.stat()
        if os.name == "nt" or not found.st_mode & 0o077 or found.st_uid != os.getuid():
            return
        for place, folders, files in os.walk(folder):
            for path in (Path(place, name) for name in (*folders, *files)):
                _take_away(path)
        _take_away(folder)  # last, so that it is done again if this is interrupted


def _take_away(path: Path) -> None:
    """Take the rights of others from a file or folder. What is gone, another user's or linked elsewhere stays."""
    with suppress(OSError):
        found = path.lstat()
        if stat.S_ISDIR(found.st_mode):
            path.chmod(0o700)
        elif stat.S_ISREG(found.st_mode) and found.st_nlink == 1 and found.st_mode & 0o077:
            path.chmod(found.st_mode & 0o700)


def write_private(file: Path, text: str) -> None:
    """Write a whole text file that only its owner can read; a crash leaves the old one or the new one."""
    new = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        make_folder(file.parent)
        with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as stream:
            stream.write(text)
        new.replace(file)
    except OSError as error:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        raise UsageError(f"cannot write {file}: {(error.strerror or str(error)).lower()}") from None
