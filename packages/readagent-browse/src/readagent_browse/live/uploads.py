"""Uploads: the files that a visit may give to a page."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from readagent.errors import ActionFailedError, UsageError

_MOST = 20  # files that prompts name


class Uploads:
    """The files directly in some folders, by name. Links that lead out of their folder are left out."""

    def __init__(self, folders: Iterable[Path] = ()) -> None:
        self._files: dict[str, Path] = {}
        for folder in folders:
            if not folder.is_dir():
                raise UsageError(
                    f"{folder} is not a folder", hint="`upload` takes the folders with the files to upload"
                )
            root = folder.resolve()
            for file in sorted(root.iterdir()):
                if file.is_file() and file.resolve().is_relative_to(root) and not file.name.startswith("."):
                    self._files.setdefault(file.name, file.resolve())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the files, as many as prompts name."""
        return tuple(self._files)[:_MOST]

    def path(self, name: str) -> Path:
        """Return the path of a file; ActionFailedError if it is none of these."""
        if name not in self._files:
            raise ActionFailedError(f"there is no file {name!r} to upload")
        return self._files[name]
