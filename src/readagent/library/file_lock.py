"""A lock on a file, which ends with the process that holds it."""

from __future__ import annotations

import sys


def lock_file(descriptor: int) -> None:
    """Lock a file until it is closed, or this process ends; raise OSError if another process has locked it."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
