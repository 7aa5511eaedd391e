"""The recipe for summaries, and its rater: what is asked, how verdicts become figures, and what is resumed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.studies import prediction
from cli.console import Console
from readagent.agent import AsyncReadAgent
from readagent.core.document import Document
from readagent.core.model import Ask
from readagent.core.question import Question
from readagent.errors import RejectedError, UsageError
from readagent.testing.loopback import LoopbackServer
from readagent.testing.scripted import ScriptedModel
from readagent.testing.skim import skim
from readagent_bench.example import Example
from readagent_bench.folder import RunFolder
from readagent_bench.rate_summaries import rate_summaries, rate_summary, summary_ratings_of
from readagent_bench.report.loaded import load_run
from readagent_bench.score import rows
from sessions import make_session

pytestmark = pytest.mark.anyio

MEETING = Document.from_text(
    "Anna opened the meeting. " + "Nobody spoke of rain. " * 40 + "They chose green. Bert will order paint by May."
)
GENERAL = Example(
    "g", Question("Summarize the whole meeting."), ("They chose green. Bert orders paint.",), group="general"
)


def judging(ask: Ask) -> str:
    """Yes to statements about green where what is shown says so, no to others."""
    shown, _, rest = ask.prompt.partition("<statements>")
    listed = re.findall(r"(\d+): (.*)", rest.partition("</statements>")[0])
    return "\n".join(f"{at}: {'yes' if 'green' in text and 'green' in shown else 'no'}" for at, text in listed)


async def test_coverage_and_faithfulness_are_shares_of_statements() -> None:
    told = prediction(text="It was green. It was blue. All was well.", references=GENERAL.references)
    model = ScriptedModel(judging)
    rating = await rate_summary(told, MEETING, replace(make_session(), model=model))
    assert rating.covered == (True, False)
    assert rating.faithful == (True, False, False)
    assert rating.coverage == 0.5
    covered, faithful = (ask.prompt for ask in model.asks)
    assert "It was blue." in covered
    assert "Bert will order paint" not in covered  # coverage is judged by the summary alone
    assert "They chose green." in faithful
    assert "Bert orders paint" not in faithful  # and faithfulness without the reference


async def test_ratings_are_resumed_kept_by_rater_and_become_figures_with_intervals(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.open({"dataset": "qmsum", "split": "val", "runs": 1, "methods": ["summary:100"]})
    for name, text in (("a", "It was green."), ("b", "It was blue."), ("c", "It was green. It was blue.")):
        folder.add(prediction(0, "summary:100", name, "q", text=text, references=("It was green.",)))
    documents = dict.fromkeys("abc", MEETING)

    def failing(ask: Ask) -> str:
        if "blue" in ask.prompt:
            raise RejectedError("no")
        return judging(ask)

    made: list[str] = []
    async with AsyncReadAgent(ScriptedModel(failing, name="fair")) as agent:
        failed = await rate_summaries(folder, agent, documents, lambda one: made.append(one.case))
        assert made == ["a"]
        assert len(failed) == 2
        (row,) = rows(folder)
        assert (row.measures["coverage"].mean, row.unrated) == (1, 2), "those not rated are counted, but not as 0"
    async with AsyncReadAgent(ScriptedModel(judging, name="fair")) as agent:
        assert await rate_summaries(folder, agent, documents, lambda one: made.append(one.case)) == []
        assert await rate_summaries(folder, agent, documents, lambda one: made.append(one.case)) == []
    assert sorted(made) == ["a", "b", "c"]
    (row,) = rows(folder)
    assert row.measures["coverage"].mean == pytest.approx(2 / 3)
    assert row.measures["faithfulness"].mean == pytest.approx(0.5)
    assert row.measures["coverage"].low is not None
    async with AsyncReadAgent(ScriptedModel(lambda ask: "1: no\n2: no", name="stern")) as agent:
        await rate_summaries(folder, agent, documents, lambda _: None)
        missing = await rate_summaries(RunFolder(tmp_path), agent, {}, lambda _: None)
    assert missing == []  # all of them are rated
    assert folder.manifest()["summary_raters"] == ["fair", "stern"]
    assert {one.rater for one in summary_ratings_of(folder, "stern").values()} == {"stern"}
    assert load_run(folder, "stern").rows[0].measures["coverage"].mean == 0
    with pytest.raises(UsageError, match="has not rated"):
        load_run(folder, "nobody")


def meetings(folder: Path) -> None:
    """Two small meetings in the form of QMSum."""
    turns = [
        {"speaker": f"Speaker {at % 3}", "content": f"We talk of matter {at} and it is green."} for at in range(60)
    ]
    one = {
        "meeting_transcripts": turns,
        "general_query_list": [{"query": "Summarize the whole meeting.", "answer": "All is green. Nobody left."}],
        "specific_query_list": [{"query": "What of matter 3?", "answer": "Green.", "relevant_text_span": [["3", "3"]]}],
    }
    (folder / "qmsum").mkdir(parents=True)
    other = {**one, "meeting_transcripts": turns[:50]}
    (folder / "qmsum" / "val.jsonl").write_text("\n".join(map(json.dumps, (one, other))), "utf-8")


@pytest.mark.release
@pytest.mark.slow
def test_the_recipe_is_run_rated_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def reply(prompt: str, constraint: Mapping[str, Any] | None) -> str:
        rated = "<statements>" in prompt and ("<summary>" in prompt or "<passages>" in prompt)
        return judging(Ask("rate", prompt)) if rated else skim(prompt, constraint)

    monkeypatch.chdir(tmp_path)
    meetings(tmp_path / "data")
    console = Console(capsys, monkeypatch)
    run = ("bench", "run", "qmsum", "--data", "data", "--recipe", "summaries", "--out", "runs", "--json")
    with LoopbackServer(reply, models=("skimmer",)).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        monkeypatch.setenv("READAGENT_MODEL", "skimmer")
        shown = console.done(*run).json
        assert [row["method"] for row in shown["rows"]] == [
            "summary:100", "gistmem", "readagent-p:6", "first:6000", "lead:100"
        ]  # fmt: skip
        assert all(row["questions"] == 2 and row["rougeL"] > 0 and row["response_words"] > 0 for row in shown["rows"])
        asked = len(server.requests)
        assert console.done(*run).json == shown
        assert len(server.requests) == asked
        rate = ("bench", "rate", "runs", "--summaries", "--data", "data")
        told = console.done(*rate, "--json").json["rated"]
        assert told["covered"] > 0
        assert told["not covered"] > 0
        assert console.done(*rate).out == "runs: nothing new\n"
        assert "--data requires --summaries" in console("bench", "rate", "runs", "--data", "data").err
    figures = console.done(*run).json["rows"][0]
    assert figures["coverage"] == 50
    assert 50 < figures["faithfulness"] <= 100
    report = console.done("bench", "report", "runs")
    assert report.out
    table = (tmp_path / "runs" / "report.md").read_text("utf-8")
    assert "coverage" in table
    assert "Rated by " in table
    assert "faithful" in table
    manifest = json.loads((tmp_path / "runs" / "manifest.json").read_text("utf-8"))
    assert manifest["questions"] == 2
    assert ["skimmer" in rater for rater in manifest["summary_raters"]] == [True]
