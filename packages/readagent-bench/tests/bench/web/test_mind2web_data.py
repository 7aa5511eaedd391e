"""The files of Mind2Web: what is read, and the errors for malformed files."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.web.recorded import tasks, write
from readagent.errors import DatasetError
from readagent_bench.web.data import page_of, split_of
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
