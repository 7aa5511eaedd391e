"""Sources: a document, or the path or address of one, which is then loaded."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TypeVar

from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.places import shortened
from readagent.errors import LoadError, UsageError
from readagent.loaders import load
from readagent.loaders.sources.source import is_address

Source = Document | str | Path
S = TypeVar("S", bound=Source)
Many = TypeVar("Many")

_A_TEXT = "a text is read with Document.from_text(…)"


async def document_of(source: Source) -> Document:
    """Return a document, loaded from its path or address if need be. A str names a source, it is never a text."""
    if isinstance(source, Document):
        return source
    _check(source)
    return await asyncio.to_thread(_loaded, source)


def _check(source: object) -> None:
    """Raise UsageError for what cannot be a path or an address."""
    if not isinstance(source, str | PathLike):
        hint = _A_TEXT
        if hasattr(source, "read"):
            hint = "give the path of the file"
        elif isinstance(source, Iterable) and not isinstance(source, bytes | bytearray):
            hint = "several documents are read with read_all"
        raise UsageError(f"a document, a path or a URL is needed, not {type(source).__name__}", hint=hint)
    if "\n" in str(source):
        raise UsageError("a path or a URL is needed, not a text of several lines", hint=_A_TEXT)


def _loaded(source: str | Path) -> Document:
    try:
        return load(source)
    except LoadError as error:
        if not isinstance(source, str) or is_address(source) or _exists(source):
            raise
        raise LoadError(f"there is no file {shortened(source, 80)}", hint=f"{error.hint}; {_A_TEXT}") from None


def _exists(source: str) -> bool:
    try:
        return source == "-" or Path(source).expanduser().exists()
    except (OSError, ValueError, RuntimeError):  # not a path: too long, for example
        return False


def require_memory(memory: object) -> None:
    """Raise UsageError for anything that is not a memory, such as the path of a document."""
    if not isinstance(memory, GistMemory):
        hint = "read the document first: memory = agent.read(source)"
        raise UsageError(f"a memory is needed, not {type(memory).__name__}", hint=hint)


def require_text(more: object) -> None:
    """Raise UsageError for anything that cannot be appended to a document."""
    if not isinstance(more, str | Document):
        hint = "give a text, or a document: load(path) returns one"
        raise UsageError(f"a text or a Document is needed, not {type(more).__name__}", hint=hint)


def several(sources: Many) -> Many:
    """Return several sources; raise UsageError for a single one, since a path is a sequence of letters too."""
    if isinstance(sources, Document | str | PathLike):
        raise UsageError("several documents are needed, not one", hint="give a list of documents, paths or URLs")
    return sources
