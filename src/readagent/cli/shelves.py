"""Adding documents to a shelf with `read --shelf` and `shelf add`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from readagent.cli.output import counted
from readagent.cli.screen import echo
from readagent.errors import UsageError
from readagent.library import Library
from readagent.sync import ReadAgent, Shelf


@contextmanager
def shelf_to_fill(name: str, agent: ReadAgent, library: Library) -> Iterator[Shelf]:
    """Yield the shelf of this name; then say on standard error how many documents it has, and whether it is new."""
    if not name.strip():
        raise UsageError("the name of the shelf is empty", hint="see the shelves: readagent shelf list")
    shelf = Shelf(agent, name)
    before = _documents(shelf, library)
    yield shelf
    after = _documents(shelf, library)
    if after is not None:
        new = "new " if before is None else ""
        echo(f"{counted(after, 'document')} on the {new}shelf {shelf.name}", err=True)


def _documents(shelf: Shelf, library: Library) -> int | None:
    """Return how many documents are on the shelf; None if it does not exist."""
    if not library.exists():
        return None
    name = shelf.name.casefold()
    return next((row.documents for row in library.shelves.all() if row.name.casefold() == name), None)
