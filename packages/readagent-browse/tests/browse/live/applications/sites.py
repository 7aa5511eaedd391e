"""Sites: Django's admin and Datasette, started on loopback."""

from __future__ import annotations

import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from urllib.error import URLError
from urllib.request import urlopen

HERE = Path(__file__).resolve().parent
LAMPS = 240


@contextmanager
def django_admin(folder: Path) -> Iterator[str]:
    """Run Django's admin, with its database in ``folder``."""
    with _process(str(HERE / "django_admin.py"), str(folder)) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()


@contextmanager
def datasette(folder: Path) -> Iterator[str]:
    """Run Datasette on a database of lamps, which is made in ``folder``."""
    make_lamps(folder / "lamps.db")
    port = _free_port()
    with _process("-m", "datasette", str(folder / "lamps.db"), "--port", str(port)) as process:
        address = f"http://127.0.0.1:{port}"
        _await(address, process)
        yield address


def make_lamps(file: Path) -> None:
    """Create a database with a table of lamps."""
    metals = ("brass", "copper", "tin")
    rows = [(number, f"Lamp {number}", metals[number % 3], 10 + number * 7 % 90) for number in range(1, LAMPS + 1)]
    with sqlite3.connect(file) as database:
        database.execute("create table lamps (id integer primary key, name text, metal text, price integer)")
        database.executemany("insert into lamps values (?, ?, ?, ?)", rows)
    database.close()


@contextmanager
def _process(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _await(address: str, process: subprocess.Popen[str]) -> None:
    """Wait until a server answers."""
    began = monotonic()
    while monotonic() - began < 60 and process.poll() is None:
        try:
            with urlopen(address, timeout=5):
                return
        except URLError:
            sleep(0.1)
    raise RuntimeError("the server did not start")
