"""Documents, readings, calls, answers and vectors, in a file and in memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from library.shelf import STORY, answer_to, kept, memory_of
from readagent.core.document import Document
from readagent.core.model import Ask, Reply
from readagent.core.plan import Plan
from readagent.errors import LibraryError
from readagent.library import Library

Shelve = Callable[..., str]


def test_the_file_is_created_on_first_use(tmp_path: Path) -> None:
    library = Library(tmp_path / "home")
    assert library.size() == 0
    assert not (tmp_path / "home").exists()
    assert library.documents() == []
    assert library.path == tmp_path / "home" / "library.db"
    assert library.size() > 0
    library.close()
    assert library.get("nothing") is None  # opens again
    library.close()


def test_the_first_reply_of_a_key_stays(library: Library) -> None:
    library.put("k", "m", Ask("gist", "shorten this"), Reply("first"))
    library.put("k", "m", Ask("gist", "shorten this"), Reply("second"))
    reply = library.get("k")
    assert reply is not None
    assert (reply.text, reply.paid) == ("first", False)


def test_the_list_shows_the_state_of_each_document(library: Library, shelve: Shelve) -> None:
    added = library.add(Document.from_text("only added"))
    begun = library.add(Document.from_text("begun but not finished"))
    library.start_reading(begun, "k", model="m", prompts="p", plan=Plan(), window=None)
    memory = memory_of()
    done = shelve(memory)
    library.keep_answer(done, "key", answer_to(), model="m")
    rows = {row.id: row for row in library.documents()}
    assert [rows[name].state for name in (added, begun, done)] == ["added", "reading", "done"]
    row = rows[done]
    assert (row.pages, row.gist_words, row.questions) == (len(memory.pages), memory.words(), 1)
    assert row.words == memory.document.words
    assert (rows[begun].pages, rows[begun].gist_words) == (0, 0)


def test_the_newest_finished_reading_is_the_memory(tmp_path: Path) -> None:
    times = iter(datetime(2024, 1, 1, tzinfo=UTC) + timedelta(hours=n) for n in range(100))
    with Library(tmp_path, clock=lambda: next(times)) as library:
        small, large = memory_of(size=20), memory_of(size=60)
        document = library.add(small.document)
        assert library.memory(document) is None
        first = library.start_reading(document, "small", model="m", prompts="p", plan=Plan(), window=None)
        second = library.start_reading(document, "large", model="m", prompts="p", plan=Plan(), window=None)
        library.finish_reading(second, large)
        assert library.memory(document) == large
        assert library.memory(document, key="small") is None
        library.finish_reading(first, small)
        assert library.memory(document) == small
        assert library.memory(document, key="large") == large
        assert [row.key for row in library.readings(document)] == ["large", "small"]
        assert len(library.search("river")) == 1  # found once, not once for each reading


def test_a_reading_with_the_same_key_continues(library: Library) -> None:
    document = library.add(Document.from_text(STORY))
    plan = Plan()
    first = library.start_reading(document, "k", model="m", prompts="p", plan=plan, window=None)
    assert library.start_reading(document, "k", model="m", prompts="p", plan=plan, window=None) == first
    library.finish_reading(first, memory_of())
    library.finish_reading(first, memory_of())
    assert library.start_reading(document, "k", model="m", prompts="p", plan=plan, window=None) == first
    assert library.memory(document, key="k") == memory_of()


def test_a_home_that_cannot_be_created_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LibraryError) as caught:
        Library(tmp_path / "file").documents()
    assert str(tmp_path / "file") in str(caught.value)
    assert caught.value.hint
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(LibraryError):
        Library(tmp_path / "folder.db").documents()


def test_vectors_come_back_by_key(library: Library) -> None:
    vectors = {number.to_bytes(32, "big"): bytes([number % 256]) * 16 for number in range(3000)}  # more than one query
    library.keep_vectors(vectors)
    unknown = (3000).to_bytes(32, "big")
    assert library.vectors([*vectors, unknown, *vectors]) == vectors
    assert library.vectors([]) == {}
    library.keep_vectors({})


def test_it_writes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Library.in_memory() as library:
        assert library.memory(kept(library, memory_of())) == memory_of()
        assert library.size() == 0
        assert os.listdir() == []
    assert os.listdir() == []


def test_a_program_may_end_without_closing_it(tmp_path: Path) -> None:
    script = "import sys; from readagent.library import Library; library = Library.in_memory(); library.documents();"
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
