"""The MCP server inside `readagent serve`, at /mcp. It has the same library, agent and token as everything else."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

import anyio
from starlette.routing import BaseRoute

from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.errors import NotInLibraryError, ReadAgentError
from readagent.mcp.readings import Report
from readagent.web.job_queue import Job
from readagent.web.page_guard import MCP_PATH
from readagent.web.problems import RefusedError
from readagent.web.service import Service


@dataclass(frozen=True, slots=True)
class AgentRoutes:
    """The routes for MCP clients; they work while ``running()`` is entered."""

    routes: Sequence[BaseRoute]
    running: Callable[[], AbstractAsyncContextManager[None]]


def mcp_app(service: Service) -> AgentRoutes:
    """Return the routes for MCP clients. Documents that they let read are read by jobs, as those of the page are."""
    from mcp.server.transport_security import TransportSecuritySettings

    from readagent.mcp.context import AgentContext, Sources
    from readagent.mcp.server import server_for

    options = service.options
    sources = Sources(options.folders, allow_private=options.allow_private)
    context = AgentContext(service.agent, sources, service.worker.call, options.read_only, JobReads(service))
    server = server_for(context)
    app = server.streamable_http_app(
        streamable_http_path=MCP_PATH,
        max_request_body_size=options.max_upload,
        # The guard has checked the host and the origin.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return AgentRoutes(app.routes, server.session_manager.run)


_STOPPING = "it goes on when the server is started again; call read_document then"
_PAUSED = "resume it on the page of the server, then call read_document again"


class JobReads:
    """Reads by jobs. Clients that want the same document follow one job.

    A job that was begun here is stopped when all of its clients have gone, and goes on when one comes back; what it
    has paid for is kept.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._lock = threading.Lock()
        self._begun: set[int] = set()
        self._following: Counter[int] = Counter()

    async def __call__(self, document: Document, report: Report, /) -> GistMemory:
        service = self._service
        job = await service.on_thread(self._job, document.id)
        try:
            await _follow(job, report)
        finally:
            with anyio.CancelScope(shield=True):
                await service.on_thread(self._leave, job)
        _check(job)
        memory = await service.worker.call(service.agent.recall(document.id))
        if memory is None:
            raise NotInLibraryError("this document was removed while it was read", hint="read it again")
        return memory

    def _job(self, document_id: str) -> Job:
        """Return the job that reads a document; a new one if there is none."""
        jobs = self._service.jobs
        with self._lock:
            job = jobs.reading(document_id)
            if job is None:
                job = jobs.add("read", {}, document=document_id)
                self._begun.add(job.row.id)
            elif job.state == "paused":
                raise RefusedError(409, "the reading of this document is paused", hint=_PAUSED)
            self._following[job.row.id] += 1
            return job

    def _leave(self, job: Job) -> None:
        """Follow a job no longer; the last one stops it, if it was begun here."""
        number, jobs = job.row.id, self._service.jobs
        with self._lock:
            self._following[number] -= 1
            if self._following[number]:
                return
            del self._following[number]
            if number in self._begun and not jobs.closing and job.state != "paused":
                self._begun.discard(number)
                if jobs.find(number) is not None:
                    jobs.stop(number)


async def _follow(job: Job, report: Report) -> None:
    """Report how far a job is until it has ended or is paused, or the server stops."""
    position: int | None = None
    with job.feed.listening() as heard:
        while True:
            heard.clear()
            events, position, ended = job.feed.after(position)
            for event in events:
                if event.kind == "progress" and event.data["total"]:
                    percent = round(100 * event.data["done"] / event.data["total"], 2)
                    await report(percent, event.data["what"], len(job.feed.pages()[0]))
            if ended or job.state == "paused":
                return
            await heard.wait()


def _check(job: Job) -> None:
    """Raise an error if a job that is no longer followed has not read its document."""
    match job.state:
        case "done":
            return
        case "failed":
            raise ReadAgentError(job.report.reason, hint=job.report.hint)
        case "paused":
            raise RefusedError(409, "the reading was paused", hint=_PAUSED)
        case "stopped":
            raise RefusedError(409, "the reading was stopped", hint="call read_document to go on")
        case _:
            raise RefusedError(503, "the server is stopping", hint=_STOPPING)
