"""Is the write-ahead log of a library that nobody has open complete?

SQLite reads a log up to the first frame with a wrong checksum and ignores the rest without a word, because that is what
a crash in the middle of a write looks like. Here a log is damaged if committed frames follow a wrong one, or if there
are fewer frames than the index next to it counted. After a restart of the machine neither means much, and is ignored.
"""

from __future__ import annotations

import os
import struct
import sys
import time
from array import array
from contextlib import suppress
from pathlib import Path

_HEADER, _FRAME = 32, 24  # bytes
_IN_USE = 128  # the byte of the index that every process locks which has the library open
_MASK = 0xFFFFFFFF


def is_damaged(path: Path) -> bool:
    """Return whether the log of a library is damaged. Call it only if this process does not have the library open."""
    log, index = Path(f"{path}-wal"), Path(f"{path}-shm")
    try:
        if not log.stat().st_size or log.stat().st_mtime < _started() or in_use(index):
            return False
        data = log.read_bytes()
        counted = _frames_counted(index, data[16:24])
    except OSError:
        return False
    valid, committed = _frames(data)
    return max(committed, counted) > valid and not in_use(index)


def _started() -> float:
    """Return when the machine was started, in seconds since 1970; 0 where that is unknown."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return 0.0 if clock is None else time.time() - time.clock_gettime(clock)


def in_use(index: Path) -> bool:
    """Return whether another process has the library with this index open for writing.

    Call it only if this process does not have it open: closing the index here would release the locks it has.
    """
    if sys.platform == "win32":
        return True  # locks work differently there: better no answer than a wrong one
    import fcntl

    try:
        descriptor = os.open(index, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _IN_USE)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _frames_counted(index: Path, salt: bytes) -> int:
    """Return how many frames the index counted in a log with this salt; 0 if it belongs to another one."""
    with suppress(FileNotFoundError):
        head = index.read_bytes()[:96]
        if len(head) == 96 and head[:48] == head[48:] and head[12] and head[32:40].startswith(salt):
            return int(struct.unpack("=I", head[16:20])[0])
    return 0


def _frames(data: bytes) -> tuple[int, int]:
    """Return the number of frames up to the last commit that SQLite reads, and up to the last commit that is there."""
    if len(data) <= _HEADER:
        return 0, 0
    magic, _, page = struct.unpack(">III", data[:12])
    size = _FRAME + page
    if not 512 <= page <= 65536:
        return 0, 1
    foreign = bool(magic & 1) != (sys.byteorder == "big")
    sums = _checksum(data[:24], (0, 0), foreign)
    intact = sums == struct.unpack(">II", data[24:32])
    valid = committed = 0
    for number in range((len(data) - _HEADER) // size):
        at = _HEADER + number * size
        if data[at + 8 : at + 16] != data[16:24]:
            intact = False  # left from an earlier log, or damaged
            continue
        if intact:
            sums = _checksum(data[at : at + 8], sums, foreign)
            sums = _checksum(data[at + _FRAME : at + size], sums, foreign)
            intact = sums == struct.unpack(">II", data[at + 16 : at + 24])
        if data[at + 4 : at + 8] != bytes(4):
            committed = number + 1
            valid = committed if intact else valid
    return valid, committed


def _checksum(data: bytes, start: tuple[int, int], foreign: bool) -> tuple[int, int]:
    """Return SQLite's checksum of some data, continued from another one."""
    words = array("I", data)
    if foreign:
        words.byteswap()
    first, second = start
    pairs = iter(words)
    for one, two in zip(pairs, pairs, strict=True):
        first = (first + one + second) & _MASK
        second = (second + two + first) & _MASK
    return first, second
