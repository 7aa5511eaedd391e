"""A zip archive opened safely from bytes: whatever its headers claim, unpacked bytes are counted and limited.

Nothing is written to disk and archives inside archives are not opened, so odd names and nesting can do no harm.
"""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from readagent.errors import LoadError

_CHUNK = 1 << 16  # bytes unpacked at a time
_SMALL = 4_000_000  # bytes up to which the compression ratio is not checked
_DIRECTORY_ENTRY = b"PK\x01\x02"
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the ones that EPUB, DOCX and ODT allow
_ERRORS = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, IndexError, OverflowError,
    NotImplementedError, RuntimeError,
)  # fmt: skip
GET_AGAIN = "get the file again, or open it in the program that made it and save it again"
_SUSPICIOUS = "the archive may be malicious; if you trust it, unpack it and read the files in it"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits on an archive: its members, the bytes of one member and of all, and the compression ratio."""

    members: int = 20_000
    member_bytes: int = 200_000_000
    total_bytes: int = 300_000_000
    ratio: int = 300  # ordinary XML stays below 100; only one byte repeated again and again comes near 1,000


class Archive:
    """The members of a zip archive by name. A member that is read twice counts once.

    Members whose names point ``outside`` are as good as missing.
    """

    def __init__(self, data: bytes, name: str, *, bounds: Bounds | None = None) -> None:
        self.name = name
        self._bounds = bounds or Bounds()
        self._packed_bytes = len(data)
        self._unpacked: dict[str, int] = {}
        if data.count(_DIRECTORY_ENTRY) > self._bounds.members:  # checked before zipfile makes an object of each
            raise LoadError(f"{name} has more than {self._bounds.members:,} parts", hint=_SUSPICIOUS)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _ERRORS as error:
            raise _not_opened(data, name) from error
        self._refuse_duplicates()
        infos = [info for info in self._zip.infolist() if not info.filename.endswith("/")]
        self.outside = [info.filename for info in infos if points_outside(info.filename)]
        self._members = {info.filename: info for info in infos if not points_outside(info.filename)}
        if any(info.flag_bits & 1 for info in self._members.values()):
            raise LoadError(f"{name} is protected by a password", hint="save it without a password and read that")

    def names(self) -> list[str]:
        """Return the names of all members, in the order of the archive, without folders."""
        return list(self._members)

    def mode(self, member: str) -> int:
        """Return the mode of a file, as Unix has it, or 0."""
        return self._members[member].external_attr >> 16

    def __contains__(self, member: object) -> bool:
        return member in self._members

    def read(self, member: str) -> bytes:
        """Return the unpacked bytes of one member; raise LoadError if it is missing, damaged or too large."""
        info = self._members.get(member)
        if info is None:
            raise LoadError(f"{self.name} is incomplete: part {_shown(member)} is missing", hint=GET_AGAIN)
        if info.compress_type not in _COMPRESSIONS:
            raise LoadError(f"{self.name} uses an unsupported compression method", hint=GET_AGAIN)
        try:
            return self._unpack(info)
        except _ERRORS as error:
            reason = f"{self.name} is damaged: part {_shown(member)} could not be unpacked"
            raise LoadError(reason, hint=GET_AGAIN) from error

    def _unpack(self, info: zipfile.ZipInfo) -> bytes:
        others = sum(self._unpacked.values()) - self._unpacked.get(info.filename, 0)
        with self._zip.open(info) as stream:
            data = _bounded(stream.read, min(info.compress_size, self._packed_bytes), self.name, self._bounds, others)
        self._unpacked[info.filename] = len(data)
        return data

    def _refuse_duplicates(self) -> None:
        duplicates = [name for name, times in Counter(self._zip.namelist()).items() if times > 1]
        if duplicates:
            reason = f"{self.name} is damaged: it has two parts named {_shown(duplicates[0])}"
            raise LoadError(reason, hint=GET_AGAIN)


def points_outside(name: str) -> bool:
    """Whether the name of a file in an archive is that of a file outside of the folder that it is unpacked into."""
    return ".." in name.replace("\\", "/").split("/") or name.startswith(("/", "\\"))


def gunzipped(data: bytes, name: str) -> bytes:
    """Return the unpacked bytes of a gzip file; raise LoadError if it is damaged or too large."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            return _bounded(stream.read, len(data), name, Bounds())
    except _ERRORS as error:
        raise LoadError(f"{name} is damaged: it could not be unpacked", hint=GET_AGAIN) from error


def _bounded(read: Callable[[int], bytes], packed: int, name: str, bounds: Bounds, others: int = 0) -> bytes:
    """Return all bytes that ``read`` unpacks from ``packed`` bytes; ``others`` were unpacked before."""
    chunks: list[bytes] = []
    size = 0
    while chunk := read(_CHUNK):
        size += len(chunk)
        if size > bounds.member_bytes or others + size > bounds.total_bytes:
            raise LoadError(f"{name} unpacks to more than {_megabytes(bounds, size)} MB", hint=_SUSPICIOUS)
        if size > _SMALL and size > bounds.ratio * max(1, packed):
            raise LoadError(f"{name} unpacks to more than {bounds.ratio} times its size", hint=_SUSPICIOUS)
        chunks.append(chunk)
    return b"".join(chunks)


def _not_opened(data: bytes, name: str) -> LoadError:
    if not data.startswith(b"PK"):
        return LoadError(f"{name} is not a zip archive, but should be one", hint=GET_AGAIN)
    return LoadError(f"{name} is damaged or incomplete: its directory could not be read", hint=GET_AGAIN)


def _megabytes(bounds: Bounds, size: int) -> str:
    limit = bounds.member_bytes if size > bounds.member_bytes else bounds.total_bytes
    return f"{limit / 1_000_000:,.10g}"


def _shown(member: str) -> str:
    return repr(member if len(member) <= 80 else f"{member[:77]}...")
