"""Archive: a zip opened from bytes, and safely: whatever its headers claim, what is unpacked is counted and bounded.

Nothing is written to disk and no archive inside an archive is opened, so neither odd names nor nesting can do harm.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections import Counter
from dataclasses import dataclass

from readagent.errors import LoadError

_CHUNK = 1 << 16  # bytes unpacked at a time
_SMALL = 4_000_000  # bytes up to which no one asks how tightly they were packed
_ENTRY = b"PK\x01\x02"  # opens each entry in the list of members
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the ones that EPUB, DOCX and ODT allow
_BROKEN = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, IndexError, OverflowError,
    NotImplementedError, RuntimeError,
)  # fmt: skip
_AGAIN = "get the file once more, or open it in the program that made it and save it anew"
_SUSPECT = "such an archive may be made to do harm; if you trust it, unpack it and read the files in it"


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many members an archive may have, how many bytes one and all of them may be, and how tightly packed."""

    members: int = 20_000
    member_bytes: int = 200_000_000
    total_bytes: int = 300_000_000
    ratio: int = 300  # ordinary XML stays under 100; only what is made of one repeated byte comes near 1,000


class Archive:
    """The members of a zip by their names. What is read more than once counts only once."""

    def __init__(self, data: bytes, name: str, *, bounds: Bounds | None = None) -> None:
        self.name = name
        self._bounds = bounds or Bounds()
        self._packed_bytes = len(data)
        self._unpacked: dict[str, int] = {}
        if data.count(_ENTRY) > self._bounds.members:  # before each of them is made an object
            raise LoadError(f"{name} has more than {self._bounds.members:,} parts", hint=_SUSPECT)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _BROKEN as error:
            raise _unopened(data, name) from error
        self._members = {info.filename: info for info in self._zip.infolist() if not info.filename.endswith("/")}
        self._refuse_odd_names()
        if any(info.flag_bits & 1 for info in self._members.values()):
            raise LoadError(f"{name} is locked with a password", hint="save it without a password and read that")

    def names(self) -> list[str]:
        """The names of all members, in the order of the archive; folders are none."""
        return list(self._members)

    def __contains__(self, member: object) -> bool:
        return member in self._members

    def read(self, member: str) -> bytes:
        """The bytes of one member, unpacked; a LoadError where it is missing, damaged or too much."""
        info = self._members.get(member)
        if info is None:
            raise LoadError(f"{self.name} is incomplete: it has no part {_shown(member)}", hint=_AGAIN)
        if info.compress_type not in _PACKINGS:
            raise LoadError(f"{self.name} is packed in a way that is not read here", hint=_AGAIN)
        try:
            return self._stream(info)
        except _BROKEN as error:
            reason = f"{self.name} is damaged: its part {_shown(member)} cannot be unpacked"
            raise LoadError(reason, hint=_AGAIN) from error

    def _stream(self, info: zipfile.ZipInfo) -> bytes:
        bounds = self._bounds
        others = sum(self._unpacked.values()) - self._unpacked.get(info.filename, 0)
        packed = max(1, min(info.compress_size, self._packed_bytes))
        chunks: list[bytes] = []
        size = 0
        with self._zip.open(info) as stream:
            while chunk := stream.read(_CHUNK):
                size += len(chunk)
                if size > bounds.member_bytes or others + size > bounds.total_bytes:
                    raise LoadError(f"{self.name} unpacks to more than {_megabytes(bounds, size)} MB", hint=_SUSPECT)
                if size > _SMALL and size > bounds.ratio * packed:
                    reason = f"{self.name} is packed more than {bounds.ratio} times smaller than it unpacks"
                    raise LoadError(reason, hint=_SUSPECT)
                chunks.append(chunk)
        self._unpacked[info.filename] = size
        return b"".join(chunks)

    def _refuse_odd_names(self) -> None:
        twice = [name for name, times in Counter(self._zip.namelist()).items() if times > 1]
        if twice:
            raise LoadError(f"{self.name} is damaged: it has two parts named {_shown(twice[0])}", hint=_AGAIN)
        for name in self._members:
            parts = name.replace("\\", "/").split("/")
            if ".." in parts or name.startswith(("/", "\\")):
                raise LoadError(f"{self.name} has a part that points outside it: {_shown(name)}", hint=_SUSPECT)


def _unopened(data: bytes, name: str) -> LoadError:
    if not data.startswith(b"PK"):
        return LoadError(f"{name} is no zip archive, which it should be", hint=_AGAIN)
    return LoadError(f"{name} is damaged or was cut off: the list of its parts cannot be read", hint=_AGAIN)


def _megabytes(bounds: Bounds, size: int) -> str:
    most = bounds.member_bytes if size > bounds.member_bytes else bounds.total_bytes
    return f"{most / 1_000_000:,.10g}"


def _shown(member: str) -> str:
    return repr(member if len(member) <= 80 else f"{member[:77]}...")
