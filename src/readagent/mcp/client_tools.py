"""Tools with which the client's own model reads a document into the library, page by page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import anyio.to_thread
from mcp.server import MCPServer
from mcp.types import ToolAnnotations
from pydantic import Field

from readagent.core.escaping import counted, escape_tokens
from readagent.errors import UsageError
from readagent.mcp.client_reading import ClientReading
from readagent.mcp.context import ClientContext, info
from readagent.mcp.library_tools import LOOKS, Address, DocumentName, FilePath, Title, WholeText, pages_result
from readagent.mcp.results import DocumentInfo, PassageResult, Progress, shown

_LAST = 3  # pages whose gists are told when a reading goes on
_KEEPS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True)


@dataclass(frozen=True)
class PageToKeep:
    """The end of a page, and its gist."""

    pause: Annotated[int, Field(description="The label at which the page ends.")]
    gist: Annotated[
        str,
        Field(
            description="The page, shortened: what happens and what is said, in order, with names and numbers, in the "
            "language of the text, without comments of your own."
        ),
    ]


class ClientTools:
    """The tools of a library whose documents the client reads itself."""

    def __init__(self, context: ClientContext) -> None:
        self._context = context

    def add_to(self, server: MCPServer[None]) -> None:
        """Add the tools to a server."""
        server.add_tool(self.add_document, annotations=_ADDS, structured_output=True)
        server.add_tool(self.next_passage, annotations=LOOKS, structured_output=True)
        server.add_tool(self.keep_pages, annotations=_KEEPS, structured_output=True)

    def add_document(
        self,
        path: FilePath = "",
        url: Address = "",
        text: WholeText = "",
        title: Title = "",
    ) -> DocumentInfo:
        """Add a document to the library, to read it with next_passage and keep_pages. Give a path, a URL or a text.

        Let a sub-agent read it, or a new conversation: all of its text passes through the context of the one who reads.
        """
        document = self._context.sources.load(path=path, url=url, text=text, title=title)
        row = self._context.library.row(self._context.library.add(document, current=True))
        assert row is not None
        return info(row, self._context.so_far)

    async def next_passage(self, document: DocumentName) -> Progress:
        """Return the next part of a document that you are reading, with a label at each place where a page may end.

        The reading goes on where it was, also after days and in another program: the result has the gists of the last
        pages, and memory those of all pages so far. Then call keep_pages.
        """
        async with self._context.turn:
            reading = await anyio.to_thread.run_sync(self._context.reading, document)
            return await _progress(reading, _LAST)

    async def keep_pages(
        self,
        document: DocumentName,
        pages: Annotated[list[PageToKeep], Field(min_length=1, description="The next pages, in order.")],
    ) -> Progress:
        """Divide the passage into pages, keep each with its gist, and return the next passage; its rules say how long.

        End a page where a person would pause: a change of scene, the end of an argument or a topic. What is left of the
        passage comes again. When all is read, the document can be asked about.
        """
        async with self._context.turn:
            reading = await anyio.to_thread.run_sync(self._context.reading, document)
            for kept, page in enumerate(pages):
                try:
                    await reading.keep(page.pause, page.gist)
                except UsageError as error:
                    again = f"{error.hint}; send this page and those after it again" if kept else error.hint
                    told = f"{counted(kept, 'page')} kept, but not the one up to <{page.pause}>: {error}"
                    raise UsageError(told if kept else str(error), hint=again) from None
            return await _progress(reading)


async def _progress(reading: ClientReading, last_gists: int = 0) -> Progress:
    passage = await reading.next()
    if passage is None:
        await reading.finish()
    document, memory = reading.document, reading.so_far()
    last = range(len(memory.pages))[max(0, len(memory.pages) - last_gists) :]
    return Progress(
        document.id,
        shown(document.title),
        len(reading.pages),
        sum(page.words for page in reading.pages),
        document.words,
        passage is None,
        None if passage is None else PassageResult(passage.begins, escape_tokens(passage.text), passage.rules),
        pages_result(memory, last, lambda index: memory.gists[index].text).pages if last else [],
    )
