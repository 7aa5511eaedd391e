"""Each method from end to end with a scripted model that sees the prompts alone, and runs that stop and go on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.web.clerk import clerk
from bench.web.recorded import wordless, write
from meanings import WordMeanings
from readagent.agent import AsyncReadAgent
from readagent.core.model import Ask, Model
from readagent.core.tokens import estimate_tokens
from readagent.errors import UsageError
from readagent.library import Library
from readagent.testing.scripted import ScriptedModel
from readagent_bench.folder import RunFolder
from readagent_bench.score import Row
from readagent_bench.study import Study
from readagent_bench.web.data import Acted, Moment, Task, page_of, split_of
from readagent_bench.web.methods import PAPER, method
from readagent_bench.web.mindact import NavigationContext, Ranker, pruned, ranker_of
from readagent_bench.web.navigation import Navigation, StepPrediction, report, rows, step_scores
from readagent_browse.render import render
from readagent_browse.step import WEB

pytestmark = pytest.mark.anyio
WINDOW = 8000


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks on short pages, two on long ones, and one with a step whose target cleaning has lost."""
    return write(tmp_path_factory.mktemp("mind2web"), {"test_website": 5}, (6, 260, 12, 260, 12))


async def conduct(
    data: Path, out: Path, names: list[str], model: Model, ranker: Ranker | None = None, *, library: Library | None = None,
    limit: int | None = None, runs: int = 1,
) -> RunFolder:  # fmt: skip
    def agent_of(number: int) -> AsyncReadAgent:
        return AsyncReadAgent(model, library=library, plan=WEB, run=number, window=WINDOW)

    split = split_of(data, "test_website", limit=limit)
    study = Study(Navigation("mind2web", split.name, [method(name) for name in names], split, ranker or Ranker()), runs)
    return await study.conduct(out, agent_of, WordMeanings())


def by_name(folder: RunFolder) -> dict[str, Row]:
    return {row.method: row for row in rows(folder)}


@pytest.mark.slow
async def test_every_method_of_the_paper_runs_and_only_reading_succeeds_on_long_pages(
    data: Path, tmp_path: Path
) -> None:
    model = ScriptedModel(clerk)
    folder = await conduct(data, tmp_path / "run", list(PAPER), model)
    found = by_name(folder)
    assert list(found) == list(PAPER)
    assert all(row.failed == 0 and row.counts == {"tasks": 5, "steps": 20} for row in found.values())
    assert all(estimate_tokens(ask.prompt) <= WINDOW for ask in model.asks)
    best = found["readagent-p:1"].measures
    assert best["step_success"].mean == pytest.approx((1 + 1 + 1 + 1 + 0.75) / 5)  # one step has no right element
    assert best["success"].mean == pytest.approx(4 / 5)
    assert found["readagent-p:5"].measures["step_success"] == best["step_success"]
    assert found["raw"].measures["success"].mean == pytest.approx(2 / 5)  # long pages hide the thing
    assert found["mindact:50"].measures["step_success"].mean > found["bm25:1"].measures["step_success"].mean
    assert found["gistmem"].measures["element_accuracy"].mean == best["element_accuracy"].mean
    assert found["gistmem"].measures["cr"].mean > best["cr"].mean > 0
    assert "cr" not in found["mindact:50"].measures
    assert found["bm25:1"].measures["cr"].mean > found["bm25:5"].measures["cr"].mean
    assert found["neural:1"].measures["lookups"].mean == 1
    skipped = [one for one in folder.records(StepPrediction) if one.skipped and one.method == "raw"]
    assert [one.skipped for one in skipped] == ["no right element is left in the cleaned page"]
    assert all(step_scores(one)["operation_f1"] == 0 for one in skipped)
    text = report(folder)
    assert "| ReadAgent-P 1-5 " in text
    assert "- web prompts: " in text


@pytest.mark.release
@pytest.mark.slow
async def test_a_failed_step_counts_as_wrong_and_is_retried(data: Path, tmp_path: Path) -> None:
    def failing(ask: Ask) -> str | Exception:
        return UsageError("no") if clerk(ask).startswith("Action: type") else clerk(ask)

    folder = await conduct(data, tmp_path / "run", ["raw"], ScriptedModel(failing))
    (row,) = rows(folder)
    assert row.failed == 5
    assert row.measures["success"].mean == 0
    assert next(one.error for one in folder.records(StepPrediction) if one.error) == "UsageError: no"
    folder = await conduct(data, tmp_path / "run", ["raw"], ScriptedModel(clerk))
    assert rows(folder)[0].failed == 0


async def test_predictions_record_the_action_and_its_cost(data: Path, tmp_path: Path) -> None:
    folder = await conduct(data, tmp_path / "run", ["readagent-p:5"], ScriptedModel(clerk), limit=1)
    first = next(one for one in folder.records(StepPrediction) if one.number == 0)
    assert first.element in first.positives
    assert first.operation == first.gold
    assert first.opened is not None
    assert first.spent["calls"] == first.spent["paid_calls"]
    assert 0 < first.longest_prompt < WINDOW
    assert (folder.path / "traces").is_dir()
    manifest = json.loads((folder.path / "manifest.json").read_text("utf-8"))
    assert (manifest["dataset"], manifest["split"], manifest["state"]) == ("mind2web", "test_website", "finished")
    assert manifest["ranker"] == "lexical"


async def mindact(folder: Path, steps: int, elements: int, kept: int, model: Model) -> list[tuple[Task, Acted]]:
    """Run MindAct on generated tasks whose elements share no word with the instruction."""
    (folder / "test_task").mkdir()
    (folder / "test_task" / "test_task_0.json").write_text(json.dumps(wordless(steps, elements)), "utf-8")
    context = NavigationContext(AsyncReadAgent(model, plan=WEB, window=WINDOW))
    done = []
    for task in split_of(folder, "test_task"):
        moment = Moment(task, 0, lambda task=task: page_of(task.steps[0]))  # type: ignore[misc]
        done.append((task, await method(f"mindact:{kept}").answer(moment, context)))
    return done


async def test_an_element_that_the_model_was_never_asked_about_is_not_acted_on(tmp_path: Path) -> None:
    done = await mindact(tmp_path, 12, 1, 1, ScriptedModel(lambda ask: "Answer: (A)"))
    assert [(acted.skipped, acted.action) for _, acted in done] == [("", None)] * 12


def one_task(data: Path) -> Task:
    return next(iter(split_of(data, "test_website")))


def test_rankers_put_what_is_asked_for_first(data: Path, tmp_path: Path) -> None:
    task = one_task(data)
    moment = Moment(task, 2, lambda: page_of(task.steps[2]))
    step, ids = moment.step, list(moment.step.candidates)
    scores = Ranker().scores(moment, ids)
    best = sorted(ids, key=lambda one: -scores[ids.index(one)])[:4]
    assert set(best) & set(step.positives)
    file = tmp_path / "scores.json"
    file.write_text(json.dumps({"scores": {f"{task.id}_{step.id}": {ids[3]: 0.9}}, "ranks": {}}), "utf-8")
    read = ranker_of(str(file)).scores(moment, ids)
    assert read[3] == 0.9
    assert read[0] == float("-inf")


def test_a_page_is_pruned_around_its_candidates(data: Path) -> None:
    step = one_task(data).steps[2]
    page = page_of(step)
    text = render(pruned(page.root, step.positives))
    assert f"id={step.positives[0]}" in text
    assert text.count("id=") == 1
    assert len(text) < len(render(page.root)) / 2
    assert "Put it by" in text  # a sibling
