"""Gists have a length to aim at: from the paper's shares, named in the prompt, with one reminder if they are too long."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from readagent import Plan, ReadAgent, estimate, load
from readagent.core.gists.parts import fit
from readagent.core.gists.sizes import aimed_words
from readagent.core.model import Ask
from readagent.core.plan import preset
from readagent.core.reading import read
from readagent.core.words import truncate
from readagent.testing.scripted import ScriptedModel
from readagent.testing.skim import gist, skim
from readagent_bench.recipes import RECIPES
from sessions import EXAMPLES, make_session, run

STORY = load(EXAMPLES / "story.txt")
_AIM = re.compile(r"Aim at about (\d+) words")


def obeying(ask: Ask) -> str:
    """Reply like a model that shortens to the words that the prompt names."""
    aim = _AIM.search(ask.prompt)
    if ask.step != "gist" or aim is None:
        return skim(ask.prompt)
    return truncate(ask.material.passages[0].strip(), int(aim[1]))


def keeping(share: float) -> ScriptedModel:
    """Return a model that keeps this share of every page, whatever it is told."""
    return ScriptedModel(
        lambda ask: gist(ask.material.passages[0], share) if ask.step == "gist" else skim(ask.prompt), name=f"{share}"
    )


@pytest.mark.parametrize(
    ("page_words", "words", "aim"),
    [(600, 600, 85), (600, 100, 25), (3000, 3000, 95)],
)
def test_the_aim_is_the_share_of_the_paper_in_round_numbers(page_words: int, words: int, aim: int) -> None:
    assert aimed_words(page_words, words) == aim


@pytest.mark.parametrize(("name", "mode"), [("articles", "paper"), ("books", "paper"), ("articles", "fast")])
def test_a_model_that_obeys_makes_a_memory_as_long_as_estimated(name: str, mode: str) -> None:
    plan = replace(preset(name), mode=mode)  # type: ignore[arg-type]
    session = make_session(obeying if mode == "paper" else lambda ask: skim(ask.prompt), plan)
    memory = run(fit(run(read(STORY, session)), session))
    expected = estimate(STORY, plan=plan).memory_words
    assert 0.75 * expected <= memory.words() <= 1.25 * expected
    assert memory.trace.steps()["gist" if mode == "paper" else "read"] == len(memory.pages) or mode == "fast"


def test_a_model_that_keeps_too_much_is_reminded_until_that_is_no_use() -> None:
    model = keeping(0.45)
    with ReadAgent(model, plan=Plan(page_words=200, min_page_words=100)) as agent:
        memory = agent.read(STORY)
    reminded = [ask.prompt for ask in model.asks if ask.step == "gist" and "could not be used" in ask.prompt]
    assert 5 <= len(reminded) < len(memory.pages)
    (warning,) = memory.warnings
    assert re.match(r"the gists are [2-4]\.\d times longer than asked for: .*`memory_words`", warning)
    assert all(re.search(r"it had \d+ words, and about \d+ were asked for", prompt) for prompt in reminded)
    assert memory.leads == ()
    assert memory.trace.fallbacks == []


def test_the_recipes_of_the_paper_name_no_length() -> None:
    aims = {name: [one.plan(preset("articles")).aim for one in recipe.variants] for name, recipe in RECIPES.items()}
    ours = {name: aims.pop(name) for name in ("aim", "direct", "defaults", "words")}
    assert not any(any(one) for one in aims.values())
    assert ours["aim"] == [True, False]
    assert ours["direct"] == [True]
    assert any(ours["defaults"])
    assert all(ours["words"])
