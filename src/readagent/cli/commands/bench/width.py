"""The width of tables: that of the terminal, or unlimited if standard output is not one."""

from __future__ import annotations

import shutil
import sys


def terminal_width() -> int | None:
    """Return the columns of the terminal; None if standard output is not a terminal."""
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size().columns
