"""Files that grow by whole lines, plain (``.jsonl``) or compressed (``.jsonl.gz``), and lose at most a line to a kill.

A compressed file has each line as a member of its own, which gzip reads as one file.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

_GZIP = 31  # window bits that tell zlib to expect one gzip member
_PIECE = 1 << 16


def append(file: Path, line: bytes) -> None:
    """Add a line."""
    data = line + b"\n"
    with file.open("ab") as end:
        end.write(gzip.compress(data, mtime=0) if file.suffix == ".gz" else data)


def complete_lines(file: Path) -> Iterator[bytes]:
    """The lines that were written whole; none where there is no file."""
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return
    if file.suffix == ".gz":
        yield from (line for line, _ in _members(data))
    else:
        yield from data[: data.rfind(b"\n") + 1].splitlines()


def mend(file: Path) -> None:
    """Cut off a last line that was not written whole, so that the next one does not stick to it."""
    if not file.exists():
        return
    data = file.read_bytes()
    end = max((end for _, end in _members(data)), default=0) if file.suffix == ".gz" else data.rfind(b"\n") + 1
    if end < len(data):
        with file.open("r+b") as whole:
            whole.truncate(end)


def _members(data: bytes) -> Iterator[tuple[bytes, int]]:
    """The lines of a compressed file, and where each one's member ends."""
    at = 0
    while at < len(data):
        member, line = zlib.decompressobj(_GZIP), b""
        try:
            while not member.eof and at < len(data):
                line += member.decompress(data[at : at + _PIECE])
                at = min(len(data), at + _PIECE) - len(member.unused_data)
        except zlib.error:
            return
        if not member.eof:
            return
        yield line.rstrip(b"\n"), at
