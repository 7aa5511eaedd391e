"""`append`, and files that have grown: only the new text is read, and one line says what was added."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cli.console import LIMIT, Console, running
from cli.interrupter import Interrupter
from readagent import Library
from readagent.cli.commands import append
from readagent.testing.loopback import LoopbackServer

PAGES = ("--page-words", "80", "--min-page-words", "40", "--mode", "paper")


def text_in(home: Path) -> str:
    with Library(home) as library:
        (row,) = library.documents()
        memory = library.memory(row.id)
        assert memory is not None
        assert "".join(memory.page_text(page.number) for page in memory.pages) == memory.document.text
        return memory.document.text


@pytest.mark.slow
def test_ctrl_c_keeps_all_lines(desk: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch, console: Console) -> None:
    lines = [f"Speaker {n % 3}: line number {n} of the talk, and a few more words in it." for n in range(12)]
    interrupter = Interrupter(1)
    with LoopbackServer(interrupter.answer).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        monkeypatch.setenv("READAGENT_MODEL", "skimmer")
        interrupter.requests = 10**6  # the first reading is not interrupted
        console.done("read", "-", "--title", "talk", *PAGES, stdin="A short beginning.")
        interrupter.requests = 0
        with running("append", "talk", "-", "--follow", stdin=subprocess.PIPE) as child:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write("\n".join(lines) + "\n")
            child.stdin.flush()
            interrupter.watch(child)
            assert child.wait(LIMIT) == 0
            assert "unchanged" in child.stdout.read()
        assert text_in(own_home).split("\n\n") == ["A short beginning.", *lines]


def test_ctrl_c_just_after_a_line_was_saved_does_not_add_it_twice(
    console: Console, server: LoopbackServer, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(append.Progress):
        """A progress line at whose end Ctrl-C arrives, once the text has grown."""

        def __exit__(self, *error: object) -> None:
            super().__exit__(*error)
            with Library(own_home) as library:
                if library.documents()[0].words > 3:
                    raise KeyboardInterrupt

    console.done("read", "-", "--title", "talk", *PAGES, stdin="A short beginning.")
    with monkeypatch.context() as patched:
        patched.setattr(append, "Progress", Interrupted)
        assert "1 new page" in console.done("append", "talk", "-", "--follow", stdin="One line.\n").out
    assert text_in(own_home) == "A short beginning.\n\nOne line."
