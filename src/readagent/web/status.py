"""What the server says about itself: status, metrics, and the last requests to the OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

from starlette.responses import PlainTextResponse

from readagent.records.servers import Limits, ProxiedRequest, Status
from readagent.web.metrics import family
from readagent.web.operations import Call, Operation


async def _status(call: Call) -> Status:
    service = call.service
    return Status(
        version("readagent"),
        service.agent.model_name,
        service.agent.is_local,
        service.options.read_only,
        service.library.location,
        service.options.runs is not None,
        Limits(service.options.max_upload),
    )


async def _metrics(call: Call) -> PlainTextResponse:
    service, jobs = call.service, call.service.jobs
    running: dict[tuple[str, str], int] = {}
    listeners = jobs.feed.listeners
    for job in jobs.unfinished():
        key = job.row.kind, job.state
        running[key] = running.get(key, 0) + 1
        listeners += job.feed.listeners
    lines = [
        *service.metrics.lines(),
        *family("readagent_jobs", "gauge", "Jobs that have not ended.", _by_kind(running)),
        *family("readagent_jobs_ended_total", "counter", "Jobs that have ended.", _by_kind(jobs.ended)),
        *family("readagent_listeners", "gauge", "Open streams of events.", [({}, listeners)]),
        *family("readagent_calls_total", "counter", "Calls to the model that were paid for.", [({}, jobs.calls)]),
        *family("readagent_tokens_total", "counter", "Tokens of these calls.", [({}, jobs.tokens)]),
        *family("readagent_cost_dollars_total", "counter", "Cost of these calls, if known.", [({}, jobs.cost)]),
    ]
    return PlainTextResponse("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4; charset=utf-8")


async def _last_proxied(call: Call) -> list[ProxiedRequest]:
    return call.service.proxy.last()


def _by_kind(counts: Mapping[tuple[str, str], int]) -> list[tuple[dict[str, str], float]]:
    return [({"kind": kind, "state": state}, count) for (kind, state), count in sorted(counts.items())]


OPERATIONS = (
    Operation("GET", "/api/status", _status, "Show the version, the model and the limits.", Status),
    Operation("GET", "/metrics", _metrics, "Metrics in the text format of Prometheus.", media="text/plain"),
    Operation("GET", "/api/proxy", _last_proxied, "List the last requests to /v1, newest first.", list[ProxiedRequest]),
)
