"""Every test runs with its own home folder and without a network beyond loopback.

Tests marked `weights` or `browser` are skipped on a machine that lacks them. With CI set, hypothesis draws the same
examples in every run.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from needs import missing_browser, missing_weights
from readagent.library import sqlite
from readagent.library.migrate import migrate
from readagent.models.hosts import forbid_live_requests
from readagent.testing.faults import FakeClock, no_waiting

if TYPE_CHECKING:
    from postgres_server import Server

_KEPT = ("READAGENT_TEST_", "READAGENT_DATASETS", "READAGENT_BROWSER")  # what a person tells the tests
_homes = count()
_empty_homes: list[Path] = []

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
settings.register_profile("quick", settings.get_profile("ci"), max_examples=20)  # for `make test`
settings.load_profile("ci" if os.environ.get("CI") else "local")
forbid_live_requests()
sqlite.SYNCHRONOUS = "OFF"  # no test cuts the power, and waiting for the disk took a good part of the time
if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # in the background; processes that tests interrupt would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)


def migrate_quickly(connection: sqlite3.Connection, steps: Sequence[str]) -> None:
    """Migrate, but copy a new library from one that was made before: its steps take 50 ms, and most tests make one."""
    if connection.execute("PRAGMA page_count").fetchone() == (0,):
        _new_library(tuple(steps)).backup(connection)
    migrate(connection, steps)


@cache
def _new_library(steps: tuple[str, ...]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    migrate(connection, steps)
    return connection


setattr(sqlite, "migrate", migrate_quickly)  # noqa: B010 (an assignment is an error of types)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark, missing in (("weights", missing_weights), ("browser", missing_browser)):
        if item.get_closest_marker(mark) and (reason := missing()):
            pytest.skip(reason)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the seconds by folder where the slowest tests are printed (`--durations`)."""
    if not config.option.durations:
        return
    seconds: Counter[str] = Counter()
    for report in chain.from_iterable(terminalreporter.stats.values()):
        if isinstance(report, pytest.TestReport):
            seconds[str(Path(report.nodeid.partition("::")[0]).parent)] += report.duration
    terminalreporter.section("seconds by folder")
    for folder, spent in seconds.most_common():
        terminalreporter.write_line(f"{spent:8.1f}  {folder}")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server, which the tests of a process share."""
    pytest.importorskip("psycopg")
    from postgres_server import Server

    server = Server()
    try:
        yield server.start()
    finally:
        server.stop()


@pytest.fixture(scope="session")
def _shared_database(postgres: Server) -> str:
    return postgres.new_database()


@pytest.fixture
def postgres_url(postgres: Server, _shared_database: str) -> str:
    """The URL of an empty library on the server."""
    postgres.empty(_shared_database)
    return _shared_database


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def clock() -> Iterator[FakeClock]:
    """A clock on which waits for a server pass at once, for everything in this process."""
    with no_waiting() as clock:
        yield clock


@pytest.fixture(autouse=True)
def own_home(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Path]:
    """A home folder of the test's own, and none of the user's keys and settings.

    It is removed afterwards: with thousands of folders side by side, making the next one takes longer than most tests.
    One that stayed empty is the next test's.
    """
    home = _empty_homes.pop() if _empty_homes else tmp_path_factory.mktemp(f"home{next(_homes)}", numbered=False)
    monkeypatch.setenv("HOME", str(home))
    for name in list(os.environ):
        ours = name.startswith("READAGENT_") and not name.startswith(_KEPT)
        if ours or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("READAGENT_HOME", str(home))
    if os.environ.get("READAGENT_TEST_LIBRARY") == "postgres":  # whatever opens the library of the user, opens this
        monkeypatch.setenv("READAGENT_LIBRARY", request.getfixturevalue("postgres_url"))
    yield home
    if home.is_dir() and not any(home.iterdir()):
        _empty_homes.append(home)
    else:
        shutil.rmtree(home, ignore_errors=True)
