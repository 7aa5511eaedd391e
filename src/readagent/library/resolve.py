"""Names: from what a user typed to a document, and what the name of a new shelf must be like."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from readagent.core.escaping import visible
from readagent.errors import NotInLibraryError, UsageError
from readagent.library.rows import DocumentRow

_SHORTEST_PREFIX = 4
_SUGGESTED = 3


def resolve(name: str, documents: Sequence[DocumentRow]) -> DocumentRow:
    """Return the one document that ``name`` refers to.

    Ids, paths, file names and titles are tried in turn; the first that matches anything decides. Raise
    ``NotInLibraryError``, with the candidates, if nothing or more than one document matches.
    """
    wanted = name.strip()
    if not documents:
        raise NotInLibraryError("the library is empty", hint="read a document first: readagent read FILE")
    for matches in _ids(wanted.casefold()) if wanted else ():
        if found := [document for document in documents if matches(document)]:
            return _only(found, name)
    for matches in _names(name, wanted.casefold()) if wanted else ():
        if found := [document for document in documents if matches(document)]:
            return _only([document for document in found if document.newest] or found, name)
    close = _closest(wanted, documents)
    names = list(dict.fromkeys(repr(document.name) for document in close))[:_SUGGESTED]
    raise NotInLibraryError(
        f"there is no document {name!r} in the library",
        hint=f"did you mean {' or '.join(names)}?" if names else "list the documents: readagent list",
        candidates=[document.id for document in close],
    )


def _only(found: Sequence[DocumentRow], name: str) -> DocumentRow:
    if len(found) > 1:
        raise NotInLibraryError(
            f"{name!r} is ambiguous: it matches {_any_of(found)}",
            hint="give the id of one of them; the first four characters are enough",
            candidates=[document.id for document in found],
        )
    return found[0]


def _ids(wanted: str) -> list[Callable[[DocumentRow], bool]]:
    return [
        lambda one: one.id == wanted,
        lambda one: len(wanted) >= _SHORTEST_PREFIX and one.id.startswith(wanted),
    ]


def _names(name: str, wanted: str) -> list[Callable[[DocumentRow], bool]]:
    paths = _paths(name)
    return [
        lambda one: not paths.isdisjoint(one.locations),
        lambda one: one.source in paths,
        lambda one: name in one.file_names,
        lambda one: one.title.strip().casefold() == wanted,
        lambda one: any(wanted in (part.casefold(), Path(part).stem.casefold()) for part in one.file_names),
        lambda one: one.title.strip().casefold().startswith(wanted),
        lambda one: len(wanted) >= _SHORTEST_PREFIX and wanted in one.title.casefold(),
    ]


def _paths(name: str) -> set[str]:
    paths = {name}
    with suppress(ValueError, OSError):  # not every name can be a path
        paths |= {os.path.abspath(name), os.path.realpath(name), os.path.realpath(os.path.expanduser(name))}
    return paths


def _any_of(documents: Sequence[DocumentRow]) -> str:
    names = [f"{document.name} ({_details(document)})" for document in documents[:5]]
    if len(documents) > 5:
        names.append(f"{len(documents) - 5} more")
    return ", ".join(names[:-1]) + " and " + names[-1]


def _details(document: DocumentRow) -> str:
    """Return the id of a document, with its file name where its title says something else."""
    file = document.file_name
    return document.id[:8] if file in ("", document.name) else f"{document.id[:8]}, {file}"


def _closest(wanted: str, documents: Sequence[DocumentRow]) -> list[DocumentRow]:
    """Return the documents with names similar to the wanted one, the most similar first; else those that contain it."""
    known = _aliases(documents, len(wanted))
    file_name = Path(wanted).name if "\0" not in wanted else wanted
    close = [
        known[alias]
        for guess in dict.fromkeys((wanted.casefold(), file_name.casefold()))
        for alias in difflib.get_close_matches(guess, known, n=_SUGGESTED, cutoff=0.6)
    ]
    if wanted and not close:
        close = [document for alias, document in known.items() if wanted.casefold() in alias]
    return list({document.id: document for document in close}.values())


def _aliases(documents: Sequence[DocumentRow], id_length: int) -> dict[str, DocumentRow]:
    """Return every name that a document can be typed by; of several documents the newest, added first, has the name."""
    known: dict[str, DocumentRow] = {}
    for _, document in sorted(enumerate(documents), key=lambda pair: (pair[1].newest, -pair[0])):
        names = [*document.file_names, *(Path(part).stem for part in document.file_names)]
        for alias in (document.id, document.id[:id_length], document.source, *names, document.title):
            if alias:
                known[alias.casefold()] = document
    return known


_LONGEST = 100  # characters


def check_shelf_name(name: str, hint: str) -> None:
    """Raise UsageError for a name that a new shelf cannot have."""
    if not name:
        raise UsageError("a shelf needs a name", hint=hint)
    if visible(name) != name:
        raise UsageError("the name of a shelf cannot have control characters", hint=hint)
    if name in (".", ".."):  # browsers take them out of addresses
        raise UsageError(f"the name of a shelf cannot be {name!r}", hint=hint)
    if len(name) > _LONGEST:
        raise UsageError(f"the name of a shelf can have at most {_LONGEST} characters", hint=hint)
