"""The files of Mind2Web: what is read, and the errors for malformed files."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.web.recorded import tasks, write
from readagent.errors import DatasetError
from readagent_bench.folder import RunFolder
from readagent_bench.score import Row
from readagent_bench.web.data import page_of, split_of
from readagent_bench.web.navigation import StepPrediction, operation_f1, operation_of, rows, step_scores
from readagent_browse.goal import Action
from readagent_browse.render import render


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("mind2web"), {"test_task": 10, "test_website": 5, "test_domain": 5})


@pytest.mark.slow
def test_all_splits_are_read_with_their_tasks_steps_and_candidates(data: Path) -> None:
    for split, count in {"test_task": 10, "test_website": 5, "test_domain": 5}.items():
        found = split_of(data, split)
        assert (len(found.tasks), found.steps, len(list(found))) == (count, 4 * count, count)
    first = next(iter(split_of(data, "test_task")))
    written = tasks("test_task", 1)[0]
    assert (first.id, first.instruction, first.website) == (
        "test_task-0",
        written["confirmed_task"],
        written["website"],
    )
    assert [step.operation for step in first.steps] == ["TYPE", "SELECT", "CLICK", "CLICK"]
    assert first.steps[0].gold == f"TYPE {written['actions'][0]['operation']['value']}"
    assert first.steps[2].gold == "CLICK"
    assert first.steps[0].positives == (written["actions"][0]["pos_candidates"][0]["backend_node_id"],)
    assert len(first.steps[0].candidates) == len(written["actions"][0]["neg_candidates"]) + 1
    assert first.goal(2).done == tuple(written["action_reprs"][:2])


@pytest.mark.slow
def test_a_page_keeps_every_candidate_and_only_they_can_be_acted_on(data: Path) -> None:
    for task in split_of(data, "test_website"):
        for step in task.steps:
            page = page_of(step)
            assert {element.id for element in page.elements} == set(step.candidates)
    first = next(iter(split_of(data, "test_website"))).steps[0]
    text = render(page_of(first).root)
    assert (
        f'<input id={first.positives[0]} aria-label="Search the shop" placeholder="What are you looking for?">' in text
    )
    assert "Newest | Cheapest first | Best liked</select>" in text
    assert "coins & up" in text


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{}", "Expected `array`"),
        (
            '[{"annotation_id": "x", "confirmed_task": "y", "website": "w", "action_reprs": ["z"], "actions": [{"action_uid":'
            ' "u", "cleaned_html": "", "operation": {"op": "CLICK"}, "pos_candidates": [{}], "neg_candidates": []}]}]',
            "task x: .*`backend_node_id`",
        ),
    ],
)
def test_malformed_data_are_an_error_with_their_place(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "test_task.json").write_text(content, "utf-8")
    with pytest.raises(DatasetError, match=said) as caught:
        list(split_of(tmp_path, "test_task"))
    assert "test_task.json" in str(caught.value)


def test_missing_files_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no files of the split"):
        split_of(tmp_path, "test_task")


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
    ("predicted", "gold", "f1"), [("CLICK", "CLICK", 1.0), ("CLICK", "TYPE york", 0.0), ("", "", 1.0)]
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
