"""Memories made for a task are separate from the general one, in any order of operations."""

from __future__ import annotations

from dataclasses import replace

import pytest

from library.shelf import answer_to, memory_of
from readagent.core.memory import GistMemory
from readagent.core.plan import Plan
from readagent.library import Library

TASKS = ("", "Who owes what?", "half \ud800 of a pair, a \0 and 'quotes'")


def made_for(task: str, *, gist: str = "short", size: int = 40, window: int | None = None) -> GistMemory:
    """A memory for a task, whose gists start with a given word."""
    memory = memory_of(gist=gist, size=size)
    return replace(memory, plan=Plan(task=task), window=window)


def keep(library: Library, memory: GistMemory) -> str:
    document = library.add(memory.document)
    reading = library.start_reading(
        document, memory.key, model=memory.model, prompts=memory.prompts, plan=memory.plan, window=memory.window
    )
    library.finish_reading(reading, memory)
    return document


@pytest.mark.parametrize("first", TASKS)
@pytest.mark.parametrize("second", TASKS)
def test_each_task_has_its_own_memory(library: Library, first: str, second: str) -> None:
    one, other = made_for(first, gist="first"), made_for(second, gist="second", size=25)
    document = keep(library, one)
    keep(library, other)
    assert library.memory(document, task=second) == other
    assert library.memory(document, task=first) == (other if first == second else one)
    assert (library.memory(document) is None) == ("" not in (first, second))
    assert library.memory(document, task="Who owes what") is None
    assert library.memory(document, key=one.key) == (other if first == second else one)
    assert {reading.task for reading in library.readings(document)} == {first, second}


def test_an_answer_has_the_task_of_its_memory(library: Library) -> None:
    general, special = made_for(""), made_for("a")
    document = keep(library, general)
    keep(library, special)
    for key in (general.key, special.key, "unknown"):
        library.keep_answer(document, key, answer_to(key), model="m")
    assert [(kept.question.text, kept.task) for kept in reversed(library.answers(document))] == [
        (general.key, ""),
        (special.key, "a"),
        ("unknown", ""),
    ]


def test_search_uses_the_pages_of_the_general_memory(library: Library) -> None:
    document = keep(library, made_for("a", gist="special", size=10))
    (hit,) = library.search("special 0")
    assert (hit.page, hit.task) == (0, "a")
    keep(library, made_for("", gist="general"))
    assert library.search("special") == []
    assert {hit.task for hit in library.search("general")} == {""}
    keep(library, made_for("a", gist="special", size=10))
    keep(library, made_for("b", gist="other", size=10))
    assert library.search("special") == library.search("other") == []
    assert library.search("general")
    library.remove(document)
    assert library.search("general") == []
