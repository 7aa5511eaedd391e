"""Tasks and pinned gists through the Python API: each question uses the right memory, and pinned gists stay."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from readagent import AsyncReadAgent, Gist, Library, Plan, ReadAgent, load
from readagent.core.model import Ask
from readagent.errors import UsageError
from readagent.testing.scripted import ScriptedModel
from sessions import EXAMPLES, prose, run, sensible

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
        memory = agent.read(TEXT)
    gists = [ask.prompt for ask in model.asks if ask.step == "gist"]
    assert all("For texts of this kind: Keep every hour." in prompt for prompt in gists)
    with ReadAgent(model, library=library, plan=plan("")) as agent:
        assert agent.read(TEXT).key != memory.key
    with ReadAgent(model, domain="law", plan=Plan(instructions="Mine.")) as agent:
        assert agent.plan.instructions == "Mine."


def test_a_task_that_is_too_long_for_the_window_is_rejected(library: Library) -> None:
    model = ScriptedModel(sensible)
    with ReadAgent(model, library=library, window=1000) as agent:
        with pytest.raises(UsageError, match="too long for a window of 1000 tokens"):
            agent.read(TEXT, plan=plan("Find this and that. " * 200))
        assert agent.window() == 1000
        assert agent.read(TEXT, plan=plan("Find this and that. " * 10)).pages


STORY = load(EXAMPLES / "story.txt")
SMALL = Plan(page_words=300, min_page_words=120)


def improving(ask: Ask) -> str:
    better = f"Better by {len(ask.prompt)}. {sensible(ask)}" if ask.step == "gist" else ""
    return better if "<earlier>" in ask.prompt else sensible(ask)


def test_an_improved_gist_is_in_the_memory_and_in_the_library(library: Library) -> None:
    with ReadAgent(ScriptedModel(improving), library=library, plan=SMALL) as agent:
        memory = agent.read(STORY)
        better = agent.improve(memory, [2, 5], note="keep the names")
        assert [page for page in range(len(memory.pages)) if better.gists[page] != memory.gists[page]] == [2, 5]
        assert better.trace.steps() == {"gist": 2}
        assert agent.recall(STORY.id) == better
        once_more = agent.improve(better, 2)
        assert once_more.gists[2] != better.gists[2]
        with pytest.raises(UsageError, match="no page 999"):
            agent.improve(memory, 999)


def test_a_pinned_gist_does_not_age(library: Library) -> None:
    plan = Plan(page_words=300, min_page_words=120, recent=2, floor_words=5)

    async def aged() -> tuple[Gist, ...]:
        async with AsyncReadAgent(ScriptedModel(sensible), library=library, plan=plan) as agent:
            memory = await agent.read(STORY)
            pinned = library.pin(memory, {1: memory.gists[1]})
            shown = await agent.aged(pinned)
            assert shown.gists[0].words < memory.gists[0].words
            assert shown.gists[1] == memory.gists[1]
            return shown.gists

    assert run(aged())


def test_a_gist_pinned_during_a_reading_is_in_its_result(library: Library) -> None:
    document = prose(40)
    with ReadAgent(ScriptedModel(sensible), library=library, plan=Plan(page_words=60, min_page_words=20)) as agent:
        first = agent.read(document)
    pinned = False

    def meanwhile(ask: Ask) -> str:
        nonlocal pinned
        if not pinned:
            pinned = True
            library.pin(first, {3: "Mine."})
        return sensible(ask)

    with ReadAgent(ScriptedModel(meanwhile), library=library, plan=Plan(page_words=80, min_page_words=50)) as agent:
        second = agent.read(document)
    for memory in (second, library.memory(document.id)):
        assert memory is not None
        assert [gist.text for gist in memory.gists if gist.origin == "user"] == ["Mine."]
        assert (first.pages[3].start, first.pages[3].end) in {(page.start, page.end) for page in memory.pages}
