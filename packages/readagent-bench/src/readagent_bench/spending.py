"""What a benchmark has cost, kept in its folders, so that a limit holds for all of its runs and reruns together."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from readagent.errors import BadReplyError, UsageError
from readagent.models.ledger import Budget, Ledger, Spent
from readagent.models.wire import decode_as, encode
from readagent_bench.folder import RunFolder

_FILE = "spending.json"


def ledger_for(budget: Budget, *folders: Path) -> Ledger:
    """Return a ledger that has spent what is recorded for some folders."""
    return Ledger(budget, sum(map(_recorded, {_file(folder) for folder in folders}), Spent()))


@contextmanager
def paying(budget: Budget, *folders: Path) -> Iterator[Ledger]:
    """Yield the ledger of some folders, which are locked: no other process spends from their budgets meanwhile."""
    with ExitStack() as locks:
        places = {folder.resolve(): folder for folder in (*(_file(one).parent for one in folders), *folders)}
        for folder in places.values():  # each once, the outer ones first, as the user named them
            locks.enter_context(RunFolder(folder).lock())
        yield ledger_for(budget, *folders)


def share_budget(folder: Path) -> None:
    """Let the runs in a folder share one budget from now on."""
    if not (folder / _FILE).exists():
        (folder / _FILE).write_bytes(encode(Spent()))


def _file(folder: Path) -> Path:
    """Return the record that a folder shares with those around it: that of a recipe, or of a run; or else its own."""
    here = folder.resolve()
    while (here.parent / _FILE).is_file():
        here = here.parent
    return here / _FILE


@contextmanager
def recording(folder: Path, ledger: Ledger) -> Iterator[None]:
    """Add to the record of a folder what is spent from a ledger, and what calls in flight are expected to cost.

    A call is recorded before it is sent, so that a kill does not make it free.
    """
    file = _file(folder)
    before = _recorded(file) - ledger.spent

    def record() -> None:
        new = file.with_suffix(".new")
        new.write_bytes(encode(before + ledger.charged))
        new.replace(file)

    ledger.on_change = record
    try:
        yield
    finally:
        ledger.on_change = None


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
