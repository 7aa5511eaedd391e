"""A reading that is killed and rerun many times gives the same memory, and no reply is paid twice."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cli.console import LIMIT, command, diary, prompts
from readagent import GistMemory, Library, load
from readagent.library.pack import decompress, to_text
from readagent.testing.loopback import LoopbackServer
from readagent.testing.skim import skim
from sessions import EXAMPLES

FLAGS = ("--page-words", "60", "--min-page-words", "25", "--mode", "paper")


class Killer:
    """Kills a child at the n-th request to the server: before the reply, or a little later."""

    def __init__(self) -> None:
        self._known = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None
        self.unanswered = ""  # the prompt during whose answering the child was killed
        self._left = 0
        self._delay = 0.0

    def kill(self, at: int, delay: float, arguments: list[str], home: Path) -> int:
        """Run a command, kill it at this request, and return its exit code."""
        self._known.clear()
        self._left, self._delay = at, delay
        self._child = subprocess.Popen(
            arguments,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"READAGENT_HOME": str(home)},
        )
        self._known.set()
        try:
            return self._child.wait(LIMIT)
        finally:
            self._child.kill()
            self._child.wait()

    def answer(self, prompt: str, constraint: dict[str, Any] | None) -> str:
        self._left -= 1
        if self._left == 0:
            assert self._known.wait(LIMIT)
            assert self._child is not None
            if self._delay:
                threading.Timer(self._delay, self._child.kill).start()
            else:
                self._child.kill()
                self.unanswered = prompt
        return skim(prompt, constraint)


def asked(prompt: str) -> str:
    """Return a prompt without the form of the reply, which is JSON where a server constrains it."""
    return prompt.rpartition("</passage>")[0] or prompt


def kept_prompts(home: Path, copy: Path) -> set[str]:
    """Return the prompts whose replies are in the library. A copy is read, so that the library stays as it was killed."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(home, copy)
    if not (copy / "library.db").exists():
        return set()
    with closing(sqlite3.connect(copy / "library.db")) as database:
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'calls'").fetchone():
            return set()
        return {asked(to_text(decompress(row[0]))) for row in database.execute("SELECT prompt FROM calls")}


def run_in(home: Path, arguments: list[str]) -> int:
    """Run a command with this home folder, and return its exit code."""
    environ = os.environ | {"READAGENT_HOME": str(home)}
    return subprocess.run(arguments, env=environ, check=False, timeout=5 * LIMIT).returncode


def memory_in(home: Path, text: Path) -> GistMemory:
    with Library(home) as library:
        memory = library.memory(load(text).id)
    assert memory is not None
    return memory


@pytest.mark.parametrize(
    "kills", [pytest.param(3, marks=pytest.mark.slow), pytest.param(20, marks=pytest.mark.release)]
)
def test_kills_end_in_the_same_memory(tmp_path: Path, kills: int) -> None:
    text = tmp_path / "text.txt"
    whole_text = f"{(EXAMPLES / 'story.txt').read_text('utf-8')}\n\n{diary(20)}"
    text.write_text(whole_text[: 4000 * kills], "utf-8")
    killed, whole, copy = tmp_path / "killed", tmp_path / "whole", tmp_path / "copy"
    killed.mkdir()
    dice, killer = random.Random(1959), Killer()
    with LoopbackServer(killer.answer).in_thread() as server:
        arguments = command("read", text, "--base-url", server.base_url, "--model", "skimmer", *FLAGS)
        kept: set[str] = set()
        for _ in range(kills):
            parallel, at, delay = dice.choice((1, 4, 8)), dice.randint(1, 6), dice.choice((0, 0, dice.uniform(0, 0.02)))
            server.requests.clear()
            code = killer.kill(at, delay, [*arguments, "--parallel", str(parallel)], killed)
            assert code == -signal.SIGKILL
            requested = {asked(request.prompt) for request in server.requests}
            assert not requested & kept, "a reply that was kept was asked for again"
            answered, kept_now = set(map(asked, prompts(server.requests))), kept_prompts(killed, copy)
            assert kept <= kept_now
            kept = kept_now
            assert len(answered - kept) <= parallel, "more was lost than the calls in flight"
            if parallel == 1 and not delay:
                assert answered - {killer.unanswered} <= kept, "a reply that had arrived was lost"
        server.requests.clear()
        assert run_in(killed, arguments) == 0
        assert server.requests, "the reading had ended before the last kill"
        assert not {asked(request.prompt) for request in server.requests} & kept
        assert run_in(whole, arguments) == 0
    after, straight = memory_in(killed, text), memory_in(whole, text)
    assert after.pages == straight.pages
    assert after.gists == straight.gists
    assert len(after.pages) > 5 * kills
    assert len(kept_prompts(killed, copy)) == len(kept_prompts(whole, copy))
