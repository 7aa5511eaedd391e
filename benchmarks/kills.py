"""Fifty kills at random points of one reading, each followed by a rerun: no call is repeated, the memory is the same.

The command line reads with a scripted server in this process, which sees every request. Kill points are a seeded sample
of the calls of an uninterrupted run: at the k-th answer of a run its reader gets SIGKILL, before the reply is sent or
just after. A reply *had arrived* if it was in the library after the kill, or if the reader had sent another request on
the same connection since. Such a reply must never be requested again; a reply in transit when the reader was killed has
to be.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

from common import SEED, STORY, Value, arguments, book, environment, manifest, print_figures, workplace, write_results

from readagent.core.memory import GistMemory
from readagent.library import Library
from readagent.library.pack import decompress, to_text
from readagent.testing.loopback import LoopbackServer
from readagent.testing.skim import skim

_JSON_LINE = "\n\nGive your reply as JSON"  # added to a prompt for a constrained reply


class Witness:
    """Answers as a skimmer does, records which replies arrived, and kills the reader at a given answer."""

    def __init__(self) -> None:
        self.calls = 0
        self.asked_again = 0  # though the reply had arrived
        self.arrived: set[str] = set()
        self._on_the_way: dict[object, str] = {}
        self._kill: Callable[[], None] | None = None
        self._kill_at = 0
        self._before = False

    def __call__(self, prompt: str, constraint: dict[str, Any] | None) -> str:
        """Answer one request."""
        asked = prompt.split(_JSON_LINE)[0]
        connection = asyncio.current_task()
        if (read := self._on_the_way.pop(connection, None)) is not None:
            self.arrived.add(read)
        self.asked_again += asked in self.arrived
        self._on_the_way[connection] = asked
        self.calls += 1
        if self._kill is not None and self.calls == self._kill_at:
            kill, self._kill = self._kill, None
            if self._before:
                kill()
            else:
                asyncio.get_running_loop().call_soon(kill)
        return skim(prompt, constraint)

    def kill_at(self, answers: int, kill: Callable[[], None], *, before: bool) -> None:
        """Kill the reader after ``answers`` more answers, before the last is sent or just after."""
        self._kill, self._kill_at, self._before = kill, self.calls + answers, before

    def reader_gone(self, stored: set[str]) -> None:
        """Record that the reader was killed: stored replies had arrived, those in transit had not."""
        self._on_the_way.clear()
        self.arrived |= stored


def read(url: str, home: Path) -> subprocess.Popen[bytes]:
    """Start a reader."""
    flags = ["--base-url", url, "--model", "skimmer", "--mode", "paper"]
    command = [sys.executable, "-m", "readagent", "read", "book.txt", *flags]
    return subprocess.Popen(command, cwd=home, env=environment(home), stdout=subprocess.DEVNULL)


def read_to_the_end(url: str, home: Path) -> GistMemory:
    """Read without interruption and return the memory."""
    if read(url, home).wait():
        sys.exit("the reading failed")
    with Library(home) as library:
        (row,) = library.documents()
        memory = library.memory(row.id)
    assert memory is not None
    return memory


def stored_prompts(home: Path) -> set[str]:
    """Return the prompts whose replies are in the library."""
    with workplace() as copy, closing(sqlite3.connect(_copied(home, copy))) as connection:
        try:
            return {to_text(decompress(row[0])) for row in connection.execute("SELECT prompt FROM calls")}
        except sqlite3.OperationalError:  # killed before the library was set up
            return set()


def _copied(home: Path, folder: Path) -> Path:
    """Return a copy of the library with its log: whoever opens the library itself would tidy up after the kill."""
    for file in home.glob("library.db*"):
        shutil.copy(file, folder)
    return folder / "library.db"


def kill_points(calls: int, kills: int, dice: random.Random) -> list[int]:
    """Return how many answers each run gets before it is killed; together they are points of one reading."""
    points = sorted(dice.sample(range(1, calls), kills))
    return [b - a for a, b in pairwise([0, *points])]


def interrupt(witness: Witness, url: str, home: Path, points: Sequence[int], dice: random.Random) -> tuple[int, int]:
    """Kill at every point; return how many kills hit, and the most replies lost to one of them."""
    hits = lost_at_once = 0
    for point in points:
        before_kill, known = witness.calls, len(stored_prompts(home))
        process = read(url, home)

        def kill(process: subprocess.Popen[bytes] = process) -> None:
            os.kill(process.pid, signal.SIGKILL)

        witness.kill_at(point, kill, before=dice.random() < 0.5)
        hits += process.wait() == -signal.SIGKILL
        stored = stored_prompts(home)
        lost_at_once = max(lost_at_once, witness.calls - before_kill - (len(stored) - known))
        witness.reader_gone(stored)
    return hits, lost_at_once


def main() -> None:
    options = arguments(__doc__)
    if options.quick:
        text, name, kills = STORY.read_text("utf-8"), "the example story", 3
    else:
        text, name = book("don-quixote", 70_000, options.data, otherwise=70_000)
        kills = 50
    dice, witness = random.Random(SEED), Witness()
    print(f"reading {name}, {len(text.split()):,} words, with {kills} kills")
    server = LoopbackServer(witness, keep_requests=False)
    with server.in_thread(), workplace() as quiet, workplace() as home:
        for folder in (quiet, home):
            (folder / "book.txt").write_text(text, "utf-8")
        whole = read_to_the_end(server.base_url, quiet)
        calls, witness.calls = witness.calls, 0
        witness.arrived.clear()
        witness.reader_gone(set())
        hits, lost_at_once = interrupt(witness, server.base_url, home, kill_points(calls, kills, dice), dice)
        memory = read_to_the_end(server.base_url, home)
        total = witness.calls
        read_to_the_end(server.base_url, home)
    same = (memory.pages, memory.gists, memory.key) == (whole.pages, whole.gists, whole.key)
    figures: dict[str, Value] = {
        "words": memory.full_words,
        "pages": len(memory.pages),
        "kills": hits,
        "calls_uninterrupted": calls,
        "calls_with_kills": total,
        "calls_on_their_way_when_killed": total - calls,
        "most_on_their_way_at_one_kill": lost_at_once,
        "arrived_and_requested_again": witness.asked_again,
        "calls_of_one_more_run": witness.calls - total,
        "memory_equal": int(same),
    }
    if not options.quick:
        rows = [{"figure": key, "value": value} for key, value in figures.items()]
        about = manifest(text=name, parallel="8 calls at once, the default")
        write_results("kills", "Fifty kills of one reading", {"Figures": rows}, about)
    print_figures(figures)


if __name__ == "__main__":
    main()
