"""Benchmark runs over HTTP, as `readagent serve --runs` shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.studies import case, conduct
from readagent.core.question import Question
from readagent.testing.scripted import ScriptedModel
from readagent_bench.records import Example
from sessions import run, sensible
from web.fixtures import Serve
from web.running import Client


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


def test_attempts_are_in_the_order_of_the_methods(serve: Serve, tmp_path: Path) -> None:
    methods = ["readagent-p:2", "bm25:2"]
    run(conduct(tmp_path / "own", ScriptedModel(sensible), methods, [case("one")]))
    client = serve(runs=tmp_path).client
    shown = client.get("/api/runs/own")
    assert [one["method"] for one in shown["methods"]] == methods
    for question in shown["questions"]:
        record = client.get(f"/api/runs/own/questions/{question['id']}")
        assert [one["method"] for one in record["attempts"]] == methods


def test_no_runs_are_shown_without_a_folder(client: Client) -> None:
    assert client.get("/api/runs", status=404)["hint"]
