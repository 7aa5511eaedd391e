"""Tools with which the client's own model reads a document into the library, page by page."""

from __future__ import annotations

from typing import Annotated

import anyio.to_thread
from mcp.server import MCPServer
from mcp.types import ToolAnnotations
from pydantic import Field

from readagent.core.escaping import escape_tokens
from readagent.mcp.client_reading import ClientReading, Passage
from readagent.mcp.context import ClientContext, info
from readagent.mcp.library_tools import LOOKS, Address, DocumentName, FilePath, Title, WholeText, pages_result
from readagent.mcp.results import DocumentInfo, PassageResult, PlaceResult, Progress, shown

_LAST = 3  # pages whose gists are told with the next passage
_KEEPS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True)


class ClientTools:
    """The tools of a library whose documents the client reads itself."""

    def __init__(self, context: ClientContext) -> None:
        self._context = context

    def add_to(self, server: MCPServer[None]) -> None:
        """Add the tools to a server."""
        server.add_tool(self.add_document, annotations=_ADDS, structured_output=True)
        server.add_tool(self.next_passage, annotations=LOOKS, structured_output=True)
        server.add_tool(self.keep_page, annotations=_KEEPS, structured_output=True)

    def add_document(
        self,
        path: FilePath = "",
        url: Address = "",
        text: WholeText = "",
        title: Title = "",
    ) -> DocumentInfo:
        """Add a document to the library, to read it with next_passage and keep_page. Give a path, a URL or a text."""
        document = self._context.sources.load(path=path, url=url, text=text, title=title)
        row = self._context.library.row(self._context.library.add(document, current=True))
        assert row is not None
        return info(row, self._context.so_far)

    async def next_passage(self, document: DocumentName) -> Progress:
        """Return the next part of a document that you are reading, with numbered places to pause.

        Choose the place where a person would pause: a change of scene, the end of an argument or a topic. Then call
        keep_page. The reading goes on where it was, also after days and in another program: the result has the gists of
        the last pages, and memory those of all pages so far.
        """
        async with self._context.turn:
            reading = await anyio.to_thread.run_sync(self._context.reading, document)
            return await _progress(reading)

    async def keep_page(
        self,
        document: DocumentName,
        page: Annotated[int, Field(description="The page number of the passage.")],
        pause: Annotated[int, Field(description="The label at which the page ends.")],
        gist: Annotated[
            str,
            Field(
                description="The text up to the label, shortened to about gist_words of that place: what happens and "
                "what is said, in order, in the language of the text, without comments of your own."
            ),
        ],
    ) -> Progress:
        """Keep a page with its gist, and return the next passage. When all is read, the document can be asked about."""
        async with self._context.turn:
            reading = await anyio.to_thread.run_sync(self._context.reading, document)
            await reading.keep(page - 1, pause, gist)
            return await _progress(reading)


async def _progress(reading: ClientReading) -> Progress:
    passage = await reading.next()
    if passage is None:
        await reading.finish()
    document, memory = reading.document, reading.so_far()
    last = range(len(memory.pages))[-_LAST:]
    return Progress(
        document.id,
        shown(document.title),
        len(reading.pages),
        sum(page.words for page in reading.pages),
        document.words,
        passage is None,
        pages_result(memory, last, lambda index: memory.gists[index].text).pages if last else [],
        None if passage is None else _passage(passage),
    )


def _passage(passage: Passage) -> PassageResult:
    places = [PlaceResult(label, one.words, one.gist_words) for label, one in enumerate(passage.places, start=1)]
    return PassageResult(passage.page + 1, escape_tokens(passage.text), places)
