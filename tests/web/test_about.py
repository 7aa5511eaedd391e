"""What the server says about itself."""

from __future__ import annotations

import re

import pytest

from readagent.testing.loopback import LoopbackServer
from readagent.web.app import OPERATIONS
from web.fixtures import Serve
from web.running import Client


def test_the_description_has_every_operation_and_every_type(client: Client) -> None:
    description = client.get("/api/openapi.json")
    named = {(method.upper(), path) for path, methods in description["paths"].items() for method in methods}
    assert named == {(one.method, one.path.replace(":path", "")) for one in OPERATIONS}
    references = set(re.findall(r"#/components/schemas/(\w+)", str(description)))
    assert references <= set(description["components"]["schemas"])
    ids = [one["operationId"] for methods in description["paths"].values() for one in methods.values()]
    assert len(ids) == len(set(ids))


def test_the_status_names_the_model_but_no_key(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READAGENT_API_KEY", "sk-very-secret")
    client = serve().client
    status = client.get("/api/status")
    assert status["model"] == "skimmer"
    assert status["is_local"] is False
    document = client.story()
    answer = client.ended(
        client.post(f"/api/documents/{document}/questions", {"question": "Who holds the key?"}, status=202)
    )["result"]
    everything = [status, client.get("/api/jobs"), answer, client.get(f"/api/answers/{answer['id']}/trace")]
    assert "sk-very-secret" not in str(everything)


def test_metrics_count_requests_jobs_and_tokens(client: Client, model: LoopbackServer) -> None:
    client.story()
    lines = client.get("/metrics").decode().splitlines()
    samples = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert samples['readagent_jobs_ended_total{kind="read",state="done"}'] == "1"
    assert samples["readagent_calls_total"] == str(len(model.requests))
    assert float(samples["readagent_tokens_total"]) > 0
    reading = 'readagent_http_requests_total{method="POST",route="/api/documents/{document}/readings",status="202"}'
    assert samples[reading] == "1"
    assert all(re.fullmatch(r'[a-z_]+(\{([a-z]+="[^"]*",?)+\})? [\d.e+-]+', line) for line in lines if line[0] != "#")
