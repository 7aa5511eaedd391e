"""Service: what the handlers of requests share: the library, the agent, the jobs, and the options of the server."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, TypeVar

import anyio.to_thread

from readagent.agent import AsyncReadAgent
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.errors import LibraryError, NotInLibraryError, UsageError
from readagent.library import DocumentRow, Library
from readagent.settings import Settings
from readagent.web.catalogue import Catalogue
from readagent.web.job_queue import JobQueue
from readagent.web.metrics import Metrics
from readagent.web.problems import RefusedError
from readagent.web.proxy_door import ProxyDoor
from readagent.web.texts import Texts
from readagent.web.unread import Unread
from readagent.web.work import Work
from readagent.web.worker import Worker

P = ParamSpec("P")
R = TypeVar("R")

MAX_UPLOAD = 100_000_000  # bytes
_LEASE = "serve"
_DRAIN = 5.0  # seconds for calls in flight when the server stops


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """How the server was started. ``runs`` is a folder of benchmark runs; ``hosts`` are further names of the server.

    With ``setup`` the page may choose the model and keep a key: only where nobody else can reach the server.
    ``code`` opens the page once in place of the token, in an address that others may see.
    ``folders`` are those in which agents may name files.
    ``patience`` is how many seconds a client may take for its headers, and between two pieces of what it sends.
    """

    token: str
    code: str = ""
    read_only: bool = False
    runs: Path | None = None
    allow_private: bool = False
    max_upload: int = MAX_UPLOAD
    hosts: tuple[str, ...] = ()
    patience: float = 30.0
    folders: tuple[Path, ...] = ()
    setup: bool = False


class Service:
    """One library and one agent for all clients. ``start`` goes on with the jobs that an earlier server left.

    Raise UsageError if another server uses the same library: both would do its jobs.
    """

    def __init__(self, agent: AsyncReadAgent, options: ServeOptions) -> None:
        self.agent, self.options = agent, options
        self.library: Library = agent.library
        self.metrics = Metrics()
        self.texts = Texts(self.library)
        self.catalogue = Catalogue(self.library)
        self.unread = Unread(self.library, self.catalogue)
        self.worker = Worker()
        self.work = Work(agent, self.texts)
        at_once = agent.connection.documents_at_once
        self._leases = None if self.library.path is None else self.library.leases
        self.jobs = JobQueue(self.library, self.worker, self.work.do, self.work.shown, at_once)
        self.work.queue = self.jobs
        self.announcement: Callable[[Settings], Callable[[], None] | None] = lambda settings: None
        self.proxy = ProxyDoor(agent.settings, self.library, options.token)

    def start(self) -> None:
        """Claim a library in a file, and go on with the jobs in it. Servers that share a database claim only jobs."""
        if self.options.read_only:
            return
        if self._leases is not None and not self._leases.take(_LEASE):
            raise UsageError(
                f"another `readagent serve` uses the library {self.library.location}",
                hint="use that one, or stop it first",
            )
        self.jobs.restore()
        self.library.expire_trash()

    def renew(self) -> None:
        """Renew the claim on the library; call it every few seconds."""
        if self._leases is not None and not self.options.read_only:
            with suppress(LibraryError):
                self._leases.renew(_LEASE)

    def close(self) -> None:
        """Stop the jobs, which go on at the next start, and wait a little for calls in flight, which are paid for."""
        self.jobs.close()
        wait([self.worker.submit(self.agent.aclose())], _DRAIN)
        self.worker.close()
        if self._leases is not None and not self.options.read_only:
            self._leases.release(_LEASE)
        self.unread.close()
        self.library.close()

    def look(self) -> None:
        """Tell those who listen when something in the library has changed, here or in another process."""
        if self.jobs.feed.listeners and self.catalogue.has_changed():
            self.jobs.feed.tell("library", {})

    async def use(self, settings: Settings) -> None:
        """Use another model from now on. Nothing may be going on."""
        await self.worker.call(self.agent.use(settings))
        self.agent.connection.on_send = self.announcement(settings)
        self.proxy.use(settings)

    async def on_thread(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the result of work that may take a while or waits for the disk."""
        return await anyio.to_thread.run_sync(lambda: work(*args, **kwargs))

    def row(self, document_id: str) -> DocumentRow:
        """Return the row of a document; raise NotInLibraryError if there is none with exactly this id."""
        row = self.library.row(document_id)
        if row is None:
            raise NotInLibraryError(f"there is no document {document_id} in the library")
        return row

    def document(self, document_id: str) -> Document:
        """Return a document."""
        return self.texts.document(document_id)

    def memory(self, document_id: str) -> GistMemory:
        """Return the memory of a document; refuse if it was not read yet."""
        memory = self.texts.memory(document_id)
        if memory is None:
            hint = "read it first" if self.jobs.reading(document_id) is None else "wait until it is read"
            raise RefusedError(409, "this document has not been read yet", hint=hint)
        return memory

    def check_place(self, document_id: str, up_to: int | None) -> None:
        """Refuse an offset that is not a position in the text of a document."""
        total = len(self.document(document_id).text)
        if up_to is not None and not 0 < up_to <= total:
            raise RefusedError(422, f"up_to must be 1 to {total}, not {up_to}")
