"""Prompt sets and their templates: strict, fingerprinted, overridable by a folder of the user's; and the prefixes they share."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from readagent import AsyncReadAgent, Library, ReadAgent, load
from readagent.core import prompts
from readagent.core.form import Form, Text
from readagent.core.model import Ask
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts, Template
from readagent.core.question import Question, Turn
from readagent.core.reading import ask
from readagent.core.session import Session
from readagent.errors import PromptError
from readagent.testing.loopback import LoopbackServer
from readagent.testing.scripted import ScriptedModel
from sessions import EXAMPLES, Counting, make_session, prose, read_and_fit, run


def test_the_rendered_prompts_of_a_small_document(snapshot: SnapshotAssertion) -> None:
    """A snapshot: a change of a prompt shows everywhere the prompt is used."""
    asks: list[Ask] = []
    plan = Plan(page_words=60, min_page_words=20, show_previous=True, by_importance=True, nudge=True, task="Find w7.")
    for look_up in ("parallel", "sequential", "direct"):
        model = make_session().model
        session = Session(model, Prompts.load(), plan)
        memory = run(read_and_fit(prose(7), session))
        for question in (Question("Who?"), Question.choice("Who?", ["Ann", "Bob"]), Question.claim("Ann did.")):
            run(
                ask(
                    memory, question, Session(model, session.prompts, Plan(look_up=look_up)), [Turn("Where?", "There.")]
                )
            )
        asks += model.asks  # type: ignore[attr-defined]
    distinct = {ask.prompt: ask.step for ask in asks}
    assert "\n\n=====\n\n".join(f"[{step}]\n{prompt}" for prompt, step in distinct.items()) == snapshot


def test_the_fingerprint_changes_with_any_letter(tmp_path: Path) -> None:
    (tmp_path / "merge.txt").write_text("What is in these pages? {passage}")
    assert Prompts.load(tmp_path).fingerprint != Prompts.load().fingerprint != Prompts.load("small").fingerprint
    assert Prompts.load().fingerprint == Prompts.load("default").fingerprint


def test_a_reading_made_with_an_earlier_wording_of_a_built_in_set_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "merge.txt").write_text("What is in these pages? {passage}")
    library, text, model = Library.in_memory(), load(EXAMPLES / "story.txt"), Counting()
    with ReadAgent(model, library=library, prompts=str(tmp_path)) as agent:
        before = agent.read(text)
    monkeypatch.setattr(prompts, "_EARLIER", {"default": (before.prompts,)})
    asked = len(model.asks)
    with ReadAgent(model, library=library) as agent:
        assert agent.read(text).gists == before.gists
    assert len(model.asks) == asked


@pytest.mark.parametrize("name", ["default", "small"])
def test_all_questions_about_a_text_share_a_prefix(name: str) -> None:
    """A server with a prefix cache then processes a memory only once."""
    values = dict.fromkeys(("question", "questions", "count", "most", "last", "open_pages", "left"), "?")
    steps = ("look_up", "look_up_next", "respond", "choose", "claim", "direct")
    for several, history in itertools.product((True, False), ("", "Question: Who?\nAnswer: Ann.")):
        prompts = [
            Prompts.load(name).fill(
                step, memory="<Page 0>\nOnce.", several=several, history=history, form=Form((Text(),)), **values
            )
            for step in steps
        ]
        assert len({prompt.partition("<question>")[0] for prompt in prompts}) == 1


def test_a_user_folder_may_hold_a_single_prompt(tmp_path: Path) -> None:
    (tmp_path / "gist.txt").write_text("Kürzer: {passage}", "utf-8")
    session = Session(
        ScriptedModel(["Kurz und gut ist das."]), Prompts.load(tmp_path), Plan(page_words=60, min_page_words=50)
    )
    run(read_and_fit(prose(3), session))
    assert session.model.asks[0].prompt.startswith("Kürzer: W0 w1")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("gist.txt", "Shorten it.", "gist.txt does not always show {passage}"),
        ("gist.txt", "Shorten.\n{passage}\n{page}", "gist.txt, line 3: unknown name {page}"),
        ("gist.txt", "{passage}\n[[if task]]\n", "gist.txt, line 2: [[if task]] is never closed"),
        ("gits.txt", "{passage}", "not a prompt of any step"),
    ],
)
def test_a_wrong_prompt_is_refused_when_loaded(tmp_path: Path, file: str, text: str, problem: str) -> None:
    (tmp_path / file).write_text(text)
    with pytest.raises(PromptError, match=re.escape(problem)) as error:
        Prompts.load(tmp_path)
    assert error.value.hint


def test_an_unknown_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="no prompt set") as error:
        Prompts.load(tmp_path / "nowhere")
    assert "default, paper, small" in error.value.hint


def fill(source: str, **values: object) -> str:
    return Template.parse(source, "step.txt").fill(values)


def test_a_part_is_shown_where_its_value_is() -> None:
    source = "Shorten this[[if words]] to {words} words[[else]] a lot[[end]]."
    assert fill(source, words=20) == "Shorten this to 20 words."
    for nothing in ({}, {"words": None}, {"words": ""}, {"words": 0}, {"words": False}):
        assert fill(source, **nothing) == "Shorten this a lot."


def test_parts_can_be_nested() -> None:
    source = "[[if a]]a[[if b]]b[[else]]c[[end]][[else]]d[[if b]]e[[end]][[end]]"
    assert [fill(source, a=a, b=b) for a in (True, False) for b in (True, False)] == ["ab", "ac", "de", "d"]


def test_values_are_never_read_as_marks() -> None:
    assert fill("{text} {other}", text="{other} [[if x]] [[end]]", other="2") == "{other} [[if x]] [[end]] 2"


def test_a_name_without_a_value_is_an_error() -> None:
    with pytest.raises(PromptError, match=r"step\.txt names \{text\}"):
        fill("{text}")


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("One.\n[[if two]]\nTwo.", r"line 2: \[\[if two\]\] is never closed"),
        ("One.\n  [[end]]\n", r"line 2: \[\[end\]\] without"),
        ("One.\n\nTwo [[fi two]] three.", r"line 3: unknown mark \[\[fi two\]\]"),
    ],
)
def test_a_wrong_mark_is_reported_with_its_line(source: str, problem: str) -> None:
    with pytest.raises(PromptError, match=r"^step\.txt, " + problem) as error:
        Template.parse(source, "step.txt")
    assert "[[end]]" in error.value.hint


@pytest.mark.anyio
async def test_the_memory_is_read_once_for_all_questions_about_it() -> None:
    async with LoopbackServer(cached_share=0.5) as server, AsyncReadAgent("skimmer", base_url=server.base_url) as agent:
        memory = await agent.read(load(EXAMPLES / "story.txt"))
        first = await agent.ask(memory, "Who is Mira?")
        second = await agent.ask(memory, "What is the weight made of?")
        again = await agent.ask(memory, "Who is Mira?")
    look_up = second.trace.calls[0]
    assert look_up.shared_words > 0.7 * memory.words()
    assert second.trace.shared_words > first.trace.shared_words
    assert 0 < first.trace.shared_words < first.trace.words_read
    assert again.trace.shared_words == 0  # nothing was sent
    assert first.trace.paid.cached_tokens == sum(call.usage.cached_tokens for call in first.trace.calls) > 0
