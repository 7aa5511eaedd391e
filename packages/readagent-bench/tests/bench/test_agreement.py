"""Agreement between raters, with labels of people, and between runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.studies import prediction
from cli.console import Console
from readagent_bench.agreement import agreement
from readagent_bench.folder import RunFolder
from readagent_bench.rate import Grade, Rating
from readagent_bench.report.loaded import load_run
from readagent_bench.report.write import write_report

# The grades of two raters on eight answers
ANNA: list[Grade] = ["exact", "exact", "exact", "partial", "partial", "none", "none", "unrated"]
BELA: list[Grade] = ["exact", "exact", "partial", "partial", "none", "none", "none", "exact"]


def made(path: Path, runs: int = 1, model: str = "m temperature=0", raters: bool = True) -> RunFolder:
    folder = RunFolder(path)
    folder.open({"dataset": "own", "split": "all", "runs": runs, "methods": ["full"], "model": model, "questions": 8,
                 "documents": 1, "plan": {"page_words": 600}})  # fmt: skip
    for run in range(runs):
        for at in range(8):
            fields = {"text": f"said {at}", "question": f"Q{at}?", "references": (f"key {at}",)}
            folder.add(prediction(run, example=f"q{at}", **fields))
            for rater, grades in (("anna", ANNA), ("bela", BELA)) if raters else ():
                grade = grades[(at + run) % 8]
                folder.add(Rating(rater, run, "full", "d", f"q{at}", f"said {at}", grade, (), ()))
    return folder


@pytest.fixture
def console(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Console:
    return Console(capsys, monkeypatch)


def test_kappa_by_hand() -> None:
    """20 yes by both and 15 no by both, of 50: kappa is 0.4."""
    pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    found = agreement("a", "b", pairs)
    assert found is not None
    assert (found.count, found.share) == (50, 0.7)
    assert found.kappa == pytest.approx(0.4)
    same = agreement("a", "b", [("yes", "yes")] * 3)
    assert same is not None
    assert (same.share, same.kappa) == (1, None), "with one label, chance explains all"
    assert agreement("a", "b", []) is None


@pytest.mark.slow
def test_the_report_says_how_far_raters_and_runs_agree(tmp_path: Path) -> None:
    text = write_report([load_run(made(tmp_path / "run", runs=3))], tmp_path / "run")[0].read_text("utf-8")
    assert "At temperature 0, several runs measure the noise of the server only" in text
    raters = text[text.index("## Agreement of raters") :]
    assert "| anna; bela | 21 | 71.4    | 0.58  |" in raters
    assert "## Agreement between runs" in text
    alone = write_report([load_run(made(tmp_path / "one", raters=False))], tmp_path / "one")[0].read_text("utf-8")
    assert "## Agreement" not in alone
    assert "At temperature 0" not in alone


def test_a_sheet_is_labelled_by_hand_and_compared(tmp_path: Path, console: Console) -> None:
    folder, labels = made(tmp_path / "run").path, tmp_path / "labels.jsonl"
    printed = console.done("bench", "agree", folder, "--sample", 6).out
    assert "exact" not in printed, "a person does not see what raters said"
    lines = [json.loads(line) for line in printed.splitlines()]
    assert len({line["example"] for line in lines}) == 6
    assert "full" not in printed, "nor which method gave the answer"
    assert console.done("bench", "agree", folder, "--sample", 6).out == printed
    labels.write_text(printed, "utf-8")
    assert "has no labels" in console.fails("bench", "agree", folder, labels)
    for line in lines[1:]:
        line["grade"] = BELA[int(line["example"][1:])].upper()
    labels.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    found = [json.loads(line) for line in console.done("bench", "agree", folder, labels, "--json").out.splitlines()]
    by_rater = {one["first"]: one for one in found if one["second"] == "labels"}
    assert (by_rater["bela"]["count"], by_rater["bela"]["share"]) == (5, 1)
    assert by_rater["anna"]["share"] < 1
    assert found[-1]["second"] == "bela", "and the raters with each other"
    shown = console.done("bench", "agree", folder, labels).out.splitlines()
    assert "kappa" in shown[0]
    assert shown[3].startswith("| bela  | labels | 5 | 100.0 ")


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("exact", "labels.jsonl, line 2: it is not a JSON object of this form"),
        ('{"run": 0, "method": "full", "case": "d", "example": "q1", "answer": "x"}', "is another one in the run"),
    ],
)
def test_a_bad_label_is_one_line_with_its_number(tmp_path: Path, console: Console, line: str, printed: str) -> None:
    folder, labels = made(tmp_path / "run").path, tmp_path / "labels.jsonl"
    good = '{"run": 0, "method": "full", "case": "d", "example": "q0", "grade": "exact"}'
    labels.write_text(f"{good}\n{line}\n", "utf-8")
    assert printed in console.fails("bench", "agree", folder, labels)
