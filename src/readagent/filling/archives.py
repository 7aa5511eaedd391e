"""Archives as sources: each file in a .zip or .tar is a document. Nothing is unpacked to disk."""

from __future__ import annotations

import stat
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path, PurePosixPath

from readagent.errors import LoadError
from readagent.library.corpus_rows import Entry
from readagent.loaders import Skipped
from readagent.loaders.sources.files import MAX_BYTES, too_large
from readagent.loaders.speech.export import together

INSIDE = "!/"  # between the path of an archive and the name of a file in it
TWICE = "in the archive twice, the last one is read"
_ZIP, _TAR = (".zip",), (".tar",)
_PACKED = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst")
OnSkip = Callable[[Skipped], None]
_ENCRYPTED = 1  # a flag of a file in a .zip file
_OPEN = 8  # archives that a process keeps open


def ignore_skipped(skipped: Skipped) -> None:
    """Do nothing: the default for what is skipped."""


def is_archive(path: Path) -> bool:
    """Whether a file is an archive by its name. Books and office files are archives, too, but are read as one."""
    return path.name.lower().endswith((*_ZIP, *_TAR, *_PACKED))


def files_in(path: Path, on_skip: OnSkip = ignore_skipped) -> Iterator[Entry]:
    """Yield the files of an archive as sources; hidden ones, links and names with .. are skipped.

    A hard link to an earlier file of the archive is that file. If a name is there several times, the last member
    counts, as when the archive is unpacked. The archive of an exported chat is one source.
    """
    archive = _opened(path)
    members = [(PurePosixPath(name), name, is_file) for name, is_file in archive.members()]
    last = {place: (name, is_file) for place, name, is_file in members}
    times = Counter(place for place, _, _ in members)
    texts = list(together([name for place, (name, is_file) in last.items() if is_file and not _reason_to_skip(place)]))
    if len(texts) == 1 and len(texts[0][1]) > 1:
        yield Entry(str(path), stamp=archive.stamp)
        return
    for place, (name, is_file) in last.items():
        source = f"{path}{INSIDE}{name}"
        if reason := _reason_to_skip(place) if is_file else "a link or a device":
            on_skip(Skipped(source, reason))
            continue
        if times[place] > 1:
            on_skip(Skipped(source, TWICE))
        yield Entry(source, stamp=archive.stamp)


def _reason_to_skip(place: PurePosixPath) -> str:
    parts = place.parts
    if ".." in parts:
        return "a name with .."
    return "hidden" if any(part.startswith((".", "__MACOSX")) for part in parts) else ""


def read_file(source: str) -> tuple[bytes, str]:
    """Return the bytes of a file in an archive, and its name. ``source`` is as ``files_in`` names it."""
    place, _, name = source.partition(INSIDE)
    return _opened(Path(place)).read(name, PurePosixPath(name).name), PurePosixPath(name).name


def _opened(path: Path) -> _Zip | _Tar:
    lower = path.name.lower()
    if lower.endswith(_PACKED):
        raise LoadError(
            f"{path.name} is compressed as a whole, so that single files in it cannot be read",
            hint="unpack it and give the folder, or pack the files as .zip or .tar",
        )
    with _reading(path):
        changed = path.stat()
        stamp = f"{changed.st_mtime_ns} {changed.st_size}"
        return _zip(path, stamp) if lower.endswith(_ZIP) else _tar(path, stamp)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Raise LoadError for whatever can be wrong with an archive."""
    try:
        yield
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise LoadError(f"{path.name} cannot be read as an archive: {error}", hint="pack the files again") from error
    except KeyError:
        raise LoadError(f"the file is no longer in {path.name}", hint="run `readagent shelf add` on it again") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise LoadError(
            f"{path.name} could not be opened: {reason}", hint="check the path and its permissions"
        ) from None


class _Zip:
    """A .zip file. Threads may read from it at once."""

    def __init__(self, path: Path, stamp: str) -> None:
        self.stamp, self._path, self._file = stamp, path, zipfile.ZipFile(path)

    def members(self) -> Iterator[tuple[str, bool]]:
        """Yield the name of each member that is no folder, and whether it is a file."""
        for info in self._file.infolist():
            if not info.is_dir():
                yield info.filename, not stat.S_ISLNK(info.external_attr >> 16)

    def read(self, name: str, shown: str) -> bytes:
        with _reading(self._path):
            info = self._file.getinfo(name)
            if info.file_size > MAX_BYTES:
                raise too_large(shown)
            if info.flag_bits & _ENCRYPTED:
                raise LoadError(f"{shown} is encrypted", hint="pack the files without a password")
            with self._file.open(name) as file:  # it gives no more than the size that it names
                data = file.read(MAX_BYTES + 1)
        return data


class _Tar:
    """A .tar file: where each file in it begins. Devices cannot be read, nor links but to an earlier file in it."""

    def __init__(self, path: Path, stamp: str) -> None:
        self.stamp, self._path = stamp, path
        self._members: list[tuple[str, bool]] = []
        self._places: dict[str, tuple[int, int]] = {}
        with tarfile.open(path, "r:") as archive:
            self._list(archive)
            end = archive.offset
        with path.open("rb") as file:
            file.seek(end)
            if file.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):  # tarfile ends at whatever is no header
                raise tarfile.ReadError(f"it is damaged, or its end is missing, after {end:,} bytes")

    def _list(self, archive: tarfile.TarFile) -> None:
        """Note the members that are no folders. GNU tar stores a file that it packs again as a hard link."""
        files: dict[PurePosixPath, tuple[int, int]] = {}
        for info in archive:
            place, target = PurePosixPath(info.name), PurePosixPath(info.linkname)
            if info.isdir() or (info.islnk() and place == target and place in files):
                continue
            found = (info.offset_data, info.size) if info.isreg() else files.get(target) if info.islnk() else None
            self._members.append((info.name, found is not None))
            if found is None:
                files.pop(place, None)
            else:
                files[place] = self._places[info.name] = found

    def members(self) -> Iterator[tuple[str, bool]]:
        """Yield the name of each member that is no folder, and whether it is a file."""
        yield from self._members

    def read(self, name: str, shown: str) -> bytes:
        with _reading(self._path):
            start, size = self._places[name]
            if size > MAX_BYTES:
                raise too_large(shown)
            with self._path.open("rb") as file:
                file.seek(start)
                return file.read(size)


_zip, _tar = lru_cache(maxsize=_OPEN)(_Zip), lru_cache(maxsize=_OPEN)(_Tar)
