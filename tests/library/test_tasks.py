"""What is stored is returned unchanged, and memories made for a task are separate from the general one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from library.shelf import answer_to, answers, documents, kept, memories, memory_of, texts, traces, usages
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Reply
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question
from readagent.core.trace import Trace
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


replies = st.builds(Reply, texts, st.sampled_from(["stop", "length", "refused", "filtered"]), usages, st.just(False))


@pytest.fixture(scope="module")
def shared() -> Iterator[Library]:
    """One library for all examples of a property: they must not affect each other."""
    with tempfile.TemporaryDirectory() as folder, Library(Path(folder)) as library:
        yield library


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(documents)
def test_a_document_is_stored_unchanged(shared: Library, document: Document) -> None:
    with Library(shared.path.with_name("one.db")) as library:
        library.add(document)
        assert library.document(document.id) == document
        library.add(document)
        assert library.document(document.id) == document
        library.remove(document.id)


@settings(deadline=None, max_examples=100)
@given(texts, texts, replies)
def test_a_reply_is_stored_unchanged(shared: Library, name: str, prompt: str, reply: Reply) -> None:
    shared.put("key", name, Ask("gist", prompt), reply)
    assert shared.get("key") == reply
    assert shared.prompt("key") == prompt
    assert shared.forget_calls() == 1


@pytest.mark.slow
@settings(deadline=None, max_examples=80)
@given(memories())
def test_a_memory_is_stored_unchanged(shared: Library, memory) -> None:  # type: ignore[no-untyped-def]
    document = kept(shared, memory, "key")
    found = shared.memory(document, task=memory.plan.task)
    assert found == memory
    assert shared.memory(document, key="key") == memory
    assert found is not None
    assert found.trace.fallbacks == memory.trace.fallbacks
    assert found.trace.keep_text is False
    row = shared.readings(document)[0]
    assert (row.words_read, row.calls, row.usage) == (
        memory.trace.words_read,
        len(memory.trace.calls),
        memory.trace.usage,
    )
    shared.remove(document)


@pytest.mark.slow
@settings(deadline=None, max_examples=80)
@given(answers, traces, texts, texts)
@example(Answer(Question("Why?"), "", None, (), (), -0.0, Trace()), Trace(), "", "")  # SQLite has no -0.0
def test_an_answer_is_stored_with_its_trace(shared: Library, answer, trace, model, thread) -> None:  # type: ignore[no-untyped-def]
    document = shared.add(Document.from_text("a text"))
    number = shared.keep_answer(document, "no reading", answer, model=model, thread=thread)
    assert shared.answer(number) == answer
    kept = shared.answers(document, thread)[0]
    assert (kept.id, kept.question, kept.text, kept.model, kept.thread) == (
        number, answer.question, answer.text, model, thread,
    )  # fmt: skip
    assert (kept.choice, kept.pages, kept.compression) == (answer.choice, answer.pages, answer.compression)
