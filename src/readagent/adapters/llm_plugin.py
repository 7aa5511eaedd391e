"""A plugin for `llm`: the gists of a document as a fragment, and tools for the user's library.

`llm` imports this module whenever it starts, so everything else is imported when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from shlex import quote
from typing import Any

try:
    import llm
except ImportError as error:
    from readagent.advice import missing_extra

    raise missing_extra("readagent.adapters.llm_plugin", "llm", "llm") from error


@llm.hookimpl
def register_fragment_loaders(register: Callable[..., None]) -> None:
    register("readagent", gists)


@llm.hookimpl
def register_tools(register: Callable[..., None]) -> None:
    class ReadAgent(llm.Toolbox):  # defined here, as earlier versions of llm have no toolboxes
        """Reads the documents in the ReadAgent library, or those on a shelf: ReadAgent("contracts")."""

        def __init__(self, shelf: str = "") -> None:
            self._shelf = shelf

        def tools(self) -> Iterator[llm.Tool]:
            yield from library_tools(self._shelf)

    register(ReadAgent)


def gists(name: str) -> llm.Fragment:
    """The gists of a document that ReadAgent has read, named by its file, title or id."""
    from readagent.errors import NotInLibraryError
    from readagent.settings import load_settings

    command = f"read it first: readagent read {quote(name)}"
    with load_settings().open_library() as library:
        try:
            row = library.find_document(name)
        except NotInLibraryError as error:  # llm shows the message, but no hint
            raise NotInLibraryError(f"{error}; {error.hint if error.candidates else command}") from None
        memories = (library.memory(row.id, task=task) for task in ("", *row.tasks))
        memory = next((one for one in memories if one is not None), None)
    if memory is None:
        raise NotInLibraryError(f"{row.name!r} has not been read yet; {command}")
    return llm.Fragment(f"{row.name}\n\n{memory.render()}", row.source or name)


def library_tools(shelf: str) -> Iterator[llm.Tool]:
    """Yield the tools for the library, or for a shelf of it, with the model of ReadAgent's settings."""
    from readagent.adapters.tools import Tools
    from readagent.settings import load_settings
    from readagent.sync import ReadAgent, Shelf

    settings = load_settings()
    agent = ReadAgent.from_settings(settings, library=settings.open_library())
    tools = Tools(agent, Shelf(agent, agent.library.shelves.find(shelf).name) if shelf else None)

    def run(name: str, /, **arguments: Any) -> str:
        return tools.call(name, arguments)

    for one in tools:
        implementation = partial(run, one.name)
        yield llm.Tool(f"ReadAgent_{one.name}", one.description, one.schema, implementation)
