"""Resources: the documents of the library, their gists and their pages, under readagent:// addresses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from readagent.adapters.results import indices_of
from readagent.errors import NotInLibraryError, ReadAgentError, UsageError
from readagent.library import Library
from readagent.mcp_server.desk import FindMemory, PagesSoFar, how_far, info, one_line, row_of
from readagent.mcp_server.results import MATERIAL, shown

_JSON, _TEXT = "application/json", "text/plain"


def add_resources(server: MCPServer[None], library: Library, find: FindMemory, so_far: PagesSoFar) -> None:
    """Add the resources of a library to a server. ``find`` returns the memory of a document, by its id or title."""

    @server.resource("readagent://documents", title="Documents in the library", mime_type=_JSON)
    def documents() -> str:
        """All documents in the library, with their ids."""
        with _one_line():
            return json.dumps([asdict(info(row, so_far)) for row in library.documents()], ensure_ascii=False)

    @server.resource("readagent://documents/{document}", title="A document", mime_type=_JSON)
    def document(document: str) -> str:
        """One document: its title, words, pages and state."""
        with _one_line():
            return json.dumps(asdict(info(row_of(library, document), so_far)), ensure_ascii=False)

    @server.resource("readagent://documents/{document}/gists", title="The gists of a document", mime_type=_TEXT)
    async def gists(document: str) -> str:
        """What each page of a document is about, in order."""
        with _one_line():
            memory = await find(document)
            return fenced([(page.number, memory.gists[page.number].text) for page in memory.pages], how_far(memory))

    @server.resource("readagent://documents/{document}/pages/{page}", title="A page", mime_type=_TEXT)
    async def page(document: str, page: str) -> str:
        """One page of a document, word for word. Pages are counted from 1."""
        with _one_line():
            memory = await find(document)
            (index,) = indices_of(memory, [int(page) if page.isdecimal() and len(page) < 10 else 0])
            return fenced([(index, memory.page_text(index).strip())], how_far(memory))


def fenced(pages: list[tuple[int, str]], unfinished: str = "") -> str:
    """Return texts of pages between tags that no text can forge, after lines that say what they are."""
    blocks = [f"<Page {index + 1}>\n{shown(text)}\n</Page {index + 1}>" for index, text in pages]
    return "\n\n".join(filter(None, [MATERIAL, unfinished, *blocks]))


@contextmanager
def _one_line() -> Iterator[None]:
    """Raise an error as one line."""
    try:
        yield
    except (NotInLibraryError, UsageError) as error:
        raise ResourceNotFoundError(one_line(error)) from None
    except ReadAgentError as error:
        raise ResourceError(one_line(error)) from None
