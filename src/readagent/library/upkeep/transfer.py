"""Copy a library to another place, on SQLite or PostgreSQL, whichever way.

Rows are copied in batches, those that others refer to first. A copy that was interrupted is continued: rows that are
already there are left alone. The search index is built anew. Leases belong to running processes and stay behind.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

from readagent.core.trace import Listener, Working
from readagent.errors import LibraryError, UsageError
from readagent.library import search
from readagent.library.database import Database, Row
from readagent.library.pack import to_json
from readagent.library.shelves import Shelves
from readagent.library.upkeep.tables import TABLES, Table, batches, count, with_keys

_READINGS, _PAGES = 200, 2000  # that are indexed at once, at most


@dataclass(frozen=True, slots=True)
class Copy:
    """How many rows each table of both libraries has, how many this run copied, and a hash of all of them."""

    rows: Mapping[str, int]
    copied: int
    digest: str


def transfer(source: Database, target: Database, report: Listener) -> Copy:
    """Copy everything as it is at this moment, and compare both sides at the end.

    Raise UsageError, before anything is written, if the target holds something that the source does not.
    """
    with suppress(LibraryError), source.transaction():  # a file gets a log, so that others can write meanwhile
        pass
    with source.transaction(write=False):
        for table in TABLES:
            _refuse_others(source, target, table, report)
        copied = sum(_copy(source, target, table, report) for table in TABLES)
        target.insist(target.renumber)
        _index(target, report)
        return _compared(source, target, copied, report)


def _refuse_others(source: Database, target: Database, table: Table, report: Listener) -> None:
    """Raise an error if a table of the target has a row that the source has not, or has with other values."""
    done, total = 0, count(target, table)
    for batch in batches(target, table):
        known = set(with_keys(source, table, table.columns, batch))
        if any(row not in known for row in batch):
            raise UsageError(
                f"{target.name} holds {table.name} that {source.name} does not have, or has otherwise",
                hint="copy to an empty library; also if the one that is copied has changed since an interrupted copy",
            )
        done += len(batch)
        report(Working(f"checking {table.shown}", done, total))


def _copy(source: Database, target: Database, table: Table, report: Listener) -> int:
    """Copy the rows of a table that the target lacks, and return how many they are."""
    marks = ", ".join("?" * len(table.columns.split(", ")))
    insert = f"INSERT INTO {table.name} ({table.columns}) VALUES ({marks})"
    done, copied, total = 0, 0, count(source, table)

    def add(batch: Sequence[Row]) -> int:
        with target.transaction():
            there = set(with_keys(target, table, table.key, batch))
            missing = [row for row in batch if row[: table.width] not in there]
            target.many(insert, missing)
        return len(missing)

    for batch in batches(source, table):
        copied += target.insist(partial(add, batch))
        done += len(batch)
        report(Working(f"copying {table.shown}", done, total))
    return copied


def _index(target: Database, report: Listener) -> None:
    """Index the documents and cards that are not in the search index yet."""
    left = target.insist(partial(search.unindexed, target))
    done = 0
    while some := left[done : done + _together(left[done : done + _READINGS])]:
        target.insist(partial(_index_readings, target, [reading for reading, _ in some]))
        done += len(some)
        report(Working("indexing documents", done, len(left)))
    target.insist(lambda: _index_cards(target))


def _together(readings: Sequence[tuple[int, int]]) -> int:
    """Return how many of these readings, each with its number of pages, are indexed at once."""
    pages = accumulate(number for _, number in readings)
    return max(1, sum(total <= _PAGES for total in pages)) if readings else 0


def _index_readings(target: Database, readings: Sequence[int]) -> None:
    with target.transaction():
        search.index_new(target, readings)


def _index_cards(target: Database) -> None:
    with target.transaction():
        if target.row("SELECT (SELECT count(*) FROM cards) = (SELECT count(*) FROM card_words)") not in ((1,), (True,)):
            Shelves(target).reindex_cards()


def _compared(source: Database, target: Database, copied: int, report: Listener) -> Copy:
    """Compare the number and the hash of the rows of every table."""
    counts, digests = {}, []
    for table in TABLES:
        here, there = (_summed(db, table, report) for db in (source, target))
        if here != there:
            raise LibraryError(
                f"the copy {target.name} differs from {source.name} in its {table.name}:"
                f" {there[0]:,} rows, where {here[0]:,} were expected{'' if here[0] != there[0] else ', others'}",
                hint="did something else write to it meanwhile? delete it and copy again",
            )
        counts[table.name] = here[0]
        digests.append((table.name, *here))
    return Copy(counts, copied, hashlib.sha256(to_json(digests)).hexdigest())


def _summed(db: Database, table: Table, report: Listener) -> tuple[int, str]:
    """Return how many rows a table has, and a hash of them in which their order does not matter."""
    number, total, expected = 0, 0, count(db, table)
    for batch in batches(db, table):
        total += sum(int.from_bytes(_hash(row), "big") for row in batch)
        number += len(batch)
        report(Working(f"verifying {table.shown}", number, expected))
    return number, f"{total % (1 << 128):032x}"


def _hash(row: Row) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for value in row:
        data = value if isinstance(value, bytes) else repr(value).encode("utf-8", "surrogatepass")
        digest.update(f"{type(value).__name__} {len(data)} ".encode())
        digest.update(data)
    return digest.digest()
