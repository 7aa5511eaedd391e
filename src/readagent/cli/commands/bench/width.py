"""How wide a table may be: as wide as the terminal it is printed on; as wide as it likes where it goes elsewhere."""

from __future__ import annotations

import shutil
import sys


def terminal_width() -> int | None:
    """The terminal's columns; None where standard output is none."""
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size().columns
