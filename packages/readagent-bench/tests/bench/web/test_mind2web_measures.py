"""Every measure against cases worked by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from readagent_bench.folder import RunFolder
from readagent_bench.score import Row
from readagent_bench.web.navigation import StepPrediction, operation_f1, operation_of, rows, step_scores
from readagent_browse.goal import Action


def made(
    task: str, step: str, element: str = "1", operation: str = "CLICK", gold: str = "CLICK", positives: tuple[str, ...] = ("1", "2"),
    *, run: int = 0, words: int | None = None, full: int = 100, opened: tuple[int, ...] | None = None, error: str = "",
) -> StepPrediction:  # fmt: skip
    return StepPrediction(
        run, "readagent-p:1", "ReadAgent-P 1", task, step, 0, "site", gold, positives, element, operation, words, full, opened,
        500, {"calls": 2, "words": 50, "cost": 0.0}, error=error,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    made = RunFolder(tmp_path / "run")
    made.open({"dataset": "mind2web", "methods": ["readagent-p:1"], "seed": 0})
    return made


def scored(folder: RunFolder, *predictions: StepPrediction) -> list[Row]:
    for one in predictions:
        folder.add(one)
    return rows(folder)


@pytest.mark.parametrize(
    ("predicted", "gold", "f1"),
    [("CLICK", "CLICK", 1.0), ("CLICK", "TYPE york", 0.0), ("", "", 1.0)],
)
def test_operation_f1(predicted: str, gold: str, f1: float) -> None:
    assert operation_f1(predicted, gold) == pytest.approx(f1)


def test_an_action_is_written_as_the_data_set_does() -> None:
    assert operation_of(Action("3", "click")) == "CLICK"
    assert operation_of(Action("3", "type", "new york")) == "TYPE new york"
    assert operation_of(Action("3", "select", "Two")) == "SELECT Two"
    assert operation_of(Action("3", "type")) == "TYPE"


def test_a_step_succeeds_only_with_element_and_operation_right() -> None:
    assert step_scores(made("t", "a", "2")) == {"element_accuracy": 1, "operation_f1": 1, "step_success": 1}
    assert step_scores(made("t", "a", "3")) == {"element_accuracy": 0, "operation_f1": 1, "step_success": 0}
    partly = step_scores(made("t", "a", "1", "TYPE york", "TYPE new york"))
    assert partly == {"element_accuracy": 1, "operation_f1": pytest.approx(0.8), "step_success": 0}


def test_measures_are_averaged_over_the_steps_of_a_task_and_then_over_tasks(folder: RunFolder) -> None:
    found = [
        # task s: three steps; elements 1, 1, 0; F1 1, 0.8, 1; steps 1, 0, 0
        made("s", "a", words=10),
        made("s", "b", "1", "TYPE york", "TYPE new york", words=20),
        made("s", "c", "9", words=60),
        # task t: one step, all right
        made("t", "a", words=50),
    ]
    (row,) = scored(folder, *found)
    assert row.measures["element_accuracy"].mean == pytest.approx((2 / 3 + 1) / 2)
    assert row.measures["operation_f1"].mean == pytest.approx((2.8 / 3 + 1) / 2)
    assert row.measures["step_success"].mean == pytest.approx((1 / 3 + 1) / 2)
    assert row.measures["success"].mean == pytest.approx(1 / 2)  # the second task alone
    assert row.measures["cr"].mean == pytest.approx((90 + 80 + 40 + 50) / 4)  # over steps, each one's own rate
    assert (row.counts, row.failed) == ({"tasks": 2, "steps": 4}, 0)
    assert row.totals["calls"] == 8
