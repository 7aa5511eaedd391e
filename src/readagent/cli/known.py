"""What commands that need no model work with: the library, and the document in it that is meant."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from textwrap import shorten

import click

from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.errors import LoadError, NotInLibraryError
from readagent.library import DocumentRow, Library
from readagent.loaders import is_address, is_folder, load
from readagent.settings import Settings

_POINTING = ("did you mean", "name one of them")  # hints of the library that point to one of its documents


def library_of(settings: Settings) -> Library:
    """The library in the home folder."""
    return Library(settings.library_path)


def document_of(name: str, library: Library) -> Document:
    """The document that is meant by a file's path, an address on the web, or a name in the library.

    What lies at an address that was read before is not fetched again.
    """
    if is_address(name):
        row = _at(name, library)
        return load(name) if row is None else library.document(row.id)
    if name == "-" or (_path(name) is not None and not _is_known_rather(name, library)):
        document = with_additions(load(name), library)
        if library.row(document.id) is not None:
            library.add(document, current=True)  # this is what the file holds now
        return document
    return library.document(_find(name, library).id)


def with_additions(document: Document, library: Library) -> Document:
    """The document as the library has it, where its file is as it was read and more was added to it in the library."""
    newest = library.newest_at(document.source) if document.source else None
    row = library.row(newest) if newest is not None and newest != document.id else None
    if row is None:
        return document
    known = library.document(row.id)
    unchanged = known.source_end == len(document.text) and known.text.startswith(document.text)
    return known if unchanged else document


def known_memory(name: str, library: Library, task: str = "") -> GistMemory:
    """The newest finished memory of a document in the library, the general one or one for a task; nothing is read."""
    path = None if is_address(name) else _path(name)
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
    state, verb = ("has not been read to its end", "go on") if row else ("has not been read yet", "begin")
    raise NotInLibraryError(f"{name} {state}", hint=f"{verb} with: readagent read {name}")


def tell_tasks(name: str, row: DocumentRow | None) -> None:
    """On standard error: that a document which is about to be read in general was read for tasks before."""
    if row is not None and row.tasks:
        click.echo(
            f"note: {name} has been read {_for(row.tasks)}, and is now read in general; "
            f"to ask what was made for {'it' if len(row.tasks) == 1 else 'the last'}: --task {quote(row.tasks[0])}",
            err=True,
        )


def _not_read_so(name: str, row: DocumentRow, task: str) -> NotInLibraryError:
    """For a document that has no memory for this task, or none but for tasks; what there is is told."""
    if task:
        there = f"it was read {_for(row.tasks)}; " if row.tasks else ""
        hint = f"{there}begin with: readagent read {name} --task {quote(task)}"
        return NotInLibraryError(f"{name} has not been read for this task", hint=hint)
    return NotInLibraryError(
        f"{name} has been read {_for(row.tasks)}, and not in general",
        hint=f"say --task {quote(row.tasks[0])}, or read it in general: readagent read {name}",
    )


def _for(tasks: Sequence[str]) -> str:
    """A few of the tasks in words."""
    named = ", ".join(quote(shorten(task, 60)) for task in tasks[:3])
    more = f" and {len(tasks) - 3} more" if len(tasks) > 3 else ""
    return f"for the task{'' if len(tasks) == 1 else 's'} {named}{more}"


def _is_known_rather(name: str, library: Library) -> bool:
    """Whether a bare name, though there is a folder of that name, means a document that was read from elsewhere."""
    if not is_folder(name) or name != Path(name).name:
        return False
    try:
        return str(Path(name).resolve()) not in library.find_document(name).lies_in
    except NotInLibraryError:
        return False


def _at(name: str, library: Library) -> DocumentRow | None:
    """The document that was last found at an address on the web."""
    from readagent.loaders.sources.web import address_of

    address = address_of(name)
    return next((row for row in library.documents() if address in row.lies_in), None)


def _of_file(name: str, path: Path, library: Library) -> DocumentRow | None:
    """The document in a file. Where the file was read and has another text now, that is told."""
    row = library.row(with_additions(load(name), library).id)
    if row is not None:
        return row
    source = str(path.resolve())
    before = next((one for one in library.documents() if source in one.lies_in), None)
    if before is not None:
        raise NotInLibraryError(
            f"{name} has changed since it was read",
            hint=f"read it anew: readagent read {name}; what was read has the id {before.id[:8]}",
        )
    return None


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
        if is_folder(name):
            raise NotInLibraryError(
                f"{name} has not been read as one document",
                hint=f"readagent read {name} --as-one; or name a file in it",
            ) from None
        try:
            load(name)
        except LoadError as missing:
            raise NotInLibraryError(
                f"{missing}, and the library has no document of that name", hint=missing.hint
            ) from None
        raise
