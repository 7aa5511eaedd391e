"""What a shell completes: titles of documents and names of shelves in the library, and files."""

from __future__ import annotations

from collections.abc import Iterator

import click
from click.shell_completion import CompletionItem

from readagent.errors import ReadAgentError


def complete_document(context: click.Context, option: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return the titles that begin so, and let the shell add files."""
    return [*_items(_titles(), begun), CompletionItem(begun, type="file")]


def complete_shelf(context: click.Context, option: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return the names of shelves that begin so."""
    return _items(_shelves(), begun)


def complete_file(context: click.Context, option: click.Parameter, begun: str) -> list[CompletionItem]:
    """Let the shell complete files."""
    return [CompletionItem(begun, type="file")]


def _items(names: Iterator[str], begun: str) -> list[CompletionItem]:
    """Return the names that begin so; none if the library cannot be read: a shell has no place for an error.

    A shell prints names as they are, so those with control characters are left out.
    """
    try:
        fitting = (name for name in names if name.lower().startswith(begun.lower()))
        return [CompletionItem(name) for name in fitting if name.isprintable()]
    except ReadAgentError:
        return []


def _titles() -> Iterator[str]:
    from readagent.cli.documents import existing_library
    from readagent.settings import load_settings

    with existing_library(load_settings()) as library:
        yield from (row.name for row in library.documents())


def _shelves() -> Iterator[str]:
    from readagent.cli.documents import existing_library
    from readagent.settings import load_settings

    with existing_library(load_settings()) as library:
        yield from (row.name for row in library.shelves.all())
