"""What commands that need no model work with: the library, and the document in it that is meant."""

from __future__ import annotations

import os
from pathlib import Path

from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.errors import LoadError, NotInLibraryError
from readagent.library import DocumentRow, Library
from readagent.loaders import load
from readagent.settings import Settings

_POINTING = ("did you mean", "name one of them")  # hints of the library that point to one of its documents


def library_of(settings: Settings) -> Library:
    """The library in the home folder."""
    return Library(settings.library_path)


def document_of(name: str, library: Library) -> Document:
    """The document that is meant by a file's path or by a name in the library."""
    if name == "-" or _path(name) is not None:
        return load(name)
    return library.document(_find(name, library).id)


def known_memory(name: str, library: Library) -> GistMemory:
    """The newest finished memory of a document in the library; nothing is read for it."""
    path = _path(name)
    document_id = load(name).id if path is not None and path.is_file() else _find(name, library).id
    memory = library.memory(document_id)
    if memory is not None:
        return memory
    begun = any(row.id == document_id for row in library.documents())
    state, verb = ("has not been read to its end", "go on") if begun else ("has not been read yet", "begin")
    raise NotInLibraryError(f"{name} {state}", hint=f"{verb} with: readagent read {name}")


def _path(name: str) -> Path | None:
    """The file or folder of this name, if there is one; a text that cannot be a path names none."""
    try:
        path = Path(name).expanduser()
        return path if path.exists() else None
    except (OSError, ValueError, RuntimeError):
        return None


def _find(name: str, library: Library) -> DocumentRow:
    """The document of the library that is meant; where a file may have been meant, what is wrong with that is told."""
    try:
        return library.find_document(name)
    except NotInLibraryError as error:
        if error.hint.startswith(_POINTING) or not (Path(name).suffix or "/" in name or os.sep in name):
            raise
        try:
            load(name)
        except LoadError as missing:
            raise NotInLibraryError(
                f"{missing}, and the library has no document of that name", hint=missing.hint
            ) from None
        raise
