"""Jobs are paused, resumed and stopped; they survive a closed stream and a restart of the server."""

from __future__ import annotations

from typing import Any

import pytest

from readagent.testing.loopback import LoopbackServer
from sessions import TWO_STEPS
from web.fixtures import Serve
from web.running import STORY, Client, held

pytestmark = pytest.mark.slow

LONG = "\n\n".join(f"Chapter {number}\n\n{STORY}" for number in range(4))


def begun(client: Client, model: LoopbackServer) -> dict[str, Any]:
    """Begin to read a text, and wait until the model is asked for its pages."""
    document = client.post("/api/documents", {"text": LONG, "title": "Long"}, status=201)["id"]
    job = client.post(f"/api/documents/{document}/readings", status=202)
    client.until(f"/api/jobs/{job['id']}", lambda found: bool(model.requests) and found["state"] == "running")
    return dict(job)


def test_a_job_is_paused_and_resumed(client: Client, model: LoopbackServer) -> None:
    with held(model, "") as free:
        job = begun(client, model)
        assert client.post(f"/api/jobs/{job['id']}/pause")["state"] == "paused"
        assert client.post(f"/api/jobs/{job['id']}/pause")["state"] == "paused"
        free.set()
    assert client.get(f"/api/documents/{job['document']}")["read"] == "partly"
    assert client.post(f"/api/jobs/{job['id']}/resume")["state"] in ("waiting", "running", "done")
    assert client.ended(job)["state"] == "done"
    assert client.post(f"/api/jobs/{job['id']}/resume", status=409)["error"]


def test_a_job_is_stopped_and_then_removed(client: Client, model: LoopbackServer) -> None:
    with held(model, ""):
        job = begun(client, model)
        client("DELETE", f"/api/jobs/{job['id']}", status=204)
        assert client.get(f"/api/jobs/{job['id']}")["state"] == "stopped"
        assert client.get(f"/api/documents/{job['document']}")["job"] is None
    client("DELETE", f"/api/jobs/{job['id']}", status=204)
    assert client.get(f"/api/jobs/{job['id']}", status=404)["error"]


def test_a_stream_goes_on_after_the_last_event_that_was_received(client: Client, model: LoopbackServer) -> None:
    with held(model, "") as free:
        job = begun(client, model)
        path = f"/api/jobs/{job['id']}/events"
        first = next((data, number) for kind, data, number in client.events(path) if number)
        free.set()
        rest = list(client.events(path, first[1]))
    assert [kind for kind, _, _ in rest].count("begin") <= 1
    assert rest[0][0] != "state"
    assert rest[-1][0] == "done"
    again = list(client.events(path, rest[-2][2]))
    assert [kind for kind, _, _ in again] == ["done"]
    assert again[0][1]["state"] == "done"


def test_a_reading_goes_on_after_a_restart_and_pays_for_nothing_twice(serve: Serve, model: LoopbackServer) -> None:
    first = serve()
    with held(model, "") as free:
        job = begun(first.client, model)
        free.set()
        first.client.until(f"/api/jobs/{job['id']}", lambda found: found["calls"] > 0)
    second = serve()
    assert second.client.ended(job)["state"] == "done"
    prompts = [request.prompt for request in model.requests if request.finished]
    assert len(prompts) == len(set(prompts))


def test_a_server_that_is_killed_forgets_no_call(serve: Serve, model: LoopbackServer) -> None:
    running = serve(plan=TWO_STEPS)
    with held(model, "horten") as free:  # pages are found, and no gist is written, so that it does not end
        job = begun(running.client, model)
        running.client.until(f"/api/jobs/{job['id']}", lambda found: found["calls"] > 2)
        kept = running.library.jobs.find(job["id"])  # all that a server started after a kill knows
        assert kept.state == "running"
        assert kept.report.calls > 2
        assert kept.report.tokens > 0
        free.set()
    assert running.client.ended(job)["calls"] == len(model.requests)
