"""Several processes at once: the same text read by all of them, and one library that stays whole."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from cli.console import command
from readagent import Library, load
from readagent.testing.loopback import LoopbackServer
from sessions import EXAMPLES

STORY = EXAMPLES / "story.txt"


def test_processes_that_read_the_same_text_at_once(own_home: Path) -> None:
    with LoopbackServer().in_thread() as server:
        arguments = command("read", STORY, "--base-url", server.base_url, "--model", "skimmer", "--page-words", "150")
        children = [
            subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)
            for _ in range(3)
        ]
        ended = [child.communicate(timeout=120) for child in children]
    assert [child.returncode for child in children] == [0, 0, 0], ended
    assert len(set(ended)) == 1
    with closing(sqlite3.connect(own_home / "library.db")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        (calls,) = database.execute("SELECT count(*) FROM calls").fetchone()
    with Library(own_home) as library:
        assert [row.state for row in library.readings(load(STORY).id)] == ["done"]
        memory = library.memory(load(STORY).id)
    assert memory is not None
    assert "".join(memory.page_text(page.number) for page in memory.pages) == load(STORY).text
    assert calls <= 2 * len(memory.pages)
