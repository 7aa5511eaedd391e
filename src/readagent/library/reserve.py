"""Some space next to the library that is given up on a full disk, so that documents can still be removed."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

_SIZE = 4 << 20  # bytes: enough for the log of removing a long novel
_SHARE = 8  # it takes at most one part in so many of the free space


def reserve_of(path: Path) -> Path:
    """Return the path of the reserve of a library."""
    return Path(f"{path}-reserve")


def make(path: Path, *, share: int = _SHARE) -> None:
    """Make the reserve, if there is none, of at most this share of the free space; without it nothing else fails."""
    reserve = reserve_of(path)
    with suppress(OSError):
        size = min(_SIZE, shutil.disk_usage(path.parent).free // share)
        if reserve.exists() or not size:
            return
        descriptor = os.open(reserve, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(descriptor, 0, size)
            else:
                os.write(descriptor, bytes(size))
        except OSError:
            reserve.unlink()
        finally:
            os.close(descriptor)


def give_up(path: Path) -> bool:
    """Remove the reserve; return whether there was one."""
    try:
        reserve_of(path).unlink()
    except OSError:
        return False
    return True
