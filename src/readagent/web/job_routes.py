"""Jobs over HTTP: how far they are, their events, and pause, resume and stop."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec
from starlette.responses import StreamingResponse

from readagent.records.jobs import JobRecord
from readagent.web.events import Feed, as_bytes, server_sent
from readagent.web.operations import Call, Operation

_EVENTS = "text/event-stream"


def _list(call: Call) -> list[JobRecord]:
    return call.service.jobs.records(document=call.query("document"), shelf=call.query("shelf"))


def _show(call: Call) -> JobRecord:
    return call.service.jobs.record(call.number("job"))


def _pause(call: Call) -> JobRecord:
    return call.service.jobs.pause(call.number("job"))


def _resume(call: Call) -> JobRecord:
    return call.service.jobs.resume(call.number("job"))


def _stop(call: Call) -> None:
    call.service.jobs.stop(call.number("job"))


async def _events(call: Call) -> StreamingResponse:
    job = call.service.jobs.find(call.number("job"))
    if job is not None:
        return _streamed(call, job.feed)
    record = await call.service.on_thread(call.service.jobs.record, call.number("job"))

    async def ended() -> AsyncIterator[bytes]:
        yield as_bytes("done", msgspec.to_builtins(record))

    return StreamingResponse(ended(), media_type=_EVENTS)


async def _all_events(call: Call) -> StreamingResponse:
    return _streamed(call, call.service.jobs.feed)


def _streamed(call: Call, feed: Feed) -> StreamingResponse:
    last = call.request.headers.get("last-event-id", "")
    return StreamingResponse(server_sent(feed, last), media_type=_EVENTS, headers={"x-accel-buffering": "no"})


_ONE = "/api/jobs/{job}"
OPERATIONS = (
    Operation(
        "GET", "/api/jobs", _list, "List the jobs, newest first, without their results.", list[JobRecord],
        query=(("document", "only those about this document"), ("shelf", "only those about this shelf")),
    ),
    Operation("GET", _ONE, _show, "Show a job.", JobRecord),
    Operation("POST", f"{_ONE}/pause", _pause, "Pause a job; what it has paid for is kept.", JobRecord),
    Operation("POST", f"{_ONE}/resume", _resume, "Go on with a paused job.", JobRecord),
    Operation("DELETE", _ONE, _stop, "Stop a job; one that has ended is removed from the list."),
    Operation("GET", f"{_ONE}/events", _events, "Follow a job: server-sent events.", media=_EVENTS),
    Operation("GET", "/api/events", _all_events, "Follow all jobs and the library: server-sent events.", media=_EVENTS),
)  # fmt: skip
