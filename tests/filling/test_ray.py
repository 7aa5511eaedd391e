"""Filling a shelf on a Ray cluster of two nodes, with everything killed in turn: it completes, with the same memories.

The command runs in a process of its own, as a user's does, against a real PostgreSQL server and a model server on
loopback that counts what it is asked.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil
import pytest

from filling.conftest import book
from readagent import Library, ReadAgent, load
from readagent.filling import Filling
from readagent.testing import LoopbackServer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed; make test-ray installs it"),
]

BOOKS = 24
PARALLEL = 4  # calls of a worker at once
DEADLINE = 180.0  # seconds


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster with two nodes, each for two workers."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    small = {"num_cpus": 2, "object_store_memory": 80_000_000}
    cluster = Cluster(initialize_head=True, head_node_args={**small, "include_dashboard": False})
    cluster.add_node(**small)
    try:
        yield cluster
    finally:
        cluster.shutdown()


@pytest.fixture
def books(tmp_path: Path) -> Path:
    folder = tmp_path / "books"
    folder.mkdir()
    for number in range(BOOKS):
        (folder / f"{number}.txt").write_text(book(number))
    return folder


@pytest.fixture
def model() -> Iterator[LoopbackServer]:
    with LoopbackServer(latency=0.2).in_thread() as server:
        yield server


class Command:
    """`readagent shelf add` in a process of its own."""

    def __init__(self, library: str, server: LoopbackServer, *arguments: str) -> None:
        self._library = library
        line = [sys.executable, "-m", "readagent", "shelf", "add", "books", *arguments, "--library", library, "--json",
                "--base-url", server.base_url, "--model", "skimmer", "--parallel", str(PARALLEL), "--at-once", "4",
                "--window", "8000"]  # fmt: skip
        self.process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def when_read(self, documents: int) -> None:
        """Wait until so many documents were read."""
        deadline = time.monotonic() + DEADLINE
        with Library(self._library) as library:
            while not library.corpora.all() or Filling(library, "books").progress().done < documents:
                assert time.monotonic() < deadline, self.process.communicate(timeout=5)
                assert self.process.poll() is None, self.process.communicate()
                time.sleep(0.05)

    def result(self) -> dict[str, Any]:
        """Return what it prints when it is done."""
        output, errors = self.process.communicate(timeout=DEADLINE)
        assert self.process.returncode == 0, errors
        return dict(json.loads(output))


def asked(server: LoopbackServer) -> Counter[str]:
    return Counter(request.prompt for request in server.requests)


def assert_complete(url: str, books: Path, server: LoopbackServer, result: dict[str, Any], *, twice: int) -> None:
    """Every book was read, with the memory that one reader makes of it, and few prompts were sent twice."""
    assert (result["documents"], result["states"]["done"]) == (BOOKS, BOOKS)
    again = [count for count in asked(server).values() if count > 1]
    assert len(again) <= twice
    assert max([*again, 1]) <= 2
    with Library(url) as library, LoopbackServer().in_thread() as other:
        assert library.check() == []
        rows = list(Filling(library, "books").sources())
        assert len({row.document for row in rows}) == BOOKS
        assert {card.document for card in library.shelves.cards("books")} == {row.document for row in rows}
        with ReadAgent("skimmer", base_url=other.base_url, window=8000) as agent:
            for number in (0, BOOKS // 2, BOOKS - 1):
                alone = agent.read(load(books / f"{number}.txt"))
                memory = library.memory(alone.document.id)
                assert memory is not None
                assert (memory.pages, memory.gists) == (alone.pages, alone.gists)


def test_a_corpus_is_read_on_two_nodes(cluster: Any, books: Path, model: LoopbackServer, postgres_url: str) -> None:
    command = Command(postgres_url, model, str(books), "--ray", cluster.address, "--all-parallel", "6")
    command.when_read(4)
    assert len(_workers()) == 4
    assert_complete(postgres_url, books, model, command.result(), twice=0)


def _kill_worker(cluster: Any) -> None:
    os.kill(_workers()[0].pid, signal.SIGKILL)


def _kill_two_workers(cluster: Any) -> None:
    for worker in _workers()[:2]:
        os.kill(worker.pid, signal.SIGKILL)


def _kill_node(cluster: Any) -> None:
    cluster.remove_node(cluster.worker_nodes.copy().pop(), allow_graceful=False)


@pytest.mark.release
@pytest.mark.parametrize(
    ("kill", "workers"), [(_kill_worker, 1), (_kill_two_workers, 2), (_kill_node, 2)], ids=["worker", "two", "node"]
)
def test_what_is_killed_is_replaced(
    kill: Callable[[Any], None], workers: int, cluster: Any, books: Path, model: LoopbackServer, postgres_url: str
) -> None:
    command = Command(postgres_url, model, str(books), "--ray", cluster.address)
    command.when_read(4)
    kill(cluster)
    try:
        result = command.result()
    finally:
        if not cluster.worker_nodes:
            cluster.add_node(num_cpus=2, object_store_memory=80_000_000)
    assert_complete(postgres_url, books, model, result, twice=PARALLEL * workers)


def test_the_next_command_goes_on_when_the_first_is_killed(
    cluster: Any, books: Path, model: LoopbackServer, postgres_url: str
) -> None:
    first = Command(postgres_url, model, str(books), "--ray", cluster.address)
    first.when_read(4)
    first.process.kill()
    first.process.communicate()
    assert 4 <= _done(postgres_url) < BOOKS
    second = Command(postgres_url, model, "--ray", cluster.address)
    assert_complete(postgres_url, books, model, second.result(), twice=4 * PARALLEL)


def test_without_postgresql_one_machine_is_used(books: Path, model: LoopbackServer, tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    refused = Command(home, model, str(books), "--ray", "auto")
    output, errors = refused.process.communicate(timeout=DEADLINE)
    assert (output, refused.process.returncode) == ("", 1)
    assert "error: a shelf that several machines fill needs a library on PostgreSQL" in errors
    assert "hint: give the URL of one, postgresql://" in errors


def test_a_cluster_that_is_not_there_is_told(books: Path, model: LoopbackServer, postgres_url: str) -> None:
    command = Command(postgres_url, model, str(books), "--ray", "ray://127.0.0.1:9")
    _, errors = command.process.communicate(timeout=DEADLINE)
    assert command.process.returncode == 1
    assert "error: the Ray cluster at ray://127.0.0.1:9 cannot be reached" in errors
    assert "hint: check the address" in errors


def _workers() -> list[psutil.Process]:
    """Return the processes of the workers."""
    return _processes("ray::_Reader")


def _processes(name: str) -> list[psutil.Process]:
    """Return the processes of this name on the nodes, which are children of this process."""
    found = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # it has ended meanwhile
            if name in " ".join(process.cmdline()):
                found.append(process)
    return found


def _done(url: str) -> int:
    with Library(url) as library:
        return Filling(library, "books").progress().done
