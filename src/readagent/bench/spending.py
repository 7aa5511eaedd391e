"""What a benchmark has cost, kept in its folders, so that a limit holds for all of its runs and reruns together."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from readagent.errors import BadReplyError, UsageError
from readagent.models.purse import Budget, Purse, Spent
from readagent.models.wire import decode_as, encode

_FILE = "spending.json"


def purse_for(budget: Budget, *folders: Path) -> Purse:
    """Return a purse of which the runs in some folders, and in the folders in them, have spent what they recorded."""
    files = {file for folder in folders for file in (folder / _FILE, *folder.glob(f"*/{_FILE}"))}
    return Purse(budget, sum((_recorded(file) for file in sorted(files)), Spent()))


@contextmanager
def recording(folder: Path, purse: Purse) -> Iterator[None]:
    """Add to the record of a folder what is spent from a purse, and what calls in flight are expected to cost.

    A call is recorded before it is sent, so that a kill does not make it free.
    """
    file = folder / _FILE
    before = _recorded(file) - purse.spent

    def record() -> None:
        new = file.with_suffix(".new")
        new.write_bytes(encode(before + purse.charged))
        new.replace(file)

    purse.on_change = record
    try:
        yield
    finally:
        purse.on_change = None


def _recorded(file: Path) -> Spent:
    """Return what a file records; nothing if there is none. Raises UsageError where that cannot be known."""
    try:
        spent = decode_as(file.read_bytes(), Spent)
    except FileNotFoundError:
        return Spent()
    except (OSError, BadReplyError):
        spent = Spent(-1)
    if spent.tokens < 0 or not 0 <= spent.cost < math.inf:
        raise UsageError(
            f"{file} is damaged, so what was spent is unknown",
            hint='delete it to count from 0 again, or correct it: {"tokens": 12000, "cost": 0.05}',
        )
    return spent
