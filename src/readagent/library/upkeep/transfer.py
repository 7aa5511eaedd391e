"""Copy a library to another place, on SQLite or PostgreSQL, whichever way.

Rows are copied in batches, those that others refer to first. A copy that was interrupted is continued: rows that are
already there are left alone. The search index is built anew. Leases belong to running processes and stay behind.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from readagent.core.trace import Listener, Working
from readagent.errors import LibraryError, UsageError
from readagent.library import search
from readagent.library.database import Database, Row
from readagent.library.pack import to_json
from readagent.library.shelves import Shelves


@dataclass(frozen=True, slots=True)
class Copy:
    """How many rows each table of both libraries has, how many this run copied, and a hash of all of them."""

    rows: Mapping[str, int]
    copied: int
    digest: str


@dataclass(frozen=True, slots=True)
class _Table:
    """A table: the columns that identify a row, the others, and how many rows are moved at once."""

    name: str
    key: str
    others: str
    batch: int = 1000

    @property
    def columns(self) -> str:
        return ", ".join(filter(None, (self.key, self.others)))

    @property
    def width(self) -> int:
        """Return how many columns the key has."""
        return len(self.key.split(", "))


_TABLES = (
    _Table("documents", "id", "title, source, words, added, metadata, paragraphs, text", 10),
    _Table("sources", "source, version", "document, seen"),
    _Table("readings", "id", "document, key, model, prompts, plan, window_tokens, state, words_read, calls,"
           " prompt_tokens, reply_tokens, cached_tokens, cost, started, finished, fallbacks, task, page_count,"
           " gist_words, lead_gists"),
    _Table("pages", "id", "reading, number, start_offset, end_offset, words, gist_words, gist_origin, gist"),
    _Table("levels", "reading, number, words", "gist_words, gist_origin, gist"),
    _Table("pinned", "document, task, start_offset, end_offset", "gist_words, gist_origin, pinned, gist, made"),
    _Table("calls", "key", "step, model, finish, prompt_tokens, reply_tokens, cached_tokens, cost, made, reply,"
           " prompt", 200),
    _Table("questions", "id", "document, reading, thread, kind, asked, text, options"),
    _Table("answers", "id", "question, choice, pages, did_not_fit, compression, model, made, text, trace, quotes,"
           " false_quotes, found_in_text, up_to, support", 200),
    _Table("servers", "name", "found, facts"),
    _Table("vectors", "key", "vector"),
    _Table("shelves", "id", "name, made"),
    _Table("shelf_documents", "shelf, document", "added"),
    _Table("cards", "reading", "document, title, kind, words, origin, gists, text"),
    _Table("card_vectors", "reading", "embedder, vector"),
    _Table("shelf_answers", "id", "shelf, model, made, answer, trace", 200),
    _Table("successors", "document", "successor"),
    _Table("files", "path", "digest, document"),
    _Table("forgotten", "document", ""),
    _Table("jobs", "id", "kind, document, shelf, state, created, changed, request, report, result", 200),
    _Table("corpora", "id", "name, shelf, made"),
    _Table("corpus_sources", "id", "corpus, key, state, tries, owner, document, stamp, changed, pages, calls, tokens,"
           " cost, kind, reason, source, metadata, unpriced"),
    _Table("corpus_spending", "corpus, worker", "calls, tokens, cost, unpriced"),
    _Table("corpus_manifests", "corpus, path", ""),
)  # fmt: skip
TABLES = tuple(table.name for table in _TABLES)


def transfer(source: Database, target: Database, report: Listener) -> Copy:
    """Copy everything as it is at this moment, and compare both sides at the end.

    Raise UsageError, before anything is written, if the target holds something that the source does not.
    """
    with suppress(LibraryError), source.transaction():  # a file gets a log, so that others can write meanwhile
        pass
    with source.transaction(write=False):
        for table in _TABLES:
            _refuse_others(source, target, table, report)
        copied = sum(_copy(source, target, table, report) for table in _TABLES)
        target.insist(target.renumber)
        _index(target, report)
        return _compared(source, target, copied, report)


def _refuse_others(source: Database, target: Database, table: _Table, report: Listener) -> None:
    """Raise an error if a table of the target has a row that the source has not, or has with other values."""
    done, total = 0, _count(target, table)
    for batch in _batches(target, table):
        known = set(_with_keys(source, table, table.columns, batch))
        if any(row not in known for row in batch):
            raise UsageError(
                f"{target.name} holds {table.name} that {source.name} does not have, or has otherwise",
                hint="copy to an empty library; also if the one that is copied has changed since an interrupted copy",
            )
        done += len(batch)
        report(Working(f"checking {_shown(table)}", done, total))


def _copy(source: Database, target: Database, table: _Table, report: Listener) -> int:
    """Copy the rows of a table that the target lacks, and return how many they are."""
    marks = ", ".join("?" * len(table.columns.split(", ")))
    insert = f"INSERT INTO {table.name} ({table.columns}) VALUES ({marks})"
    done, copied, total = 0, 0, _count(source, table)

    def add(batch: Sequence[Row]) -> int:
        with target.transaction():
            there = set(_with_keys(target, table, table.key, batch))
            missing = [row for row in batch if row[: table.width] not in there]
            target.many(insert, missing)
        return len(missing)

    for batch in _batches(source, table):
        copied += target.insist(partial(add, batch))
        done += len(batch)
        report(Working(f"copying {_shown(table)}", done, total))
    return copied


def _index(target: Database, report: Listener) -> None:
    """Index the documents and cards that are not in the search index yet."""
    names = [name for (name,) in _rows(target, "SELECT id FROM documents ORDER BY id")]
    for done, name in enumerate(names, 1):
        target.insist(partial(_index_document, target, name))
        report(Working("indexing documents", done, len(names)))
    target.insist(lambda: _index_cards(target))


def _index_document(target: Database, name: str) -> None:
    if not search.is_indexed(target, name):
        with target.transaction(name):
            search.reindex(target, name)


def _index_cards(target: Database) -> None:
    with target.transaction():
        if target.row("SELECT (SELECT count(*) FROM cards) = (SELECT count(*) FROM card_words)") not in ((1,), (True,)):
            Shelves(target, str).reindex_cards()


def _compared(source: Database, target: Database, copied: int, report: Listener) -> Copy:
    """Compare the number and the hash of the rows of every table."""
    counts, digests = {}, []
    for table in _TABLES:
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


def _summed(db: Database, table: _Table, report: Listener) -> tuple[int, str]:
    """Return how many rows a table has, and a hash of them in which their order does not matter."""
    number, total, expected = 0, 0, _count(db, table)
    for batch in _batches(db, table):
        total += sum(int.from_bytes(_hash(row), "big") for row in batch)
        number += len(batch)
        report(Working(f"verifying {_shown(table)}", number, expected))
    return number, f"{total % (1 << 128):032x}"


def _hash(row: Row) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for value in row:
        data = value if isinstance(value, bytes) else repr(value).encode("utf-8", "surrogatepass")
        digest.update(f"{type(value).__name__} {len(data)} ".encode())
        digest.update(data)
    return digest.digest()


def _batches(db: Database, table: _Table) -> Iterator[list[Row]]:
    """Yield the rows of a table in the order of their keys, some at a time."""
    every = f"SELECT {table.columns} FROM {table.name}"
    order = f"ORDER BY {table.key} LIMIT {table.batch}"
    marks = ", ".join("?" * table.width)
    batch = _rows(db, f"{every} {order}")
    while batch:
        yield batch
        if len(batch) < table.batch:
            return
        batch = _rows(db, f"{every} WHERE ({table.key}) > ({marks}) {order}", *batch[-1][: table.width])


def _with_keys(db: Database, table: _Table, columns: str, batch: Sequence[Row]) -> list[Row]:
    """Return these columns of the rows that have the keys of a batch."""
    one = ", ".join("?" * table.width)
    marks = ", ".join(["?"] * len(batch)) if table.width == 1 else f"VALUES {', '.join([f'({one})'] * len(batch))}"
    values = [value for row in batch for value in row[: table.width]]
    return _rows(db, f"SELECT {columns} FROM {table.name} WHERE ({table.key}) IN ({marks})", *values)


def _count(db: Database, table: _Table) -> int:
    return int(_rows(db, f"SELECT count(*) FROM {table.name}")[0][0])


def _rows(db: Database, sql: str, *values: object) -> list[Row]:
    return db.insist(lambda: db.rows(sql, *values))


def _shown(table: _Table) -> str:
    return table.name.replace("_", " ")
