"""What the server says about itself, and the runs of benchmarks that it shows."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from bench.studies import case, conduct
from readagent.bench.example import Example
from readagent.bench.metrics import require_rouge
from readagent.core.question import Question
from readagent.testing.loopback import LoopbackServer
from readagent.testing.scripted import ScriptedModel
from readagent.web.app import OPERATIONS
from sessions import EXAMPLES, run, sensible
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


def test_the_documentation_names_every_operation() -> None:
    page = (EXAMPLES.parent / "docs" / "serve.md").read_text("utf-8")
    rows = set(re.findall(r"^\| `([A-Z]+ /\S+)` \|", page, re.M))
    assert rows == {f"{one.method} {one.path.replace(':path', '')}" for one in OPERATIONS}


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


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run in it."""
    folder = tmp_path_factory.mktemp("runs")
    run(conduct(folder / "first", ScriptedModel(sensible), ["readagent-p:2", "full"], [case("one"), case("two")]))
    (folder / "notes").mkdir()
    return folder


def test_runs_are_shown_with_their_questions(serve: Serve, runs: Path) -> None:
    client = serve(runs=runs).client
    (listed,) = client.get("/api/runs")
    assert (listed["name"], listed["methods"]) == ("first", ["readagent-p:2", "full"])
    shown = client.get("/api/runs/first")
    assert [one["method"] for one in shown["methods"]] == ["readagent-p:2", "full"]
    assert len(shown["questions"]) == 4
    question = next(one for one in shown["questions"] if one["example"] == "one-pick")
    assert {one["method"] for one in question["verdicts"]} == {"readagent-p:2", "full"}
    record = client.get(f"/api/runs/first/questions/{question['id']}")
    assert record["key"] == "B"
    attempt = next(one for one in record["attempts"] if one["method"] == "readagent-p:2")
    assert [call["step"] for call in attempt["calls"]] == ["look_up", "respond"]
    assert [page["number"] for page in attempt["pages"] if page["opened"]] == sorted(attempt["opened"]) != []
    for page in attempt["pages"]:
        assert page["gist"]
        assert (page["text"] is not None) is page["opened"]
    assert client.get("/api/runs/second", status=404)["error"]
    assert client.get("/api/runs/first/questions/nothing", status=404)["error"]


def test_pages_that_were_retrieved_are_marked_by_their_own_numbers(serve: Serve, tmp_path: Path) -> None:
    text = case("one").document.text
    at = text.index("w190")
    asked = Question.choice("Where are w190, w191, w192 and w193 kept?", ["in a box", "nowhere"])
    late = Example("late", asked, gold="B", spans=((at, at + 40),))
    run(conduct(tmp_path / "late", ScriptedModel(sensible), ["bm25:2"], [case("one", questions=[late])]))
    client = serve(runs=tmp_path).client
    (question,) = client.get("/api/runs/late")["questions"]
    (attempt,) = client.get(f"/api/runs/late/questions/{question['id']}")["attempts"]
    pages = attempt["pages"]
    assert [page["number"] for page in pages] == sorted(attempt["opened"]) != [0, 1]
    assert all(page["opened"] and page["text"] and not page["gist"] for page in pages)
    assert ["W190" in page["text"] or "w190" in page["text"] for page in pages] == [page["evidence"] for page in pages]
    assert any(page["evidence"] for page in pages)
    assert attempt["missed"] == []
    assert {"right", "wrong: the key is B"} >= {one["verdict"] for one in question["verdicts"]}


def test_a_run_is_shown_without_the_package_for_rouge(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = Example("free", Question("Where is w190 kept?"), references=("Far away from all of that.",), group="free")
    run(conduct(tmp_path / "own", ScriptedModel(sensible), ["full"], [case("one", questions=[free])]))
    monkeypatch.setitem(sys.modules, "rouge_score.rouge_scorer", None)
    require_rouge.cache_clear()
    client = serve(runs=tmp_path).client
    shown = client.get("/api/runs/own")
    assert "extra bench" in shown["note"]
    measures = shown["methods"][0]["measures"]
    assert "contains" in measures
    assert not any(name.startswith("rouge") for name in measures)
    (question,) = shown["questions"]
    (attempt,) = client.get(f"/api/runs/own/questions/{question['id']}")["attempts"]
    assert attempt["answer"]
    assert attempt["state"] == "unrated"
