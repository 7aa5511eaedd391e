"""JobQueue: the jobs that run, wait or are paused. They are kept in the library, and go on after a restart."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future, wait
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from time import monotonic
from typing import Any

import msgspec

from readagent.core.trace import Usage
from readagent.errors import LibraryError, ReadAgentError
from readagent.library import Library
from readagent.library.jobs import UNFINISHED, JobReport, JobRow, JobState
from readagent.library.leases import LIFETIME
from readagent.records.jobs import JobKind, JobRecord, job_record
from readagent.web.events import Feed
from readagent.web.problems import RefusedError, problem_of
from readagent.web.worker import Worker

_KEPT = 500  # jobs that have ended
_PATIENCE = 5.0  # seconds until a cancelled job has ended
_RENEWED = LIFETIME / 3  # seconds between two renewals of the claims on jobs
_WAITS = "the call is repeated by itself; pause or stop the job to end that"
_log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class Job:
    """A job that has not ended, or has just ended. Only the thread of the worker changes it."""

    row: JobRow
    state: JobState = "waiting"
    report: JobReport = JobReport()
    result: Mapping[str, Any] | None = None
    feed: Feed = field(default_factory=Feed)
    began: float = field(default_factory=monotonic)
    ends_as: JobState | None = None  # what a cancelled job becomes
    work: Future[None] | None = None
    task: asyncio.Task[Any] | None = None

    def tell(self, kind: str, **data: Any) -> None:
        """Tell the listeners."""
        self.feed.tell(kind, data)


Do = Callable[[Job], Awaitable[Mapping[str, Any] | None]]
Shown = Callable[[JobRow], Any]


class JobQueue:
    """Starts, pauses, resumes and stops jobs. ``do`` does the work of one, ``shown`` returns its result for clients.

    At most ``readings`` documents are read at a time.
    """

    def __init__(self, library: Library, worker: Worker, do: Do, shown: Shown, readings: int) -> None:
        self._library, self._worker, self._do, self._shown = library, worker, do, shown
        self._lock = threading.RLock()
        self._jobs: dict[int, Job] = {}
        self._room = asyncio.Semaphore(readings)
        self._closing = False
        self._over = threading.Event()
        self._keeper = threading.Thread(target=self._keep_claims, name="readagent-claims", daemon=True)
        self.feed = Feed(of_one=False)  # of all jobs, for lists
        self._subjects: dict[tuple[str, str], str] = {}
        self.ended: dict[tuple[str, str], int] = {}  # since the start, by kind and state
        self.tokens, self.cost, self.calls = 0, 0.0, 0

    def restore(self) -> None:
        """Go on with the jobs that an earlier server left, and from now on with those of servers that are gone."""
        self._claim()
        self._library.jobs.trim(_KEPT)
        self._keeper.start()

    def _claim(self) -> None:
        for row in self._library.jobs.claim():
            job = self._taken(row)
            if row.state != "paused":
                self._start(job)

    def _keep_claims(self) -> None:
        """Renew the claims on the jobs, and look for others that no server works on, until the queue is closed."""
        while not self._over.wait(_RENEWED):
            try:
                for job in self.unfinished():
                    if not self._library.jobs.renew(job.row.id) and self.find(job.row.id) is job:
                        self._lose(job)
                self._claim()
            except LibraryError as error:
                _log.warning("claims on jobs could not be renewed: %s", error)

    def _lose(self, job: Job) -> None:
        """Leave a job to the server that has claimed it, since this one did not renew its claim in time."""
        _log.warning("another server goes on with job %s", job.row.id)
        with self._lock:
            self._jobs.pop(job.row.id, None)
        self._cancel(job, "waiting", patience=0)

    def add(self, kind: JobKind, request: Mapping[str, Any], *, document: str = "", shelf: str = "") -> Job:
        """Add a job and start it."""
        if self._closing:
            raise RefusedError(503, "the server is stopping", hint="try again in a moment")
        number = self._library.shelves.find(shelf).id if shelf else None
        row = self._library.jobs.new(kind, document=document, shelf=number, request=request)
        job = self._taken(row)
        self._announce(job, self.record_of(job))
        self._start(job)
        return job

    def _taken(self, row: JobRow) -> Job:
        job = Job(row, state=row.state, report=row.report)
        job.feed = Feed(now=lambda: msgspec.to_builtins(self.record_of(job)))
        with self._lock:
            self._jobs[row.id] = job
        return job

    def find(self, number: int) -> Job | None:
        """Return a job that has not ended."""
        with self._lock:
            return self._jobs.get(number)

    @property
    def closing(self) -> bool:
        """Whether the server is stopping: jobs that have not ended go on when it is started again."""
        return self._closing

    def of_document(self, document_id: str) -> list[Job]:
        """Return the jobs about a document that have not ended."""
        with self._lock:
            return [job for job in self._jobs.values() if job.row.document == document_id]

    def reading(self, document_id: str) -> Job | None:
        """Return the job that reads a document, if it has not ended."""
        return next((job for job in self.of_document(document_id) if job.row.kind == "read"), None)

    def unfinished(self) -> list[Job]:
        """Return all jobs that have not ended."""
        with self._lock:
            return list(self._jobs.values())

    def record(self, number: int) -> JobRecord:
        """Return what clients see of a job."""
        job = self.find(number)
        return self._record(self._library.jobs.find(number)) if job is None else self.record_of(job)

    def records(self, document: str = "", shelf: str = "") -> list[JobRecord]:
        """Return what clients see of all jobs, or of those about a document or shelf, newest first, without results."""
        rows = (row for row in self._library.jobs.all() if document in ("", row.document) and shelf in ("", row.shelf))
        return [self._record(row) for row in rows]

    def record_of(self, job: Job) -> JobRecord:
        """Return what clients see of a job that has not ended, or has just ended."""
        now = datetime.now(UTC)
        return self._as_record(replace(job.row, state=job.state, report=job.report, result=job.result, changed=now))

    async def until_ended(self, job: Job) -> None:
        """Wait until a job has ended; one that is paused has not."""
        with job.feed.listening() as heard:
            while job.state in UNFINISHED:
                heard.clear()
                await heard.wait()

    def pause(self, number: int) -> JobRecord:
        """Pause a job: what it has paid for is kept."""
        self._cancel(self._unfinished(number), "paused")
        return self.record(number)

    def resume(self, number: int) -> JobRecord:
        """Go on with a job that is paused."""
        job = self._unfinished(number)
        with self._lock:
            if job.state != "paused":
                raise RefusedError(409, f"job {number} is not paused", hint="only a paused job can be resumed")
            job.state, job.ends_as = "waiting", None
        self._changed(job)
        self._start(job)
        return self.record(number)

    def stop(self, number: int) -> None:
        """Stop a job for good; remove one that has ended."""
        job = self.find(number)
        if job is None:
            if self._library.jobs.find(number).state in UNFINISHED:
                raise _of_another_server(number)
            self._library.jobs.remove([number])
        else:
            self._cancel(job, "stopped")

    def stop_all(self, document_id: str = "", shelf: str = "") -> None:
        """Stop the jobs about a document or a shelf that is about to be removed."""
        for job in self.unfinished():
            if (document_id and job.row.document == document_id) or (shelf and job.row.shelf == shelf):
                self._cancel(job, "stopped")

    def progress(self, job: Job, **changes: Any) -> None:
        """Store how far a job is, and tell its listeners if that changed."""
        before, job.report = job.report, replace(job.report, **changes)
        shown = (job.report.done, job.report.total, job.report.what)
        if shown != (before.done, before.total, before.what):
            data = {"done": shown[0], "total": shown[1], "what": shown[2], "seconds_left": _left(job)}
            job.tell("progress", **data)
            self.feed.tell("progress", {"job": job.row.id, **data})

    def paid(self, job: Job, tokens: int, cost: float | None) -> None:
        """Count a call that was paid for. It is stored at once, so that a server that is killed does not forget it."""
        total = (Usage(cost=job.report.cost) + Usage(cost=cost)).cost
        job.report = replace(job.report, calls=job.report.calls + 1, tokens=job.report.tokens + tokens, cost=total)
        self.calls, self.tokens, self.cost = self.calls + 1, self.tokens + tokens, self.cost + (cost or 0.0)
        self._store(job)

    def waits(self, job: Job, reason: str) -> None:
        """Say why a job that runs waits for the model, or with "" that it no longer does."""
        if job.state == "running" and reason != job.report.reason:
            job.report = replace(job.report, reason=reason, hint=_WAITS if reason else "")
            self._announce(job, self.record_of(job))

    def end_streams(self) -> None:
        """End all streams of events, and accept no more jobs: the server is stopping."""
        self._closing = True
        for job in self.unfinished():
            job.feed.end()
        self.feed.end()

    def close(self) -> None:
        """Stop all jobs; they go on when a server is started again. Streams end."""
        self.end_streams()
        running = [job for job in self.unfinished() if job.state != "paused"]
        for job in running:
            self._cancel(job, "waiting", patience=0)
        wait([job.work for job in running if job.work is not None], _PATIENCE)
        self._over.set()
        if self._keeper.is_alive():
            self._keeper.join(_PATIENCE)
        for job in self.unfinished():
            self._library.jobs.release(job.row.id)

    def _unfinished(self, number: int) -> Job:
        job = self.find(number)
        if job is None:
            row = self._library.jobs.find(number)
            if row.state in UNFINISHED:
                raise _of_another_server(number)
            raise RefusedError(409, f"job {number} has ended ({row.state})")
        return job

    def _start(self, job: Job) -> None:
        job.work = self._worker.submit(self._run(job))

    def _cancel(self, job: Job, ends_as: JobState, patience: float = _PATIENCE) -> None:
        """Cancel the work on a job, and wait a little until it has ended."""
        job.ends_as = ends_as
        self._worker.loop.call_soon_threadsafe(lambda: job.task.cancel() if job.task else None)
        if job.work is not None:
            wait([job.work], patience)
        if job.state == "paused":  # nothing was running
            self._end(job, ends_as)

    async def _run(self, job: Job) -> None:
        """Do the work of a job. Nobody waits for its result, so that every end is one of the job."""
        room: AbstractAsyncContextManager[object] = self._room if job.row.kind == "read" else nullcontext()
        job.task = asyncio.current_task()
        try:
            if job.ends_as is not None:
                raise asyncio.CancelledError
            async with room:
                job.began = monotonic()
                job.state, job.report = "running", replace(job.report, reason="", hint="")
                self._changed(job)
                job.result = await self._do(job)
        except asyncio.CancelledError:
            self._end(job, job.ends_as or "waiting")
        except ReadAgentError as error:
            problem = problem_of(error)
            job.report = replace(job.report, reason=problem.error, hint=problem.hint)
            self._end(job, "failed")
        except Exception as error:  # noqa: BLE001 - logged, and told to the client
            _log.exception("job %s failed", job.row.id)
            reason = f"unexpected error (a bug in readagent): {type(error).__name__}: {error}"
            job.report = replace(job.report, reason=reason, hint="nothing is lost; the log of the server says more")
            self._end(job, "failed")
        else:
            self._end(job, "done")

    def _end(self, job: Job, state: JobState) -> None:
        """Store the state in which the work on a job has ended, and tell everybody."""
        job.state = state
        if state != "failed":
            job.report = replace(job.report, reason="", hint="")
        with self._lock:
            if state not in UNFINISHED:
                self.ended[job.row.kind, state] = self.ended.get((job.row.kind, state), 0) + 1
        self._changed(job)

    def _changed(self, job: Job) -> None:
        """Store a job, and then tell its listeners, even if it could not be stored.

        From then on the library has one that has ended.
        """
        stored = self._store(job)
        record = (
            self.record_of(job) if stored else self._as_record(replace(job.row, state=job.state, report=job.report))
        )
        if job.state not in UNFINISHED:
            with self._lock:
                self._jobs.pop(job.row.id, None)
            self._library.jobs.release(job.row.id)
        self._announce(job, record)

    def _store(self, job: Job) -> bool:
        """Store a job; return whether that worked."""
        try:
            self._library.jobs.keep(job.row.id, job.state, job.report, job.result)
        except LibraryError as error:
            _log.warning("job %s could not be stored: %s", job.row.id, error)
            return False
        return True

    def _announce(self, job: Job, record: JobRecord) -> None:
        """Tell the listeners to a job, and to all jobs, what it is now."""
        over, data = job.state not in UNFINISHED, msgspec.to_builtins(record)
        job.feed.tell("done" if over else "state", data, last=over)
        self.feed.tell("done" if over else "state", {**data, "result": None})

    def _record(self, row: JobRow) -> JobRecord:
        job = self.find(row.id)
        return self._as_record(row) if job is None else self.record_of(job)

    def _as_record(self, row: JobRow) -> JobRecord:
        return job_record(row, self._subject(row), None if row.result is None else self._shown(row))

    def _subject(self, row: JobRow) -> str:
        key = row.document, row.shelf
        if key not in self._subjects:
            found = self._library.row(row.document) if row.document else None
            named = found.name if found is not None else ""
            self._subjects[key] = named or row.shelf
        return self._subjects[key]


def _of_another_server(number: int) -> RefusedError:
    return RefusedError(409, f"another server works on job {number}", hint="ask that server, or stop it")


def _left(job: Job) -> int | None:
    """Return how many seconds a job still takes; None if that cannot be said yet."""
    passed, report = monotonic() - job.began, job.report
    share = report.done / report.total if report.total else 0.0
    return None if share < 0.02 or passed < 2 else round(passed * (1 - share) / share)
