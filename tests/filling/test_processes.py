"""A shelf filled by several processes of one machine, some of which are killed: all is read, and hardly a call twice."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from filling.conftest import book
from readagent.filling import Filling
from readagent.library import Library
from readagent.testing import LoopbackServer
from web.running import held

pytestmark = pytest.mark.slow

BOOKS, PARALLEL, DEADLINE = 12, 2, 120.0


@pytest.fixture(params=["file", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "home") if request.param == "file" else str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def books(tmp_path: Path) -> Path:
    folder = tmp_path / "books"
    folder.mkdir()
    for number in range(BOOKS):
        (folder / f"{number:02}.txt").write_text(book(number))
    return folder


@pytest.fixture
def model() -> Iterator[LoopbackServer]:
    with LoopbackServer().in_thread() as server:
        yield server


def add(place: str, model: LoopbackServer, *sources: Path) -> subprocess.Popen[str]:
    """Start `readagent shelf add` with two workers."""
    line = [sys.executable, "-m", "readagent", "shelf", "add", "books", *sources, "--workers", "2", "--library", place,
            "--base-url", model.base_url, "--model", "skimmer", "--parallel", str(PARALLEL), "--at-once", "3",
            "--window", "8000", "--json"]  # fmt: skip
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def until(met: Callable[[], bool], command: subprocess.Popen[str]) -> None:
    """Wait until a condition is met."""
    deadline = time.monotonic() + DEADLINE
    while not met():
        assert time.monotonic() < deadline
        assert command.poll() is None, command.communicate()
        time.sleep(0.05)


def reading(library: Library) -> set[str]:
    """Return the workers that read now."""
    lists = library.corpora.all()
    return {one.name for one in library.corpora.workers(lists[0]) if one.alive} if lists else set()


def workers_of(command: subprocess.Popen[str]) -> list[psutil.Process]:
    return psutil.Process(command.pid).children()


def test_workers_and_commands_are_killed_and_the_next_command_reads_the_rest(
    place: str, books: Path, model: LoopbackServer
) -> None:
    with Library(place) as library:
        filling = Filling(library, "books")
        with held(model, "of book") as free:
            command = add(place, model, books)
            until(lambda: len(reading(library)) == 2, command)
            killed = reading(library)
            for worker in workers_of(command):
                worker.kill()
            until(lambda: len(reading(library) - killed) == 2, command)
            workers = workers_of(command)
            assert {row.tries for row in filling.sources(state="reading")} == {1}  # those of the killed come last
            command.kill()
            command.communicate()
            free.set()
            psutil.wait_procs(workers, DEADLINE)  # they finish their calls
        assert filling.workers() == []
        assert "reading" not in filling.progress().states
        output, errors = add(place, model).communicate(timeout=DEADLINE)
        result = json.loads(output)
        assert (result["documents"], result["states"]["done"], result["workers"]) == (BOOKS, BOOKS, []), errors
        assert library.check() == []
        again = [count for count in Counter(one.prompt for one in model.requests).values() if count > 1]
        assert len(again) <= 2 * PARALLEL  # the calls of the workers that were killed


def test_a_command_that_is_interrupted_lets_its_workers_finish(place: str, books: Path, model: LoopbackServer) -> None:
    with Library(place) as library, held(model, "of book") as free:
        command = add(place, model, books)
        until(lambda: len(reading(library)) == 2 and len(model.requests) > 0, command)
        workers = workers_of(command)
        command.send_signal(signal.SIGINT)
        free.set()
        _, errors = command.communicate(timeout=DEADLINE)
        assert (command.returncode, "run the same command again" in errors) == (130, True)
        assert [one for one in workers if one.is_running()] == []
        progress = Filling(library, "books").progress()
        assert set(progress.states) <= {"waiting", "done"}
        assert progress.spent.calls == len(model.requests)


def test_an_error_that_every_document_would_meet_ends_all_workers(
    tmp_path: Path, books: Path, model: LoopbackServer
) -> None:
    command = add(str(tmp_path / "home"), model, books, Path("--max-tokens"), Path("2000"))
    _, errors = command.communicate(timeout=DEADLINE)
    assert command.returncode == 1
    assert "error: the budget of 2,000 tokens" in errors
    assert "Traceback" not in errors
