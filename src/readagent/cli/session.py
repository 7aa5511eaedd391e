"""What a command works with: the library, an agent for the model in the settings, and the document that is meant."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from readagent.agent import ReadAgent
from readagent.cli.options import plan_of, says_how_to_read, settings_of
from readagent.cli.progress import Progress
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.errors import NotInLibraryError
from readagent.library import Library
from readagent.loaders import load
from readagent.settings import Settings


def library_of(settings: Settings) -> Library:
    """The library in the home folder."""
    return Library(settings.library_path)


@contextmanager
def agent_for(flags: dict[str, Any]) -> Iterator[tuple[ReadAgent, Library]]:
    """An agent for the model that the flags name, with the user's library."""
    settings = settings_of(flags)
    named = {field.name: getattr(settings, field.name) for field in fields(settings) if field.name != "home"}
    source, model = (settings.base_url, settings.model) if settings.base_url else (settings.model, "")
    del named["model"], named["base_url"]
    with library_of(settings) as library:
        agent = ReadAgent(source, model=model, library=library, plan=plan_of(flags, settings), **named)
        with agent:
            yield agent, library


def memory_of(name: str, flags: dict[str, Any], agent: ReadAgent, library: Library) -> GistMemory:
    """The memory of the document that is meant by a file's path or by a name in the library; read now if need be."""
    document = _document(name, library)
    with Progress() as progress:
        if not says_how_to_read(flags):
            memory = agent.recall(document.id, listen=progress)
            if memory is not None:
                return memory
        return agent.read(document, listen=progress)


def _document(name: str, library: Library) -> Document:
    if name == "-" or Path(name).expanduser().exists():
        return load(name)
    return library.document(library.find_document(name).id)


def known_memory(name: str, library: Library) -> GistMemory:
    """The newest finished memory of a document in the library; nothing is read for it."""
    if name != "-" and Path(name).expanduser().is_file():
        document_id = load(name).id
    else:
        document_id = library.find_document(name).id
    memory = library.memory(document_id)
    if memory is None:
        raise NotInLibraryError(f"{name} has not been read to its end", hint=f"go on with: readagent read {name}")
    return memory
