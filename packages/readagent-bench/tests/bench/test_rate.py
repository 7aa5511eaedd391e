"""Raters: grades for verdicts, and how ratings enter the figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.studies import prediction
from readagent.agent import AsyncReadAgent
from readagent.core.model import Ask
from readagent.testing.scripted import ScriptedModel
from readagent_bench.folder import RunFolder
from readagent_bench.rate import Verdict, rate, rate_run
from readagent_bench.score import rows
from sessions import make_session

pytestmark = pytest.mark.anyio

STRICT: tuple[Verdict, ...] = ("yes", "no")
PERMISSIVE: tuple[Verdict, ...] = ("yes", "partially", "no")


ANSWER = prediction(question="Who tells it?", text="Irma does", references=("Irma", "nobody"))


async def test_both_raters_see_every_answer_and_every_reference_as_a_third_persons() -> None:
    model = ScriptedModel(lambda ask: "no")
    rating = await rate(ANSWER, make_session(lambda ask: "no"))
    assert (rating.grade, rating.strict, rating.permissive) == ("none", ("no", "no"), ("no", "no"))
    await rate(ANSWER, replace(make_session(), model=model))
    prompts = [ask.prompt for ask in model.asks]
    assert len(prompts) == 4
    assert all("John was asked" in prompt and "Irma does" in prompt and "Who tells it?" in prompt for prompt in prompts)
    assert [("nobody" in prompt) for prompt in prompts] == [False, True, False, True]
    assert [ask.choice.values for ask in model.asks if ask.choice] == [STRICT, STRICT, PERMISSIVE, PERMISSIVE]


async def test_an_unreadable_verdict_is_asked_for_once_more_and_then_unrated() -> None:
    replies = iter(["hm", "yes"])
    rating = await rate(prediction(text="x", references=("y",)), make_session(lambda ask: next(replies, "no")))
    assert (rating.grade, rating.strict) == ("exact", ("yes",))
    rating = await rate(prediction(text="x", references=("y",)), make_session(lambda ask: "hm"))
    assert (rating.grade, rating.strict, rating.permissive) == ("unrated", ("None",), ("None",))


def run_of(path: Path, texts: dict[str, str], **more: object) -> RunFolder:
    folder = RunFolder(path)
    folder.open({"dataset": "own", "split": "all", "runs": 1, "methods": ["full"]})
    for name, text in texts.items():
        folder.add(prediction(example=name, text=text, references=("right",), **more))
    return folder


def agent(answer: object, name: str = "rater") -> AsyncReadAgent:
    return AsyncReadAgent(ScriptedModel(answer, name=name))  # type: ignore[arg-type]


def by_text(ask: Ask) -> str:
    """Yes to what is right, partially to what is half of it, no to what is wrong, and nothing legible to the odd."""
    if "wrong" in ask.prompt:
        return "no"
    if "half" in ask.prompt:
        return "no" if ask.choice and len(ask.choice.values) == 2 else "partially"
    return "I cannot tell" if "odd" in ask.prompt else "yes"


async def test_lr1_and_lr2_keep_the_unrated_in_the_denominator(tmp_path: Path) -> None:
    folder = run_of(tmp_path, {"a": "good", "b": "half", "c": "wrong", "d": "odd"})
    async with agent(by_text) as rating:
        assert await rate_run(folder, rating, lambda _: None) == []
    (row,) = rows(folder)
    assert row.measures["lr1"].mean == 1 / 4
    assert row.measures["lr2"].mean == 2 / 4
    assert row.unrated == 1
    assert folder.manifest()["raters"] == ["rater"]


async def test_an_interrupted_rating_is_resumed_and_new_answers_are_rated_again(tmp_path: Path) -> None:
    folder = run_of(tmp_path, {"a": "good", "b": "wrong"})
    async with agent(by_text) as rating:
        await rate_run(folder, rating, lambda _: None)
        made: list[str] = []
        await rate_run(folder, rating, lambda one: made.append(one.example))
        assert made == []
        folder.add(prediction(example="b", text="good now", references=("right",)))
        (row,) = rows(folder)
        assert row.unrated == 1  # the old rating is of another answer
        assert row.measures["lr1"].mean == 1, "an answer that the rater has not seen is not wrong"
        folder.add(prediction(example="c", error="ModelError: no", references=("right",)))
        assert rows(folder)[0].measures["lr1"].mean == 1 / 2, "a missing one is"
        await rate_run(folder, rating, lambda one: made.append(one.example))
    assert sorted(made) == ["b", "c"]
    assert rows(folder)[0].measures["lr1"].mean == pytest.approx(2 / 3)
