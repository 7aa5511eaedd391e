"""Choose the window of a GGUF model by the memory that is available."""

from __future__ import annotations

import os
from pathlib import Path

from readagent.embedded.gguf import Header
from readagent.errors import UsageError

DEFAULT_WINDOW = 8192
MIN_WINDOW = 2048
_UNKNOWN_WINDOW = 4096  # for a file that does not name its window
_OVERHEAD = 256 << 20  # bytes of working memory besides weights and windows


def available_memory() -> int | None:
    """Return the bytes that can be allocated without swapping; None if the system does not report it."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        free = next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, StopIteration):
        return _physical_memory()
    return min(free, _container_memory(Path("/sys/fs/cgroup")) or free)


def choose_window(header: Header, requested: int | None, slots: int, memory: int | None, name: str) -> int:
    """Return the window of one request in tokens: as requested, or the largest usual one that fits into memory.

    Raises UsageError if the request exceeds what the model was trained for, or what fits.
    """
    if requested is not None and header.window is not None and requested > header.window:
        raise UsageError(
            f"{name} supports a window of {header.window} tokens, not {requested}",
            hint=f"set `window` to {header.window} or less, or omit it",
        )
    window = requested or min(header.window or _UNKNOWN_WINDOW, DEFAULT_WINDOW)
    least = window if requested else min(window, MIN_WINDOW)
    while not fits(header, window, slots, memory):
        if window <= least:
            raise _too_little_memory(header, window, slots, memory or 0, name)
        window = max(least, window // 2)
    return window


def fits(header: Header, window: int, slots: int, memory: int | None) -> bool:
    """Whether the model fits into this many bytes. True if ``memory`` is None, that is unknown."""
    return memory is None or _needed(header, window, slots) <= memory


def _needed(header: Header, window: int, slots: int) -> int:
    return header.size + header.token_bytes * window * slots + _OVERHEAD


def _too_little_memory(header: Header, window: int, slots: int, memory: int, name: str) -> UsageError:
    needed = _needed(header, window, slots)
    smallest = _needed(header, min(window, MIN_WINDOW), 1)
    return UsageError(
        f"{name} needs {_gigabytes(needed)} of memory, but only {_gigabytes(memory)} are free",
        hint="set a smaller `window`" + (", or `parallel=1`" if slots > 1 else "")
        if smallest <= memory
        else "use a smaller model, one with fewer bits per weight, or a server with `base_url`",
    )


def _container_memory(group: Path) -> int | None:
    """Return the bytes that a container may still allocate; None if it has no limit."""
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
