"""Files that were parsed before: an unchanged one is taken from the library, which is faster than parsing it."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

from readagent import __version__
from readagent.core.document import Document
from readagent.errors import LibraryError, NotInLibraryError
from readagent.library import Library


def known_document(path: Path, library: Library) -> Document | None:
    """Return the document that a file was parsed into, with what was appended to it since; None if it has changed."""
    digest = _digest(path)
    name = None if digest is None else library.document_in_file(str(path.resolve()), digest)
    if name is None:
        return None
    try:
        return library.document(name)
    except NotInLibraryError:  # it was removed at this moment
        return None


def remember_file(path: Path, document_id: str, library: Library) -> None:
    """Remember that a file has been parsed into a document, if that is in the library."""
    digest = _digest(path)
    if digest is not None:
        with suppress(LibraryError):  # it cannot be written: the file is parsed again next time
            library.keep_file(str(path.resolve()), digest, document_id)


def _digest(path: Path) -> bytes | None:
    """Return a hash of the content of a file and of the version that parses it; None if it is no file."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "blake2b")
    except OSError:
        return None
    found.update(__version__.encode())
    return found.digest()[:16]
