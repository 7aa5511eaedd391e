"""What is stored in the library is returned unchanged."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from library.shelf import answers, documents, memories, texts, traces, usages
from readagent.core.document import Document
from readagent.core.model import Ask, Reply
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question
from readagent.core.trace import Trace
from readagent.library import Library

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
    document = shared.add(memory.document)
    reading = shared.start_reading(document, "key", model="m", prompts="p", plan=Plan(), window=1)
    shared.finish_reading(reading, memory)
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
        number,
        answer.question,
        answer.text,
        model,
        thread,
    )
    assert (kept.choice, kept.pages, kept.compression) == (answer.choice, answer.pages, answer.compression)
