"""Files that grow line by line, plain (``.jsonl``) or compressed (``.jsonl.gz``). A kill loses at most the last line.

In a compressed file each line is a gzip member of its own; gzip reads the members as one file.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

_GZIP = 31  # window bits that make zlib expect a gzip member
_PIECE = 1 << 16


def append(file: Path, line: bytes) -> None:
    """Append a line."""
    data = line + b"\n"
    with file.open("ab") as end:
        end.write(gzip.compress(data, mtime=0) if file.suffix == ".gz" else data)


def complete_lines(file: Path) -> Iterator[bytes]:
    """Yield the complete lines of a file; none if it does not exist."""
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return
    if file.suffix == ".gz":
        yield from (line for line, _ in _members(data))
    else:
        yield from data[: data.rfind(b"\n") + 1].splitlines()


def mend(file: Path) -> None:
    """Cut off an incomplete last line, so that the next one starts on a line of its own."""
    if not file.exists():
        return
    data = file.read_bytes()
    end = max((end for _, end in _members(data)), default=0) if file.suffix == ".gz" else data.rfind(b"\n") + 1
    if end < len(data):
        with file.open("r+b") as whole:
            whole.truncate(end)


def _members(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield the lines of a compressed file with the offset at which the member of each ends."""
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
