"""Tools that use what is in the library, without a model: list, search, read gists, open pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated

from anyio import to_thread
from mcp.server import MCPServer
from mcp.types import ToolAnnotations
from pydantic import Field

from readagent.adapters.passages import indices_of, shown_pages
from readagent.core.document import LONGEST_TITLE
from readagent.core.memory import GistMemory
from readagent.errors import NotInLibraryError
from readagent.library import DocumentRow, Hit, Library
from readagent.library.search import MOST_WORDS, passages
from readagent.mcp.context import FindMemory, PagesSoFar, document_names, how_far, info, row_of
from readagent.mcp.results import Documents, HitResult, Hits, Pages, PageText, document_name, for_model, shown
from readagent.records import record
from readagent.records.documents import HitRecord

_MOST_NAMED = 20  # documents that a search names as not searched
_LOOKED_AT = 500  # passages with the words, in a document that is not read to its end
LOOKS = ToolAnnotations(read_only_hint=True, open_world_hint=False)

DocumentName = Annotated[str, Field(description="The id or title of a document, as in list_documents.")]
FilePath = Annotated[str, Field(description="A file or folder in the allowed folders.")]
Address = Annotated[str, Field(description="The address of a public web page or file.")]
WholeText = Annotated[str, Field(description="The text itself.")]
Title = Annotated[str, Field(max_length=LONGEST_TITLE, description="A title, if the document has none.")]


class LibraryTools:
    """The tools over one library. ``find`` returns the memory of a document, by its id or title."""

    def __init__(self, library: Library, find: FindMemory, so_far: PagesSoFar) -> None:
        self._library, self._find, self._so_far = library, find, so_far

    def add_to(self, server: MCPServer[None]) -> None:
        """Add the tools to a server."""
        for tool in (self.list_documents, self.search, self.memory, self.open_pages):
            server.add_tool(tool, annotations=LOOKS, structured_output=True)

    def list_documents(self) -> Documents:
        """List the documents in the library with their ids, and the shelves. Call this first.

        The state of a document is new (not read yet), reading (begun, not finished), failed (the problem says why) or
        done.
        """
        shelves = [shown(shelf.name) for shelf in self._library.shelves.all()]
        return Documents([info(row, self._so_far) for row in self._library.documents()], shelves)

    async def search(
        self,
        words: Annotated[
            str,
            Field(
                max_length=1000,
                description=f'Words that must all be on the page (up to {MOST_WORDS}), or "a phrase" in quotes.',
            ),
        ],
        document: Annotated[str, Field(description="Only in this document; empty for all.")] = "",
        limit: Annotated[int, Field(ge=1, le=100, description="Maximum number of pages.")] = 20,
    ) -> Hits:
        """Find pages by their words, in documents that were read. For questions of meaning, read the memory instead."""
        hits, names, unread = await to_thread.run_sync(self._found, words, document.strip(), limit)
        for row in [one for one in unread if one.state == "reading"]:
            with suppress(NotInLibraryError):  # no page of it is kept yet, or its reader is no client
                hits += hits_so_far(await self._find(row.id), words)[: limit - len(hits)]
                unread.remove(row)
        found = [
            for_model(HitResult, record(HitRecord, hit), document=names.get(hit.document, hit.document)) for hit in hits
        ]
        return Hits(found, [shown(row.title or row.id) for row in unread[:_MOST_NAMED]])

    def _found(self, words: str, document: str, limit: int) -> tuple[list[Hit], dict[str, str], list[DocumentRow]]:
        """Return the pages in documents that are read, the names of all, and the rows of those not read to the end."""
        only = row_of(self._library, document).id if document else None
        hits = self._library.search(words, document_id=only, limit=limit)
        unread = [row for row in self._library.documents() if row.state != "done" and only in (None, row.id)]
        return hits, document_names(self._library), unread

    async def memory(
        self,
        document: DocumentName,
        first_page: Annotated[int, Field(description="The page to begin with; next_page of the last result.")] = 1,
    ) -> Pages:
        """Read the gists of a document in order, which say what each page is about and which pages to open."""
        memory = await self._find(document)
        (first,) = indices_of(memory, [first_page])
        return pages_result(memory, range(first, len(memory.pages)), lambda index: memory.gists[index].text)

    async def open_pages(
        self,
        document: DocumentName,
        pages: Annotated[list[int], Field(description="Page numbers from 1, as in memory and search.")],
    ) -> Pages:
        """Read pages of a document in full, word for word."""
        memory = await self._find(document)
        return pages_result(memory, indices_of(memory, pages), lambda index: memory.page_text(index).strip())


def hits_so_far(memory: GistMemory, words: str) -> list[Hit]:
    """Return the pages with these words, in order, of a document that is not read to its end."""
    document, found = memory.document, dict[int, Hit]()
    for one in passages(document.text[: memory.pages[-1].end], words, _LOOKED_AT):
        page = memory.pages[memory.page_at(one.start + one.marks[0][0])]
        snippet = document.text[one.start : one.end]
        for start, end in reversed(one.marks):
            snippet = f"{snippet[:start]}[{snippet[start:end]}]{snippet[end:]}"
        place, snippet = document.place_at(one.start), " ".join(snippet.split())
        hit = Hit(document.id, document.title, page.number, snippet, "", place, page.start, page.end)
        found.setdefault(page.number, hit)
    return list(found.values())


def pages_result(memory: GistMemory, indices: Sequence[int], text: Callable[[int], str]) -> Pages:
    """Return as many pages as a result may hold, at least one, and the number of the next."""
    found, following = shown_pages(memory, indices, text)
    return Pages(
        document_name(memory.document.id, memory.document.source),
        shown(memory.document.title),
        len(memory.pages),
        [PageText(one.index + 1, shown(one.place), shown(one.text)) for one in found],
        following,
        how_far(memory),
    )
