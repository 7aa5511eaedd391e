"""From what a user typed to a document: a path, a URL, or a name in the library."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shlex import quote
from textwrap import shorten

from readagent import __version__
from readagent.cli.progress import Progress
from readagent.cli.screen import echo
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.pages.growing import rebase
from readagent.errors import LibraryError, LoadError, NotInLibraryError
from readagent.library import DocumentRow, Library
from readagent.loaders import is_address, is_folder, load
from readagent.settings import Settings


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


def library_of(settings: Settings) -> Library:
    """Return the library that the settings name. While it waits for a server, it says so on standard error."""
    library = settings.open_library()
    library.on_wait = lambda message: echo(message, err=True)
    return library


def existing_library(settings: Settings) -> Library:
    """Return the library that the settings name, for a command that only looks: none is created.

    A place that the user has named must have a library. Without a name, an empty library in memory stands in for it.
    """
    library = named_library(settings)
    return library if library.exists() else Library.in_memory()


def named_library(settings: Settings) -> Library:
    """Return the library; raise an error if the user has named a place and there is none."""
    library = library_of(settings)
    if settings.library and not library.exists():
        raise no_library(library)
    return library


def served_library(settings: Settings, *, read_only: bool = False) -> Library:
    """Return the library for a server, which does not start if the library cannot be opened."""
    library = (named_library if read_only else library_of)(settings)
    library.check_format()
    return library


def no_library(library: Library) -> NotInLibraryError:
    """Return the error for a place without a library."""
    return NotInLibraryError(
        f"there is no library at {library.location}", hint="check the place, or create one with: readagent read FILE"
    )


def is_source(name: str) -> bool:
    """Whether this is a path, a URL or standard input, rather than a name in the library."""
    return name == "-" or is_address(name) or (bool(name.strip()) and path_of(name) is not None)


def document_of(name: str, library: Library, *, whole: bool = False) -> Document:
    """Return the document for a path, a URL, or a name in the library.

    A URL that was read before is not downloaded again, unless the ``whole`` text of a web page is wanted.
    """
    if is_address(name):
        row = None if whole else _at(name, library)
        return loaded(name, whole) if row is None else library.document(row.id)
    path = path_of(name)
    if name == "-" or (path is not None and not _is_known_rather(name, library)):
        known = None if path is None or whole else known_document(path, library)
        if known is not None:
            return known
        document = with_additions(loaded(name, whole), library, report=True)
        if library.row(document.id) is not None and not whole:
            library.add(document, current=True)  # the file has this text now
            if path is not None:
                remember_file(path, document.id, library)
        return document
    return library.document(_find(name, library).id)


def loaded(name: str, whole: bool) -> Document:
    """Load a document, and show on a terminal that this is being done."""
    if name == "-" and sys.stdin is not None and sys.stdin.isatty():
        return load(name, whole=whole)  # a line that is drawn again and again would tear what is typed
    with Progress(doing=f"loading {'standard input' if name == '-' else name}"):
        return load(name, whole=whole)


def with_additions(document: Document, library: Library, *, report: bool = False) -> Document:
    """Return the document in a file with what was appended to it in the library.

    If the file has grown since, the appended text comes after the new part. If it has changed otherwise, the appended
    text is left out. With ``report``, both are said on standard error.
    """
    newest = library.newest_at(document.source) if document.source else None
    row = library.row(newest) if newest is not None and newest != document.id else None
    known = None if row is None else library.document(row.id)
    if known is None or known.source_end is None:
        return document
    original = known.text[: known.source_end]
    if document.text == original:
        return known
    name = known.title or Path(known.source).name
    if document.text.startswith(original):
        if report:
            echo(f"note: {name} has grown; the text that was appended to it now follows the new part", err=True)
        return rebase(replace(document, text=original), known, document)
    if report:
        echo(
            f"note: {name} has changed; the text that was appended to it is in the earlier version {known.id[:8]}",
            err=True,
        )
    return document


def known_memory(name: str, library: Library, task: str = "") -> GistMemory:
    """Return the newest memory of a document in the library, without reading anything."""
    path = None if is_address(name) else path_of(name)
    if is_address(name):
        row = _at(name, library)
    elif path is not None and path.is_file():
        row = _of_file(name, path, library)
    else:
        row = _find(name, library)
    memory = None if row is None else library.memory(row.id, task=task)
    if memory is not None:
        return memory
    if row is not None and (task or row.tasks):
        raise _not_read_so(name, row, task)
    state, verb = ("has not been read completely", "continue") if row else ("has not been read yet", "start")
    raise NotInLibraryError(f"{name} {state}", hint=f"{verb} with: readagent read {quote(name)}")


def report_tasks(name: str, row: DocumentRow | None) -> None:
    """Say on standard error that a document was read for tasks before, and is now read without one."""
    if row is not None and row.tasks:
        echo(
            f"note: {name} has been read {_for(row.tasks)} and is now read without a task; "
            f"to use {'that reading' if len(row.tasks) == 1 else 'the latest'}: --task {quote(row.tasks[0])}",
            err=True,
        )


def _not_read_so(name: str, row: DocumentRow, task: str) -> NotInLibraryError:
    """Return the error for a document that was not read for this task, or only for tasks."""
    if task:
        there = f"it was read {_for(row.tasks)}; " if row.tasks else ""
        hint = f"{there}start with: readagent read {quote(name)} --task {quote(task)}"
        return NotInLibraryError(f"{name} has not been read for this task", hint=hint)
    return NotInLibraryError(
        f"{name} has been read {_for(row.tasks)} only",
        hint=f"add --task {quote(row.tasks[0])}, or read it without a task: readagent read {quote(name)}",
    )


def _for(tasks: Sequence[str]) -> str:
    """Return the first tasks in words."""
    named = ", ".join(quote(shorten(task, 60)) for task in tasks[:3])
    more = f" and {len(tasks) - 3} more" if len(tasks) > 3 else ""
    return f"for the task{'' if len(tasks) == 1 else 's'} {named}{more}"


def _is_known_rather(name: str, library: Library) -> bool:
    """Whether a bare name refers to a document in the library although there is a folder of that name."""
    if not is_folder(name) or name != Path(name).name:
        return False
    try:
        return str(Path(name).resolve()) not in library.find_document(name).locations
    except NotInLibraryError:
        return False


def _at(name: str, library: Library) -> DocumentRow | None:
    """Return the document that was last read from a URL."""
    from readagent.loaders.sources.web import address_of

    address = address_of(name)
    return next((row for row in library.documents() if address in row.locations), None)


def _of_file(name: str, path: Path, library: Library) -> DocumentRow | None:
    """Return the document in a file; raise an error if the file has changed since it was read."""
    known = known_document(path, library)
    row = library.row((with_additions(load(name), library) if known is None else known).id)
    if row is not None:
        return row
    source = str(path.resolve())
    before = next((one for one in library.documents() if source in one.locations), None)
    if before is not None:
        raise NotInLibraryError(
            f"{name} has changed since it was read",
            hint=f"read it again: readagent read {quote(name)}; the version that was read has the id {before.id[:8]}",
        )
    return None


def path_of(name: str) -> Path | None:
    """Return the file or folder of this name, if it exists."""
    try:
        path = Path(name).expanduser()
        return path if path.exists() else None
    except (OSError, ValueError, RuntimeError):
        return None


def _find(name: str, library: Library) -> DocumentRow:
    """Return the document of this name in the library; for a name that looks like a file, say what is wrong with it."""
    try:
        return library.find_document(name)
    except NotInLibraryError as error:
        ambiguous = error.candidates and not error.hint.startswith("did you mean")
        if ambiguous or not (Path(name).suffix or "/" in name or os.sep in name):
            raise
        if is_folder(name):
            raise NotInLibraryError(
                f"{name} has not been read as one document",
                hint=f"run: readagent read {quote(name)} --as-one; or name a file in it",
            ) from None
        try:
            load(name)
        except LoadError as missing:
            raise NotInLibraryError(
                f"{missing}, and there is no document of that name in the library",
                hint=error.hint if error.candidates else missing.hint,
                candidates=error.candidates,
            ) from None
        raise
