"""Finding the document a person means: by id, path, address, file name or title; the nearest names if there is none.

Older versions are found by their ids, and by other names only where no newest version has that name.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from readagent.errors import NotInLibraryError
from readagent.library.rows import DocumentRow

_SHORTEST_PREFIX = 4


def find(name: str, documents: Sequence[DocumentRow]) -> DocumentRow:
    """The one document that ``name`` stands for; the first way of reading the name that fits any decides."""
    wanted = name.strip()
    if not documents:
        raise NotInLibraryError("the library is empty", hint="read a first document: readagent read FILE")
    for fits in _ids(wanted.casefold()) if wanted else ():
        if found := [document for document in documents if fits(document)]:
            return _only(found, name)
    for fits in _names(name, wanted.casefold()) if wanted else ():
        if found := [document for document in documents if fits(document)]:
            return _only([document for document in found if document.newest] or found, name)
    raise NotInLibraryError(f"there is no document {name!r} in the library", hint=_nearest(wanted, documents))


def _only(found: Sequence[DocumentRow], name: str) -> DocumentRow:
    if len(found) > 1:
        raise NotInLibraryError(
            f"{name!r} may mean {_any_of(found)}", hint="name one of them by its id; four characters are enough"
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
        lambda one: not paths.isdisjoint(one.lies_in),
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
    names = [f"{document.name} ({document.id[:8]})" for document in documents[:5]]
    if len(documents) > 5:
        names.append(f"{len(documents) - 5} more")
    return ", ".join(names[:-1]) + " or " + names[-1]


def _nearest(wanted: str, documents: Sequence[DocumentRow]) -> str:
    """What the library has that looks most like it; or simply what it has."""
    known: dict[str, DocumentRow] = {}
    backwards = sorted(enumerate(documents), key=lambda pair: (pair[1].newest, -pair[0]))
    for _, document in backwards:  # a name belongs to the last that has it
        names = [*document.file_names, *(Path(part).stem for part in document.file_names)]
        for alias in (document.id, document.id[: len(wanted)], document.source, *names, document.title):
            if alias:
                known[alias.casefold()] = document
    file_name = Path(wanted).name if "\0" not in wanted else wanted
    close = [
        known[alias]
        for guess in dict.fromkeys((wanted.casefold(), file_name.casefold()))
        for alias in difflib.get_close_matches(guess, known, n=3, cutoff=0.6)
    ]
    if wanted and not close:
        close = [document for alias, document in known.items() if wanted.casefold() in alias]
    names = list(dict.fromkeys(repr(document.name) for document in close))[:3]
    if names:
        return f"did you mean {' or '.join(names)}?"
    return "see what there is: readagent list"
