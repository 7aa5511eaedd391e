"""How much memory there is room for, and how large a window of a model fits in it."""

from __future__ import annotations

import os
from pathlib import Path

from readagent.embedded.gguf import Header
from readagent.errors import UsageError

USUAL_WINDOW = 8192
LEAST_WINDOW = 2048
_UNTOLD = 4096
_AROUND = 256 << 20  # working memory beside the weights and the windows


def available_memory() -> int | None:
    """Bytes that can be had without swapping; None where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        free = next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, StopIteration):
        return _physical_memory()
    return min(free, _allowance(Path("/sys/fs/cgroup")) or free)


def window_for(header: Header, asked: int | None, slots: int, room: int | None, name: str) -> int:
    """The window of one request: as asked, or the usual one as far as it was trained and there is room for it."""
    if asked is not None and header.window is not None and asked > header.window:
        raise UsageError(
            f"{name} was made for a window of {header.window} tokens, not {asked}",
            hint=f"give --window {header.window} or less, or leave it out",
        )
    window = asked or min(header.window or _UNTOLD, USUAL_WINDOW)
    least = window if asked else min(window, LEAST_WINDOW)
    while not fits(header, window, slots, room):
        if window <= least:
            raise _no_room(header, window, slots, room or 0, name)
        window = max(least, window // 2)
    return window


def fits(header: Header, window: int, slots: int, room: int | None) -> bool:
    """Whether so much memory is enough; it is where nobody knows how much there is."""
    return room is None or _needed(header, window, slots) <= room


def _needed(header: Header, window: int, slots: int) -> int:
    return header.size + header.token_bytes * window * slots + _AROUND


def _no_room(header: Header, window: int, slots: int, room: int, name: str) -> UsageError:
    needed = _needed(header, window, slots)
    smaller = _needed(header, min(window, LEAST_WINDOW), 1)
    return UsageError(
        f"{name} needs {_gigabytes(needed)} of memory, and {_gigabytes(room)} are free",
        hint="give a smaller --window" + (", or --parallel 1" if slots > 1 else "")
        if smaller <= room
        else "take a smaller model, or one with fewer bits a weight, or a server elsewhere with --base-url",
    )


def _allowance(group: Path) -> int | None:
    """What a container may still take; None where there is no limit."""
    try:
        limit = (group / "memory.max").read_text("ascii").strip()
        used = int((group / "memory.current").read_text("ascii"))
    except (OSError, ValueError):
        return None
    return max(1, int(limit) - used) if limit.isdigit() else None


def _physical_memory() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"
