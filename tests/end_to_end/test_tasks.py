"""A text that is read with and without tasks: each question uses the right memory."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from readagent import Library, Plan, ReadAgent
from readagent.core.model import Ask
from readagent.errors import UsageError
from readagent.testing.scripted import ScriptedModel
from sessions import prose, sensible

TASKS = ("", "Who owes what?", "Who owes whom?")
TEXT = prose(12)
_TASK = re.compile(r"matters for it: (.*)")


def tagging(ask: Ask) -> str:
    """Return gists that name the task they were written for."""
    if ask.step != "gist":
        return sensible(ask)
    task = _TASK.search(ask.prompt)
    return f"made for ({task[1] if task else ''}) " + " ".join(ask.material.passages[0].split()[:30])


def plan(task: str) -> Plan:
    return Plan(page_words=60, min_page_words=20, task=task)


@pytest.mark.parametrize(("order", "window"), [(TASKS[::-1], None), (TASKS, 1000)], ids=str)
def test_readings_for_different_tasks_are_kept_apart_in_any_order(
    library: Library, order: tuple[str, ...], window: int | None
) -> None:
    model = ScriptedModel(tagging)
    with ReadAgent(model, library=library, window=window) as agent:
        for task in order:
            memory = agent.read(TEXT, plan=plan(task))
            assert {gist.text.partition(") ")[0] for gist in memory.gists} == {f"made for ({task}"}
        asked = len(model.asks)
        pauses = [ask.prompt for ask in model.asks if ask.step == "paginate"]
        assert len(pauses) == len(set(pauses)), "a pause was paid for twice"
        for task in reversed(order):
            memory = agent.recall(TEXT.id, task=task)
            assert memory is not None
            assert memory.plan.task == task
            agent.ask(memory, "What is w1?")
            shown = "".join(ask.prompt for ask in model.asks[asked:])
            assert set(re.findall(r"made for \((.*?)\)", shown)) == {task}
            assert "gist" not in {ask.step for ask in model.asks[asked:]}
            asked = len(model.asks)
        assert agent.recall(TEXT.id, task="Who owes") is None
        library.remove(TEXT.id)
        assert [agent.recall(TEXT.id, task=task) for task in TASKS] == [None] * 3
        agent.read(TEXT, plan=plan(order[0]))
        assert len(model.asks) == asked, "what was paid for was asked for again"
        assert [agent.recall(TEXT.id, task=task) is not None for task in order] == [True, False, False]


def test_another_domain_is_another_reading(library: Library, own_home: Path) -> None:
    (own_home / "domains").mkdir(parents=True)
    (own_home / "domains" / "logs.txt").write_text("Keep every hour.\r\n")
    model = ScriptedModel(tagging)
    with ReadAgent(model, library=library, domain="logs", plan=plan("")) as agent:
        assert agent.plan.instructions == "Keep every hour."
        memory = agent.read(TEXT)
    gists = [ask.prompt for ask in model.asks if ask.step == "gist"]
    assert all("For texts of this kind: Keep every hour." in prompt for prompt in gists)
    with ReadAgent(model, library=library, plan=plan("")) as agent:
        other = agent.read(TEXT)
        assert other.key != memory.key
        assert agent.recall(TEXT.id) == other
    with ReadAgent(model, domain="law", plan=Plan(instructions="Mine.")) as agent:
        assert agent.plan.instructions == "Mine."
    with ReadAgent(model, domain="papers") as agent:
        assert "This is a scientific text." in agent.plan.instructions
    with pytest.raises(UsageError, match="there is no domain 'lwa'") as caught:
        ReadAgent(model, domain="lwa")
    assert caught.value.hint.startswith("did you mean 'law'? domains: code, law, logs, meetings, papers")


def test_a_task_that_is_too_long_for_the_window_is_rejected(library: Library) -> None:
    model = ScriptedModel(sensible)
    with ReadAgent(model, library=library, window=1000) as agent:
        with pytest.raises(UsageError, match="too long for a window of 1000 tokens"):
            agent.read(TEXT, plan=plan("Find this and that. " * 200))
        assert agent.window() == 1000
        assert agent.read(TEXT, plan=plan("Find this and that. " * 10)).pages
