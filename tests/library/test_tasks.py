"""Memories made for a task are separate from the general one, in any order of operations."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from library.shelf import answer_to, memory_of
from readagent.core.memory import GistMemory
from readagent.core.plan import Plan
from readagent.library import DocumentRow, Library

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


def row(library: Library, document: str) -> DocumentRow:
    found = library.row(document)
    assert found is not None
    return found


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


operations = st.lists(
    st.tuples(st.sampled_from(["read", "ask", "remove"]), st.integers(0, 1), st.sampled_from(TASKS),
              st.sampled_from([None, 2000])),
    max_size=14,
)  # fmt: skip


@pytest.mark.slow
@settings(deadline=None, max_examples=15)
@given(operations)
def test_no_order_of_operations_mixes_tasks(
    tmp_path_factory: pytest.TempPathFactory, done: list[tuple[str, int, str, int]]
) -> None:
    newest: dict[tuple[str, str], GistMemory] = {}
    asked: dict[str, list[tuple[str, str]]] = {}
    with Library(tmp_path_factory.mktemp("any")) as library:
        for turn, (what, which, task, window) in enumerate(done):
            memory = _of(which, task, f"word{turn}")
            document = memory.document.id
            if what == "read":
                keep(library, memory)
                if window is not None:  # merged for a window too; the whole one is still what is meant
                    keep(library, replace(memory, pages=memory.pages[:1], gists=memory.gists[:1], window=window))
                newest.pop((document, task), None)  # the one that was made last comes last
                newest[document, task] = memory
            elif what == "ask" and (document, task) in newest:
                library.keep_answer(document, newest[document, task].key, answer_to(str(turn)), model="m")
                asked.setdefault(document, []).append((str(turn), task))
            elif what == "remove" and library.row(document) is not None:
                library.remove(document)
                newest = {key: kept for key, kept in newest.items() if key[0] != document}
                asked.pop(document, None)
        for document in {document for document, _ in newest}:
            _check(library, document, newest)
            kept = reversed(library.answers(document))
            assert [(one.question.text, one.task) for one in kept] == asked.get(document, [])


def _of(which: int, task: str, word: str) -> GistMemory:
    text = f"Anna crossed the river {which} times, and nobody saw her. " * 3
    return replace(memory_of(text, gist=word, size=30), plan=Plan(task=task))


def _check(library: Library, document: str, newest: dict[tuple[str, str], GistMemory]) -> None:
    """Check that the library agrees with the last memory of each task."""
    mine = {task: memory for (name, task), memory in newest.items() if name == document}
    for task in TASKS:
        assert library.memory(document, task=task) == mine.get(task)
    listed = row(library, document)
    assert listed.tasks == tuple(task for task in reversed(mine) if task)
    assert (listed.state == "done") == ("" in mine)
    assert listed.pages == (len(mine[""].pages) if "" in mine else 0)
    shown = mine.get("") or [*mine.values()][-1]
    for memory in mine.values():
        hits = library.search(memory.gists[0].text.split()[0], document_id=document)
        assert len(hits) == (len(memory.pages) if memory is shown else 0)
        assert {hit.task for hit in hits} <= {memory.plan.task}
