"""Gists have sizes chosen for the text, and a length to aim at that is asked for."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readagent import ReadAgent, estimate, load
from readagent.core.asking.view import view_of
from readagent.core.document import Document
from readagent.core.gists.parts import fit, room_for
from readagent.core.gists.sizes import choose_sizes, expected_words
from readagent.core.model import Ask
from readagent.core.plan import PRESETS, Plan, preset
from readagent.core.question import Question
from readagent.core.reading import ask, read
from readagent.core.tokens import estimate_tokens
from readagent.core.window import Window
from readagent.core.words import truncate
from readagent.testing.scripted import ScriptedModel
from readagent.testing.skim import gist, skim
from readagent_bench.recipes import RECIPES
from sessions import EXAMPLES, make_session, prose, read_and_fit, run, sensible

AUTO = PRESETS["auto"]


@cache
def text_of(words: int) -> Document:
    return Document.from_text("\n\n".join(["The quick brown fox jumps over the lazy dog again."] * (words // 10)))


@pytest.mark.parametrize("window", [None, 4500, 8192, 131_072])
def test_a_short_text_has_pages_of_the_default_size(window: int | None) -> None:
    plan = choose_sizes(AUTO, text_of(1000), Window(window))
    assert (plan.page_words, plan.min_page_words, plan.gist_words, plan.scale) == (600, 280, 0, False)


def test_a_word_limit_is_filled_with_detail() -> None:
    document = text_of(100_000)
    plans = [
        choose_sizes(replace(AUTO, memory_words=words), document, Window()) for words in (25_000, 16_000, 9_500, 5_000)
    ]
    assert [plan.page_words for plan in plans] == [400, 600, 1200, 3000]
    for plan in plans:
        assert expected_words(plan, 100_000) <= plan.memory_words * 1.02


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(10, 600_000), st.one_of(st.none(), st.integers(700, 200_000)), st.integers(0, 20_000))
def test_sizes_stay_in_the_range_that_was_tested(words: int, window: int | None, budget: int) -> None:
    document = Document(SAMPLE * (words // 100 + 1), ())
    plan = choose_sizes(replace(AUTO, memory_words=budget), document, Window(window))
    assert 0 < plan.min_page_words <= plan.page_words <= 3000
    assert plan.gist_words == 0 or plan.gist_words >= 40
    assert not plan.scale
    if window is not None and window > 2048:
        assert estimate_tokens(SAMPLE) / 100 * plan.page_words < window / 2  # a page can be opened beside the memory


SAMPLE = "Some words of an ordinary length stand here. " * 12 + "And four more words. "


@pytest.mark.parametrize("budget", [60, 500])
@pytest.mark.parametrize("window", [None, 4096])
def test_the_memory_never_exceeds_its_word_limit(budget: int, window: int | None) -> None:
    document = prose(400)
    plan = choose_sizes(
        Plan(page_words=200, min_page_words=100, scale=True, memory_words=budget), document, Window(window)
    )
    session = make_session(sensible, plan, window)
    memory = run(read_and_fit(document, session))
    room = room_for(memory, session)
    assert view_of(memory, [0], room.tokens, room.count).words() <= budget
    assert "".join(map(memory.page_text, range(len(memory.pages)))) == document.text
    answer = run(ask(memory, Question("Where is w3?"), make_session(sensible, plan, window)))
    assert set(answer.pages) <= set(range(len(memory.whole.pages)))


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
    ours = {name: aims.pop(name) for name in ("direct", "defaults", "words")}
    assert not any(any(one) for one in aims.values())
    assert ours["direct"] == [True]
    assert any(ours["defaults"])
    assert all(ours["words"])
