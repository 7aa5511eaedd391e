"""The width of tables and texts: that of the terminal, or unlimited if standard output is not one."""

from __future__ import annotations

import os
import shutil
import sys


def terminal_width() -> int | None:
    """Return the columns of the terminal; None if standard output is not a terminal.

    A narrow table leaves columns out, which a file or a program should get, whatever the variable COLUMNS says.
    """
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size().columns


def text_width() -> int | None:
    """Return the width for text that may be wrapped: that of the terminal, or else of COLUMNS; None without either."""
    given = os.environ.get("COLUMNS", "")
    return terminal_width() or (int(given) if given.isdecimal() and int(given) else None)
