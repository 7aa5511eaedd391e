"""Context: what all tools share: the agent with its library, and the sources that a client may name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio
from anyio import to_thread

from readagent.advice import as_options
from readagent.agent import AsyncReadAgent
from readagent.conversation import AsyncConversation
from readagent.core.document import Document
from readagent.core.escaping import counted
from readagent.core.memory import GistMemory
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.errors import NotInLibraryError, ReadAgentError, UsageError
from readagent.library import DocumentRow, Library
from readagent.loaders import is_address, load
from readagent.mcp.client_reading import ClientReading
from readagent.mcp.readings import AgentReads, Read, Report, Run, run_here
from readagent.mcp.results import DocumentInfo, document_name, sendable, shown


class Sources:
    """Loads documents for a client. ``folders`` are those it may name files in; without any it may name none.

    Links are followed before a path is compared with the folders, and none after that, so no link leads out of them.
    ``allow_private`` permits URLs on this machine and the local network.
    """

    def __init__(self, folders: Sequence[Path] = (), *, allow_private: bool = False) -> None:
        self._allow_private = allow_private
        self.folders = tuple(folder.expanduser().resolve() for folder in folders)

    def load(self, *, path: str = "", url: str = "", text: str = "", title: str = "") -> Document:
        """Return the document at a path or a URL, or the one that the text is. Exactly one of the three is given."""
        if sum(bool(one.strip()) for one in (path, url, text)) != 1:
            raise UsageError("give exactly one of path, url and text")
        if text.strip():
            return Document.from_text(text, title=title.strip())
        if not url.strip():
            found, folder = self.allowed(path.strip())
            return load(found, title=title.strip(), inside=folder)
        if not is_address(url.strip()):
            raise UsageError("a URL begins with http:// or https://", hint="give the name of a file as path")
        return load(url.strip(), title=title.strip(), allow_private=self._allow_private)

    def allowed(self, path: str) -> tuple[Path, Path]:
        """Return the file or folder of this name and the allowed folder that it is in; raise UsageError if in none.

        The error is the same whether or not there is such a file outside.
        """
        if not self.folders:
            raise UsageError(
                "this server reads no files", hint="give the text itself, or start the server with `allow=FOLDER`"
            )
        for candidate in self._candidates(path):
            for folder in self.folders:
                if candidate.is_relative_to(folder):
                    return candidate, folder
        names = ", ".join(map(str, self.folders))
        raise UsageError(f"there is no such file in the allowed folders: {path!r}", hint=f"they are {names}")

    def _candidates(self, path: str) -> Iterator[Path]:
        """Yield the files that a name may mean, with links resolved: itself, or in the folders if it is relative."""
        try:
            named = Path(path).expanduser()
            if ".." in named.parts:
                return
            for one in [named] if named.is_absolute() else [folder / named for folder in self.folders]:
                if (resolved := one.resolve()).exists():
                    yield resolved
        except (OSError, ValueError, RuntimeError):  # not a path: too long, a circle of links, or no such user
            return


FindMemory = Callable[[str], Awaitable[GistMemory]]
PagesSoFar = Callable[[str], int | None]  # of a document that is not read to its end, by its id; None if not known

_HELD = 8  # readings by clients that are held at once
_LONGEST = 300  # characters of an error, and of its hint


@dataclass(frozen=True, slots=True)
class AgentContext:
    """An agent for clients. Tools that change the library or ask the model are left out if it is ``read_only``.

    ``reads`` is how documents are read; by default the agent reads them while the client waits.
    """

    agent: AsyncReadAgent
    sources: Sources
    run: Run = run_here
    read_only: bool = False
    reads: Read | None = None
    _conversations: dict[str, AsyncConversation] = field(default_factory=dict)
    _so_far: dict[str, int] = field(default_factory=dict)

    @property
    def library(self) -> Library:
        return self.agent.library

    def row(self, name: str) -> DocumentRow:
        """Return the row of a document, by its id or title."""
        return row_of(self.library, name)

    def memory(self, name: str) -> GistMemory:
        """Return the memory of a document with all of its pages; raise NotInLibraryError if it is not read yet."""
        row = self.row(name)
        memory = _newest(self.library, row)
        if memory is not None:
            return memory
        problem, hint = f"{row.name!r} has not been read to its end yet", "read it first"
        if row.state == "reading":
            pages = self.so_far(row.id)
            problem += f": {counted(pages, 'page')} found so far" if pages else ""
            problem += f"; reading stopped: {row.stopped}" if row.stopped else ""
            hint = "its reading has to be finished first" if self.read_only else "call read_document again to go on"
        raise NotInLibraryError(problem, hint=hint)

    async def find(self, name: str) -> GistMemory:
        """Do the same as ``memory``, on another thread."""
        return await to_thread.run_sync(self.memory, name)

    def so_far(self, document_id: str) -> int | None:
        """Return how many pages were found of a document that clients have begun to read here; None if none has."""
        return self._so_far.get(document_id)

    async def read(self, document: Document, report: Report) -> GistMemory:
        """Return the memory of a document that is in the library: read now, or known."""

        async def noted(percent: float, what: str, pages: int) -> None:
            self._so_far[document.id] = pages
            await report(percent, what, pages)

        return await (self.reads or AgentReads(self.agent, self.run))(document, noted)

    def conversation(self, name: str) -> AsyncConversation:
        """Return the conversation of this name."""
        found = AsyncConversation(self.agent, name)
        return self._conversations.setdefault(found.name, found)


class ClientContext:
    """A library for clients whose own model reads."""

    def __init__(self, library: Library, sources: Sources, plan: Plan, prompts: Prompts) -> None:
        self.library, self.sources = library, sources
        self._plan, self._prompts = plan, prompts
        self._readings: dict[str, ClientReading] = {}
        self.turn = anyio.Lock()  # one call after the other: each changes what is next

    def reading(self, name: str) -> ClientReading:
        """Return the reading of a document, by its id or title: a new one, or one that was begun."""
        document = row_of(self.library, name).id
        found = self._readings.pop(document, None)
        if found is None:
            found = ClientReading(self.library.document(document), self._plan, self._prompts, self.library)
        while len(self._readings) >= _HELD:
            del self._readings[next(iter(self._readings))]
        self._readings[document] = found
        return found

    async def memory(self, name: str) -> GistMemory:
        """Return the memory of a document; of one that is being read, that of the pages kept so far."""
        row = await to_thread.run_sync(row_of, self.library, name)
        known = await to_thread.run_sync(_newest, self.library, row)
        if known is not None:
            return known
        async with self.turn:
            reading = await to_thread.run_sync(self.reading, row.id)
            await reading.next()
        if not reading.pages:
            raise NotInLibraryError(f"nothing of {row.name!r} has been read yet", hint="call next_passage")
        return reading.so_far()

    def so_far(self, document_id: str) -> int | None:
        """Return how many pages were kept of a document that is being read here; None if it is not."""
        reading = self._readings.get(document_id)
        return None if reading is None else len(reading.pages)


def row_of(library: Library, name: str) -> DocumentRow:
    """Return the row of a document, by its id or title; raise NotInLibraryError with a hint for a client."""
    try:
        return library.find_document(name)
    except NotInLibraryError as error:
        rows = [row for row in library.documents() if row.id in error.candidates]
        close = ", ".join(f"{_short(row)} ({row.name[:60]})" for row in rows[:3])
        hint = f"similar ones: {close}" if close else "list_documents has all of them"
        raise NotInLibraryError(str(error), hint=hint) from None


def _short(row: DocumentRow) -> str:
    """Return a short name that a client can use for a document."""
    name = document_name(row.id, row.source)
    return name[:8] if name == row.id else name


def _newest(library: Library, row: DocumentRow) -> GistMemory | None:
    """Return the newest memory of a document, before any pages were merged."""
    memories = (library.memory(row.id, task=task) for task in ("", *row.tasks))
    return next((memory for memory in memories if memory is not None), None)


def document_names(library: Library) -> dict[str, str]:
    """Return what clients call each document by, by its id."""
    return {row.id: document_name(row.id, row.source) for row in library.documents()}


def how_far(memory: GistMemory) -> str:
    """Return how far a document is read; "" if it is read to its end."""
    pages, document = memory.pages, memory.document
    if not pages or not document.text[pages[-1].end :].strip():
        return ""
    words = sum(page.words for page in pages)
    return (
        f"Read so far: {counted(len(pages), 'page')}, {words:,} of {document.words:,} words. The rest is not known yet."
    )


def info(row: DocumentRow, so_far: PagesSoFar) -> DocumentInfo:
    """Return a document in a list."""
    pages = so_far(row.id) if row.state == "reading" else row.pages
    state = "failed" if row.stopped else {"added": "new"}.get(row.state, row.state)
    name = document_name(row.id, row.source)
    return DocumentInfo(name, shown(row.name), row.words, pages, state, sendable(row.stopped))


def one_line(error: ReadAgentError) -> str:
    """Return an error and its hint as one line, which is short also if a client has sent a very long name."""
    lines = (" ".join(as_options(one).split()) for one in (str(error), error.hint))
    said, hint = (one if len(one) <= _LONGEST else f"{one[:_LONGEST]}…" for one in lines)
    return sendable(f"{said}{f'; hint: {hint}' if hint else ''}")
