"""A library in memory: it writes no file, threads share it, and closing discards it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from library.shelf import memory_of
from readagent.core.model import Ask, Reply
from readagent.library import Library
from readagent.private_loop import PrivateLoop


def fill(library: Library) -> str:
    memory = memory_of()
    document = library.add(memory.document)
    reading = library.start_reading(document, memory.key, model="m", prompts="p", plan=memory.plan, window=None)
    library.finish_reading(reading, memory)
    library.put("k", "m", Ask("gist", "p"), Reply("r"))
    return document


def test_it_writes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Library.in_memory() as library:
        document = fill(library)
        assert library.memory(document) == memory_of()
        assert library.size() == 0
        assert os.listdir() == []
    assert os.listdir() == []


def test_each_library_in_memory_is_separate() -> None:
    with Library.in_memory() as one, Library.in_memory() as two:
        fill(one)
        assert one.documents()
        assert two.documents() == []


def test_a_thread_may_use_what_another_opened_and_a_third_may_close_it() -> None:
    library = Library.in_memory()
    library.documents()

    async def work() -> str:
        return await asyncio.to_thread(fill, library)

    async def close() -> None:
        library.close()

    loop = PrivateLoop(close)
    document = loop.wait(work())
    assert library.memory(document) == memory_of()
    assert threading.current_thread() is threading.main_thread()
    loop.end()
    assert library._db._connection is None


def test_a_program_may_end_without_closing_it(tmp_path: Path) -> None:
    script = "import sys; from readagent.library import Library; library = Library.in_memory(); library.documents();"
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
