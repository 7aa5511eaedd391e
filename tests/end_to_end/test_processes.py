"""Several processes read the same text at once into one library, which stays intact."""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from cli.console import LIMIT, running
from readagent import Library, load
from readagent.testing.loopback import LoopbackServer
from sessions import EXAMPLES

STORY = EXAMPLES / "story.txt"


@pytest.mark.slow
def test_several_processes_read_the_same_text(own_home: Path) -> None:
    with LoopbackServer().in_thread() as server:
        arguments = ["read", STORY, "--base-url", server.base_url, "--model", "skimmer", "--page-words", "300"]
        with ExitStack() as stack:
            children = [stack.enter_context(running(*arguments)) for _ in range(2)]
            outputs = [child.communicate(timeout=2 * LIMIT) for child in children]
    assert [child.returncode for child in children] == [0, 0], outputs
    assert len(set(outputs)) == 1
    with closing(sqlite3.connect(own_home / "library.db")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        (calls,) = database.execute("SELECT count(*) FROM calls").fetchone()
    with Library(own_home) as library:
        assert [row.state for row in library.readings(load(STORY).id)] == ["done"]
        memory = library.memory(load(STORY).id)
    assert memory is not None
    assert "".join(memory.page_text(page.number) for page in memory.pages) == load(STORY).text
    assert calls <= 2 * len(memory.pages)
