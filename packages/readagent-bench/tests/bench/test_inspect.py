"""The methods of the benchmark as solvers of Inspect, evaluated with its own mock model, offline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")

from inspect_ai import Task, eval  # noqa: A004
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import choice, includes

from readagent.core.plan import Plan
from readagent.testing.skim import skim
from readagent_bench.datasets import load_cases
from readagent_bench.inspect import readagent_method, samples
from sessions import prose

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
PLAN = Plan(page_words=60, min_page_words=20)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data set of the user: two questions on one text."""
    (tmp_path / "text.txt").write_text(prose(20).text, "utf-8")
    asked = [
        {"id": "pick", "document": "text.txt", "question": "Where?", "options": ["here", "there"], "answer": "B"},
        {"id": "free", "document": "text.txt", "question": "Where is w3 kept?", "answer": ["w3"]},
    ]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)), "utf-8")
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    return tmp_path


def mock(prompts: list[str]) -> Model:
    def reply(messages: Any, *_: Any, **__: Any) -> ModelOutput:
        prompts.append(messages[-1].text)
        said = "Answer: (B)" if "(A) here" in prompts[-1] else skim(prompts[-1], None)
        output = ModelOutput.from_content("mockllm", said)
        output.usage = ModelUsage(input_tokens=len(prompts[-1].split()), output_tokens=9)  # or it downloads a tokenizer
        return output

    return get_model("mockllm/model", custom_outputs=reply)


def run(task: Task, prompts: list[str], folder: Path) -> Any:
    (log,) = eval(task, model=mock(prompts), log_dir=str(folder / "logs"), display="none")
    assert log.status == "success", log.error
    return log


def test_options_are_scored_and_a_text_is_read_once(folder: Path) -> None:
    prompts: list[str] = []
    found = samples(load_cases("own", folder))
    assert [one.target for one in found] == ["B", ["w3"]]
    task = Task(dataset=MemoryDataset(found[:1]), solver=readagent_method("readagent-p:2", plan=PLAN), scorer=choice())
    log = run(task, prompts, folder)
    assert log.results.scores[0].metrics["accuracy"].value == 1
    (sample,) = log.samples
    assert sample.output.completion == "ANSWER: B"
    assert sample.metadata["readagent"]["method"] == "readagent-p:2"
    assert sample.metadata["readagent"]["spent"]["calls"] >= 2

    both: list[str] = []
    task = Task(dataset=MemoryDataset(found), solver=readagent_method("gistmem", plan=PLAN), scorer=includes())
    log = run(task, both, folder)
    assert len(both) == len(set(both)), "no prompt is sent twice"
    assert len(log.samples) == 2


def test_a_baseline_reads_nothing_before_the_question(folder: Path) -> None:
    prompts: list[str] = []
    found = samples(load_cases("own", folder))
    run(Task(dataset=MemoryDataset(found), solver=readagent_method("full"), scorer=includes()), prompts, folder)
    assert len(prompts) == 2
    assert all("w299" in prompt for prompt in prompts)
