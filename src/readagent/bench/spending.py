"""What a benchmark has cost, kept in its folders, so that a limit holds for all of its runs and reruns together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from readagent.errors import BadReplyError
from readagent.models.purse import Budget, Purse, Spent
from readagent.models.wire import decode_as, encode

_FILE = "spending.json"


def purse_for(folder: Path, budget: Budget) -> Purse:
    """Return a purse of which the runs in a folder, and in the folders in it, have spent what they recorded."""
    spent = Spent()
    for file in (folder / _FILE, *sorted(folder.glob(f"*/{_FILE}"))):
        spent += _recorded(file)
    return Purse(budget, spent)


@contextmanager
def recording(folder: Path, purse: Purse) -> Iterator[None]:
    """Add to the record of a folder what is spent from a purse, as soon as it is."""
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
    try:
        return decode_as(file.read_bytes(), Spent)
    except (OSError, BadReplyError):
        return Spent()
