"""Runs: everything is recorded, failures count, fatal errors end the run, repetitions are separate, no call is repeated."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from bench.studies import case, conduct
from readagent.core.model import Ask
from readagent.errors import RejectedError, UnauthorizedError
from readagent.library import Library
from readagent.testing.scripted import ScriptedModel
from readagent_bench.folder import RunFolder, complete_lines
from readagent_bench.records import Prediction, Reading
from readagent_bench.score import rows
from sessions import SMALL, sensible

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

METHODS = ("readagent-p:2", "bm25:1", "full")


async def test_every_question_and_method_is_recorded_with_its_trace(tmp_path: Path) -> None:
    model = ScriptedModel(sensible)
    folder = await conduct(tmp_path / "run", model, METHODS, [case("one"), case("two")])
    found = folder.records(Prediction)
    assert len(found) == 3 * 4
    assert {one.method for one in found} == {"readagent-p:2", "bm25:1", "full"}
    assert all(one.text and one.full_words > 0 and one.context_words > 0 for one in found)
    assert Counter(one.method for one in folder.records(Reading)) == {"readagent-p:2": 2, "bm25:1": 2}
    manifest = folder.manifest()
    assert manifest["state"] == "finished"
    assert manifest["failed"] == 0
    wanted = {"commit", "prompts", "bench_prompts", "model", "plan", "data_sha256", "seed", "methods", "runs", "split"}
    assert wanted <= set(manifest)
    assert manifest["plan"]["page_words"] == SMALL.page_words
    lines = [json.loads(line) for line in complete_lines(folder.path / "traces" / "one.jsonl.gz")]
    asked = [call["prompt"] for line in lines for call in line["calls"]]
    assert set(asked) <= {ask.prompt for ask in model.asks}
    assert sum(line["reading"] for line in lines) == 1  # the reading that the methods share is there once
    assert len(lines) == 1 + 3 * 2


async def test_each_reading_is_done_once_for_all_methods(tmp_path: Path) -> None:
    alone, together = ScriptedModel(sensible), ScriptedModel(sensible)
    await conduct(tmp_path / "a", alone, ["readagent-p:2"], [case()])
    folder = await conduct(tmp_path / "b", together, ["readagent-p:2", "gistmem", "readagent-s:2", "bm25:1"], [case()])
    assert Counter(ask.step for ask in together.asks)["gist"] == Counter(ask.step for ask in alone.asks)["gist"]
    words = {row.method: row.totals["words"] for row in rows(folder)}
    assert (
        words["readagent-p:2"] == rows(RunFolder(tmp_path / "a"))[0].totals["words"]
    )  # and yet each row has its full cost


async def test_only_failed_predictions_are_retried(tmp_path: Path) -> None:
    ill = True

    def answer(ask: Ask) -> str | Exception:
        failing = ill and ask.step == "respond" and "w31 kept" in ask.prompt
        return RejectedError("not now") if failing else sensible(ask)

    model = ScriptedModel(answer)
    with Library(tmp_path / "library") as library:
        await conduct(tmp_path / "run", model, METHODS, [case()], library=library)
        before = len(model.asks)
        ill = False
        made: list[str] = []
        folder = await conduct(
            tmp_path / "run",
            model,
            METHODS,
            [case()],
            library=library,
            on_prediction=lambda one: made.append(one.example),
        )
    assert made == ["one-pick"] * 3
    assert {ask.step for ask in model.asks[before:]} == {"respond"}
    assert len(model.asks) == before + 3
    assert not any(one.error for one in folder.records(Prediction))
    assert Counter(one.method for one in folder.records(Reading)) == {"readagent-p:2": 1, "bm25:1": 1}


async def test_an_error_that_all_would_meet_ends_the_run_and_it_can_be_resumed(tmp_path: Path) -> None:
    left = 9

    def answer(ask: Ask) -> str | Exception:
        nonlocal left
        left -= 1
        return sensible(ask) if left >= 0 else UnauthorizedError("wrong key")

    model = ScriptedModel(answer)
    with Library(tmp_path / "library") as library:
        with pytest.raises(UnauthorizedError):
            await conduct(tmp_path / "run", model, METHODS, [case("one"), case("two")], library=library)
        folder = RunFolder(tmp_path / "run")
        assert folder.manifest()["state"] == "running"
        assert not any(one.error for one in folder.records(Prediction))
        left = 10**6
        answered = len(model.asks)
        await conduct(tmp_path / "run", model, METHODS, [case("one"), case("two")], library=library)
    prompts = [(ask.step, ask.prompt) for ask in model.asks]
    assert not set(prompts[:9]) & set(prompts[answered:]), "a reply that was received was requested again"
    assert len(folder.records(Prediction)) == 12
    assert folder.manifest()["state"] == "finished"


async def test_repetitions_are_kept_apart_in_the_cache(tmp_path: Path) -> None:
    """A model that never says the same twice: three runs must differ, for trees and readings too."""
    count = 0

    def moody(ask: Ask) -> str:
        nonlocal count
        count += 1
        if ask.step == "walk":
            assert ask.choice is not None
            return "ANSWER" if "ANSWER" in ask.choice.values else "Part 0"
        said = sensible(ask)
        return f"{said} {count}" if ask.step in ("gist", "respond") and ask.choice is None else said

    model = ScriptedModel(moody)
    with Library(tmp_path / "library") as library:
        folder = await conduct(
            tmp_path / "run", model, ["gistmem", "memwalker"], [case()], runs=3, library=library
        )  # fmt: skip
        asked = len(model.asks)
        await conduct(tmp_path / "run", model, ["gistmem", "memwalker"], [case()], runs=3, library=library)
    assert len(model.asks) == asked
    free = [one for one in folder.records(Prediction) if one.kind == "free"]
    assert len({(one.method, one.text) for one in free}) == 6
    gists = Counter(ask.prompt for ask in model.asks if ask.step == "gist")
    assert set(gists.values()) == {3}  # each page, and each node of the tree, once for each run
    assert all(row.measures["rouge1"].deviation is not None for row in rows(folder))
