"""Prompt sets: strict, fingerprinted, and overridable by a folder of the user's."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from readagent.core.model import Ask
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.question import Question
from readagent.core.reading import ask
from readagent.core.session import Session
from readagent.errors import PromptError
from readagent.testing.scripted import ScriptedModel
from sessions import prose, read_and_fit, run, session


@pytest.mark.parametrize("name", ["default", "small"])
def test_the_rendered_prompts_of_a_small_document(name: str, snapshot: SnapshotAssertion) -> None:
    """Golden: whoever changes a prompt sees every place it shows in."""
    asks: list[Ask] = []
    plan = Plan(page_words=60, min_page_words=20, show_previous=True, by_importance=True, nudge=True, task="Find w7.")
    for look_up in ("parallel", "sequential"):
        model = session().model
        who = Session(model, Prompts.load(name), plan)
        mind = run(read_and_fit(prose(7), who))
        for question in (Question("Who?"), Question.choice("Who?", ["Ann", "Bob"]), Question.claim("Ann did.")):
            run(ask(mind, question, Session(model, who.prompts, Plan(look_up=look_up)), [("Where?", "There.")]))  # type: ignore[arg-type]
        asks += model.asks  # type: ignore[attr-defined]
    distinct = {ask.prompt: ask.step for ask in asks}
    assert "\n\n=====\n\n".join(f"[{step}]\n{prompt}" for prompt, step in distinct.items()) == snapshot


def test_the_fingerprint_changes_with_any_letter(tmp_path: Path) -> None:
    (tmp_path / "nudge.txt").write_text(" Think.")
    assert Prompts.load(tmp_path).fingerprint != Prompts.load().fingerprint != Prompts.load("small").fingerprint
    assert Prompts.load().fingerprint == Prompts.load("default").fingerprint


def test_a_folder_of_ones_own_may_hold_a_single_prompt(tmp_path: Path) -> None:
    (tmp_path / "gist.txt").write_text("Kürzer: {passage}{guidance}", "utf-8")
    who = Session(
        ScriptedModel(["Kurz und gut ist das."]), Prompts.load(tmp_path), Plan(page_words=60, min_page_words=50)
    )
    run(read_and_fit(prose(3), who))
    assert who.model.asks[0].prompt.startswith("Kürzer: W0 w1")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("gist.txt", "Shorten it.", "does not show {passage}"),
        ("gist.txt", "{passage} {page}", "names {page}"),
        ("gits.txt", "{passage}", "not a prompt of any step"),
    ],
)
def test_a_prompt_that_cannot_work_is_refused_at_once(tmp_path: Path, file: str, text: str, problem: str) -> None:
    (tmp_path / file).write_text(text)
    with pytest.raises(PromptError, match=problem.replace("{", r"\{")):
        Prompts.load(tmp_path)


def test_a_set_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="no prompt set") as error:
        Prompts.load(tmp_path / "nowhere")
    assert "default, small" in error.value.hint


def test_braces_in_a_text_are_left_alone() -> None:
    assert "{x} {memory}" in Prompts.load().fill("gist", passage="{x} {memory}", guidance="")
