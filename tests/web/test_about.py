"""What the server says about itself."""

from __future__ import annotations

import re

import pytest

from readagent.testing.loopback import LoopbackServer
from readagent.web.app import OPERATIONS
from web.fixtures import Serve
from web.running import TOKEN, Client


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


def test_the_list_comes_in_parts_and_only_when_it_has_changed(client: Client) -> None:
    for title in ("Lamps", "Barges", "Salt and lamps"):
        client.post("/api/documents", {"text": f"{title} burn all night.", "title": title}, status=201)
    path = "/api/library?sort=title&q=lamps&limit=1&offset=1&read=no"
    part = client.get(path)
    assert [one["title"] for one in part["documents"]] == ["Salt and lamps"]
    assert (part["total"], part["found"], part["unread"]) == (3, 2, 3)
    assert client.get("/api/search/totals?q=burn") == {"passages": 3, "documents": 3, "missing": 0}
    assert [one["title"] for one in client.get("/api/search?q=burn&limit=2&offset=2")] == ["Salt and lamps"]
    headers = {"authorization": f"Bearer {TOKEN}"}
    headers["if-none-match"] = client.http.get(path, headers=headers).headers["etag"]
    assert client.http.get(path, headers=headers).status_code == 304
    rename = f"/api/documents/{part['documents'][0]['id']}/title"
    client("PUT", rename, json={"title": "Salt \u202e& \nlamps"})
    assert "1 to 200" in client("PUT", rename, json={"title": "x" * 201}, status=422)["error"]
    assert client.http.get(path, headers=headers).json()["documents"][0]["title"] == "Salt & lamps"
    gone = client.post("/api/trash", {"documents": [part["documents"][0]["id"], "nothing"], "answers": [7]})
    assert [one["name"] for one in gone] == ["Salt & lamps"]
    assert client.get(path)["documents"] == []
    assert client.get("/api/library?sort=colour", status=400)["hint"]
