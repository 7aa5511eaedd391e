"""Inside: files and folders below one folder, opened so that no link leads out of it.

A path that was checked can be replaced by a link before it is opened. Here it is opened name by name, from the folder
down, and a link on the way is an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STEP_BY_STEP = os.open in os.supports_dir_fd and os.scandir in os.supports_fd  # not on Windows
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0) | _NO_LINK
_PASS = getattr(os, "O_PATH", os.O_RDONLY) | _FOLDER  # Linux needs no right to list the folders on the way


class Inside:
    """Opens what is below ``root``, whose own path has no links. Other paths are a PermissionError."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def open(self, path: Path, flags: int) -> int:
        """Return a descriptor of a file or folder; raise OSError if a link is on the way to it."""
        if not path.is_relative_to(self._root) or ".." in path.parts:
            raise PermissionError(f"{path} is not in {self._root}")
        if not _STEP_BY_STEP:
            return _open_and_compare(path, flags)
        names = path.relative_to(self._root).parts
        at = os.open(self._root, _PASS if names else flags | _FOLDER)
        for number, name in enumerate(names, start=1):
            above = at
            try:
                at = os.open(name, _PASS if number < len(names) else flags | _NO_LINK, dir_fd=above)
            finally:
                os.close(above)
        return at

    @contextmanager
    def scan(self, path: Path) -> Iterator[Iterator[os.DirEntry[str]]]:
        """Yield the entries of a folder. Only their names are of use, and whether they are files or folders."""
        if not _STEP_BY_STEP:
            if path.resolve() != path:
                raise PermissionError(f"{path} is a link")
            with os.scandir(path) as entries:
                yield entries
            return
        descriptor = self.open(path, os.O_RDONLY | _FOLDER)
        try:
            with os.scandir(descriptor) as entries:
                yield _looked_up(entries)
        finally:
            os.close(descriptor)


def _looked_up(entries: Iterator[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
    """Yield entries that remember what they are, so that this can be asked after the folder was closed."""
    for entry in entries:
        entry.is_dir(follow_symlinks=False)
        yield entry


def _open_and_compare(path: Path, flags: int) -> int:
    """Open a path, then check that it still has no links and is what was opened."""
    descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
    try:
        if path.resolve() != path or not os.path.samestat(os.fstat(descriptor), os.stat(path)):
            raise PermissionError(f"{path} is a link")
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
