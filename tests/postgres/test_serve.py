"""`readagent serve` on PostgreSQL: several servers share a library."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from cli.console import LIMIT
from readagent.core.plan import preset
from readagent.testing.loopback import LoopbackServer
from readagent.web import job_queue
from sessions import TWO_STEPS
from web.fixtures import model
from web.running import Running, held
from web.test_command import server
from web.test_filling import begun

pytestmark = pytest.mark.slow
__all__ = ["model"]


def test_two_servers_share_a_library_and_no_job(
    model: LoopbackServer, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job stays with its server; when that one stops, the other goes on with it."""
    monkeypatch.setattr(job_queue, "_RENEWED", 0.05)
    first, second = (Running(postgres_url, model.base_url, plan=TWO_STEPS) for _ in range(2))
    try:
        with held(model, "horten") as free:
            job = begun(first.client, model)
            first.client.until(f"/api/jobs/{job['id']}", lambda found: found["calls"] > 1)
            path = f"/api/jobs/{job['id']}"
            assert second.client.get(path)["state"] in ("waiting", "running")
            for refused in (second.client.post(f"{path}/pause", status=409), second.client("DELETE", path, status=409)):
                assert "another server works on job" in refused["error"]
            assert second.service.jobs.unfinished() == []
            free.set()
            first.stop()
        second.client.until(path, lambda found: found["state"] == "done")
        prompts = [request.prompt for request in model.requests if request.finished]
        assert len(prompts) == len(set(prompts))
    finally:
        first.stop()
        second.stop()


def answered(model: LoopbackServer) -> set[str]:
    """Return the prompts that were answered so far."""
    return {request.prompt for request in model.requests if request.prompt and request.finished}


def test_a_job_of_a_killed_server_goes_on_at_another(
    model: LoopbackServer, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second server knows at once that a process of its machine is gone."""
    monkeypatch.setattr(job_queue, "_RENEWED", 0.05)
    for name, value in (
        ("LIBRARY", postgres_url), ("BASE_URL", model.base_url), ("MODEL", "skimmer"), ("PRESET", "articles"),
    ):  # fmt: skip
        monkeypatch.setenv(f"READAGENT_{name}", value)
    second = Running(postgres_url, model.base_url, plan=preset("articles"))
    counted: set[str] = set()

    def all_counted(found: dict[str, Any]) -> bool:
        """Note the answered prompts if the server has counted all; one that it has not may be lost with it."""
        counted.clear()
        counted.update(answered(model))
        return bool(len(counted) == found["calls"] > 1)

    try:
        with server() as (child, client):
            with held(model, "horten") as free:
                job = begun(client, model)
                path = f"/api/jobs/{job['id']}"
                client.until(path, all_counted)
                assert second.service.jobs.unfinished() == []
                child.kill()
                child.wait(LIMIT)
                free.set()
            second.client.until(path, lambda found: found["state"] == "done")
        assert second.client.get(f"/api/documents/{job['document']}")["read"] == "yes"
        asked = Counter(request.prompt for request in model.requests)
        assert {prompt: asked[prompt] for prompt in counted if asked[prompt] > 1} == {}
    finally:
        second.stop()
