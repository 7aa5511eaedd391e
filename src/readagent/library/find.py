"""Finding the document a person means: by id, path, file name or title, and the nearest names if there is none."""

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
    for fits in _ways(name, wanted.casefold()) if wanted else ():
        found = [document for document in documents if fits(document)]
        if len(found) == 1:
            return found[0]
        if found:
            raise NotInLibraryError(
                f"{name!r} may mean {_any_of(found)}", hint="name one of them by its id; four characters are enough"
            )
    raise NotInLibraryError(f"there is no document {name!r} in the library", hint=_nearest(wanted, documents))


def _ways(name: str, wanted: str) -> list[Callable[[DocumentRow], bool]]:
    paths = _paths(name)
    return [
        lambda one: one.id == wanted,
        lambda one: len(wanted) >= _SHORTEST_PREFIX and one.id.startswith(wanted),
        lambda one: one.source in paths,
        lambda one: one.file_name == name,
        lambda one: one.title.strip().casefold() == wanted,
        lambda one: one.file_name.casefold() == wanted or Path(one.file_name).stem.casefold() == wanted,
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
    for document in reversed(documents):
        stem = Path(document.file_name).stem
        for alias in (
            document.id,
            document.id[: len(wanted)],
            document.source,
            document.file_name,
            stem,
            document.title,
        ):
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
