"""Corpora: the sources that fill a shelf, which many workers read, and the state of each.

A worker takes a lease, claims sources, and finishes them or notes why it could not. When its lease ends, because it was
given up or because the process is gone, the next claim of anyone takes what it was reading. A source that fails too
often is set aside.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from itertools import groupby, islice
from shlex import quote

from readagent.errors import NotInLibraryError, UsageError
from readagent.library.corpus_rows import CorpusRow, Entry, FailedKind, Progress, SourceRow, Spending, WorkerRow
from readagent.library.database import Database, Row, insisting
from readagent.library.leases import LIFETIME, Leases
from readagent.library.pack import from_json, seal, to_bytes, to_json, to_text, to_time, unseal
from readagent.library.resolve import check_shelf_name
from readagent.library.shelves import Shelves

BATCH = 200  # sources that are added in one statement
TRIES = 3  # after which a source is set aside
_COLUMNS = "id, state, tries, document, changed, pages, calls, tokens, cost, unpriced, kind, reason, source, metadata"
_ADD = """
INSERT INTO corpus_sources (corpus, key, state, stamp, changed, source, metadata) VALUES {rows}
ON CONFLICT (corpus, key) DO UPDATE SET state = 'waiting', tries = 0, kind = '', reason = x'', stamp = excluded.stamp,
    changed = CASE WHEN corpus_sources.state = 'waiting' AND corpus_sources.changed >= ? THEN corpus_sources.changed
        ELSE excluded.changed END, metadata = {metadata}
WHERE corpus_sources.state <> 'reading' AND (corpus_sources.stamp <> excluded.stamp
    OR corpus_sources.metadata <> {metadata} OR corpus_sources.state = 'done' AND corpus_sources.document IS NULL)
RETURNING changed
"""
_SUSPECT = "WorkerEnded"  # the kind of failure of sources whose worker ended: one of them may have ended it
_KEEP = """
UPDATE corpus_sources SET metadata = {metadata}
WHERE corpus = ? AND key = ? AND state = 'done' AND document IS NOT NULL RETURNING document
"""
_ON_SHELF = "SELECT 1 FROM shelf_documents WHERE shelf = ? AND document = ?"
_CLAIM = f"""
WITH free AS MATERIALIZED (
    SELECT id FROM corpus_sources
    WHERE corpus = ? AND state = ? AND {{negated}} (kind = '{_SUSPECT}' AND tries >= ?)
    ORDER BY id LIMIT ? {{lock}}
)
UPDATE corpus_sources SET state = 'reading', owner = ?, tries = tries + 1, changed = ?
WHERE id IN (SELECT id FROM free) RETURNING {_COLUMNS}
"""
_FINISH = """
UPDATE corpus_sources SET state = ?, owner = NULL, document = coalesce(?, document), kind = ?, reason = ?, pages = ?,
    calls = calls + ?, tokens = tokens + ?, cost = cost + ?, unpriced = unpriced + ?, changed = ?
WHERE id = ? AND owner = ? RETURNING id
"""
_GONE = f"""
UPDATE corpus_sources SET owner = NULL, changed = ?, kind = '{_SUSPECT}', reason = ?,
    state = CASE WHEN ? = 1 AND tries >= ? THEN 'set aside' ELSE 'failed' END
WHERE id IN (SELECT id FROM corpus_sources WHERE corpus = ? AND state = 'reading' AND owner = ? {{lock}})
"""
_PROGRESS = """
SELECT state, kind, count(*), CAST(coalesce(sum(pages), 0) AS BIGINT), min(id) FROM corpus_sources WHERE corpus = ?
GROUP BY state, kind
"""
_ENDED = """
SELECT count(*), min(changed) FROM corpus_sources WHERE corpus = ? AND state IN ('done', 'set aside') AND changed > ?
"""
_FAILED = f"""
SELECT {_COLUMNS} FROM corpus_sources WHERE corpus = ? AND id > ? AND state IN ('failed', 'set aside')
"""
_READING = """
SELECT one.owner, count(*), min(process), min(machine), min(expires) - {now}
FROM corpus_sources AS one LEFT JOIN leases ON leases.key = one.owner
WHERE corpus = ? AND state = 'reading' GROUP BY one.owner ORDER BY min(changed), one.owner
"""
_CORPORA = """
SELECT corpora.id, shelves.name, corpora.shelf, corpora.made FROM corpora JOIN shelves ON shelves.id = corpora.shelf
"""
_SPENT = """
SELECT CAST(coalesce(sum(calls), 0) AS BIGINT), CAST(coalesce(sum(tokens), 0) AS BIGINT), coalesce(sum(cost), 0),
    CAST(coalesce(sum(unpriced), 0) AS BIGINT)
FROM corpus_spending WHERE corpus = ?
"""
_SPEND = """
INSERT INTO corpus_spending (corpus, worker, calls, tokens, cost, unpriced)
SELECT CAST(? AS BIGINT), ?, CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS DOUBLE PRECISION), CAST(? AS BIGINT)
WHERE {unsynced}
ON CONFLICT (corpus, worker) DO UPDATE SET calls = excluded.calls, tokens = excluded.tokens, cost = excluded.cost,
    unpriced = excluded.unpriced
"""


@insisting
class Corpora:
    """The corpora of a library: the lists that fill shelves."""

    def __init__(self, db: Database, leases: Leases | None, shelves: Shelves) -> None:
        self._db, self._leases, self._shelves = db, leases, shelves

    # Lists

    def open(self, name: str) -> CorpusRow:
        """Return the list that fills the shelf of this name; create it, and the shelf, if they do not exist."""
        check_shelf_name(" ".join(name.split()), "for example: readagent shelf add contracts FOLDER")
        shelf = self._shelves.open(" ".join(name.split()))
        if (row := self.of(shelf)) is None:
            self._db.rows(
                "INSERT INTO corpora (name, shelf, made) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING",
                to_bytes(self._shelves.named(shelf)),
                shelf,
                self._db.now(),
            )
        return row or self.find(name)

    def all(self) -> list[CorpusRow]:
        """Return every list, sorted by the names of the shelves."""
        return [_corpus(row) for row in self._db.rows(f"{_CORPORA} ORDER BY shelves.name")]

    def find(self, name: str) -> CorpusRow:
        """Return the list that fills the shelf of this name.

        Raise ``NotInLibraryError`` if there is no such shelf, with the closest names as candidates, or if it has none.
        """
        shelf = self._shelves.find(name)
        if (row := self.of(shelf.id)) is None:
            raise NotInLibraryError(
                f"nothing was added to the shelf {shelf.name!r} from a folder or by several workers",
                hint=f"add documents: readagent shelf add {quote(shelf.name)} FOLDER",
            )
        return row

    def of(self, shelf: int) -> CorpusRow | None:
        """Return the list that fills the shelf with this id."""
        row = self._db.row(f"{_CORPORA} WHERE corpora.shelf = ? ORDER BY corpora.id LIMIT 1", shelf)
        return None if row is None else _corpus(row)

    def check_free(self, shelf: int) -> None:
        """Raise UsageError if workers are filling the shelf with this id now."""
        if (row := self.of(shelf)) is not None and any(one.alive for one in self.workers(row)):
            raise UsageError(f"workers are filling the shelf {row.name!r}", hint="stop them first")

    def remove(self, corpus: CorpusRow) -> None:
        """Forget the list that fills a shelf. The shelf and its documents stay in the library."""
        self._db.rows("DELETE FROM corpora WHERE id = ?", corpus.id)

    def add_manifest(self, corpus: CorpusRow, path: str) -> None:
        """Note that sources of a corpus come from the manifest at this path."""
        self._db.rows(
            "INSERT INTO corpus_manifests (corpus, path) VALUES (?, ?) ON CONFLICT (corpus, path) DO NOTHING",
            corpus.id,
            to_bytes(path),
        )

    def manifests(self, corpus: CorpusRow) -> list[str]:
        """Return the paths of the manifests that sources of a corpus come from."""
        rows = self._db.rows("SELECT path FROM corpus_manifests WHERE corpus = ? ORDER BY path", corpus.id)
        return [to_text(path) for (path,) in rows]

    # Sources

    def add(
        self, corpus: CorpusRow, entries: Iterable[Entry], on_gone: Callable[[str], None] = lambda source: None
    ) -> int:
        """Add sources, and return how many of them are new or have changed since they were added.

        A source that has changed, or has other metadata, waits to be read again; one that is given without metadata
        keeps what it has. What was read of a file that is gone is kept; ``on_gone`` is called with its source if it is
        on the shelf.
        """
        added, given, began = 0, iter(entries), self._db.now()
        while some := list(islice(given, BATCH)):
            each = {entry.source: entry for entry in some}.values()  # each source once
            with self._db.transaction(f"corpus {corpus.id}"):
                kept = {entry.source: self._kept(corpus, entry) for entry in each if entry.missing}
                kept = {source: document for source, document in kept.items() if document}
                rest = (entry for entry in each if entry.source not in kept)
                for described, group in groupby(rest, lambda entry: bool(entry.metadata)):
                    metadata = "excluded.metadata" if described else "corpus_sources.metadata"
                    added += self._insert([self._added(corpus, entry) for entry in group], metadata, began)
            for source, document in kept.items():
                if self._db.row(_ON_SHELF, corpus.shelf, document) is not None:
                    on_gone(source)
        return added

    def _insert(self, rows: list[Row], metadata: str, began: str) -> int:
        """Return how many of these sources are new or have changed, and were not given before since ``began``."""
        now = self._db.now()
        values = ", ".join([f"(?, ?, 'waiting', ?, '{now}', ?, ?)"] * len(rows))
        sql = _ADD.format(rows=values, metadata=metadata)
        changed = self._db.rows(sql, *(one for row in rows for one in row), began)
        return sum(one == now for (one,) in changed)

    def _kept(self, corpus: CorpusRow, entry: Entry) -> str:
        """Return what a source was read as, or ""; its metadata is replaced by that of the entry, if it has any."""
        _, key, *_, metadata = self._added(corpus, entry)
        sql = _KEEP.format(metadata="?" if entry.metadata else "metadata")
        return next((one for (one,) in self._db.rows(sql, *([metadata] if entry.metadata else []), corpus.id, key)), "")

    def _added(self, corpus: CorpusRow, entry: Entry) -> Row:
        source = to_bytes(entry.source)
        key = hashlib.sha256(source).digest()[:16]
        return corpus.id, key, entry.stamp, source, seal(to_json(entry.metadata), source)

    def given(self, document_id: str) -> list[Mapping[str, str]]:
        """Return the metadata that each source with this document was given, in all corpora."""
        rows = self._db.rows("SELECT metadata, source FROM corpus_sources WHERE document = ?", document_id)
        return [from_json(unseal(metadata, source), dict[str, str]) for metadata, source in rows]

    def sources(self, corpus: CorpusRow, *, after: int = 0, most: int = 1000, state: str = "") -> list[SourceRow]:
        """Return the sources of a corpus with an id above ``after``, in the order in which they were added."""
        where = "WHERE corpus = ? AND id > ?" + (" AND state = ?" if state else "")
        values = (corpus.id, after, *([state] if state else []), most)
        return [_source(row) for row in self._db.rows(
            f"SELECT {_COLUMNS} FROM corpus_sources {where} ORDER BY id LIMIT ?", *values)]  # fmt: skip

    def each(self, corpus: CorpusRow, *, state: str = "") -> Iterator[SourceRow]:
        """Yield the sources of a corpus in the order in which they were added; few are held at a time."""
        last = 0
        while some := self.sources(corpus, after=last, state=state):
            yield from some
            last = some[-1].id

    def failures(self, corpus: CorpusRow, *, kind: str = "", after: int = 0, most: int = 100) -> list[SourceRow]:
        """Return sources that failed or were set aside, with an id above ``after``: all, or those with this kind."""
        sql = f"{_FAILED}{' AND kind = ?' if kind else ''} ORDER BY id LIMIT ?"
        return [_source(row) for row in self._db.rows(sql, corpus.id, after, *([kind] if kind else []), most)]

    def retry(self, corpus: CorpusRow, *, kind: str = "") -> int:
        """Let the sources that failed or were set aside, for this kind of reason, wait again; return their number.

        Raise UsageError if some failed, but none with this kind.
        """
        where = "corpus = ? AND state IN ('failed', 'set aside')" + (" AND kind = ?" if kind else "")
        fresh = "state = 'waiting', tries = 0, kind = '', reason = x'', changed = ?"
        values = (self._db.now(), corpus.id, *([kind] if kind else []))
        with self._db.transaction(f"corpus {corpus.id}"):
            count = len(self._db.rows(f"UPDATE corpus_sources SET {fresh} WHERE {where} RETURNING id", *values))
        if kind and not count and (kinds := self.progress(corpus).failures):
            known = ", ".join(sorted(kinds))
            raise UsageError(f"no document failed with {kind}", hint=f"kinds of errors on this shelf: {known}")
        return count

    def progress(self, corpus: CorpusRow) -> Progress:
        """Return how far a corpus is, and what was spent on it. What a worker that is gone was reading is waiting."""
        states: dict[str, int] = {}
        failures: dict[str, int] = {}
        pages = 0
        for state, kind, count, number, _ in self._db.rows(_PROGRESS, corpus.id):
            states[state] = states.get(state, 0) + int(count)
            if state in ("failed", "set aside") and kind:
                failures[kind] = failures.get(kind, 0) + int(count)
            pages += int(number)
        if states.get("reading") and (left := sum(one.documents for one in self.workers(corpus) if not one.alive)):
            states["reading"] -= min(left, states["reading"])
            states["waiting"] = states.get("waiting", 0) + left
        return Progress({state: count for state, count in states.items() if count}, pages, self.spent(corpus), failures)

    def failed_kinds(self, corpus: CorpusRow) -> list[FailedKind]:
        """Return each kind of error with which sources failed or were set aside, the most frequent first."""
        kinds: dict[str, dict[str, tuple[int, int]]] = {}
        for state, kind, count, _, first in self._db.rows(_PROGRESS, corpus.id):
            if state in ("failed", "set aside"):
                kinds.setdefault(kind, {})[state] = (int(count), int(first))
        found = []
        for kind, states in kinds.items():
            state = max(states)  # one that was set aside, if any was
            (row,) = self.sources(corpus, after=states[state][1] - 1, most=1, state=state)
            found.append(FailedKind(kind, sum(n for n, _ in states.values()), states.get("set aside", (0, 0))[0], row))
        return sorted(found, key=lambda one: (-one.documents, one.kind))

    def spent(self, corpus: CorpusRow) -> Spending:
        """Return what all workers have spent on a corpus."""
        return Spending(*self._db.rows(_SPENT, corpus.id)[0])

    def has_left(self, corpus: CorpusRow) -> bool:
        """Return whether any source is to be read or being read."""
        one = "SELECT 1 FROM corpus_sources WHERE corpus = ? AND state = ? LIMIT 1"
        return any(self._db.row(one, corpus.id, state) is not None for state in ("reading", "waiting", "failed"))

    def ended_within(self, corpus: CorpusRow, time: timedelta) -> tuple[int, timedelta]:
        """Return how many sources were read or set aside within this time, and how long ago the first of them was."""
        now = to_time(self._db.now())
        number, first = self._db.rows(_ENDED, corpus.id, (now - time).isoformat(timespec="microseconds"))[0]
        return int(number), now - to_time(first) if first else timedelta()

    # Workers

    def workers(self, corpus: CorpusRow) -> list[WorkerRow]:
        """Return the workers that have claimed sources of a corpus: those that read them, and those that are gone."""
        leases, found = self._leases, list[WorkerRow]()
        now = self._db.epoch if leases is None else leases.now
        for owner, count, process, machine, left in self._db.rows(_READING.format(now=now), corpus.id):
            alive = leases is None or (left is not None and leases.is_alive(process, machine, left))
            found.append(WorkerRow(owner, int(count), alive, None if left is None else LIFETIME - left))
        return found

    def enlist(self) -> str:
        """Take the lease of a new worker, and return its name. ``renew`` it every few seconds."""
        worker = f"corpus worker {secrets.token_hex(8)}"
        if self._leases is not None:
            with self._db.transaction(worker):  # a server that crashes must not forget it, or others read the same
                self._leases.seize(worker)
        return worker

    def renew(self, worker: str) -> None:
        """Renew the lease of a worker; if it was over, take it again."""
        if self._leases is not None and not self._leases.renew(worker):
            self._leases.take(worker)

    def dismiss(self, corpus: CorpusRow, worker: str) -> None:
        """End the lease of a worker, and let others have what it did not finish; that does not count as a try."""
        self._db.rows(
            "UPDATE corpus_sources SET state = 'waiting', owner = NULL, tries = tries - 1"
            " WHERE corpus = ? AND state = 'reading' AND owner = ?",
            corpus.id,
            worker,
        )
        if self._leases is not None:
            self._leases.release(worker)

    def claim(self, corpus: CorpusRow, worker: str, most: int, *, tries: int = TRIES) -> list[SourceRow]:
        """Claim up to ``most`` sources for a worker: those that were never tried first, then those that failed.

        What a worker that is gone was reading is free. A source goes to one of the workers that claim at once. One
        whose workers ended in all of ``tries`` but the last is left to ``claim_suspect``.
        """
        self._free(corpus, tries)
        return self._claim(corpus, worker, most, "NOT", tries)

    def claim_suspect(self, corpus: CorpusRow, worker: str, *, tries: int = TRIES) -> list[SourceRow]:
        """Claim one source that has one try left, since its workers have ended. Read alone, it is known to end them."""
        return self._claim(corpus, worker, 1, "", tries)

    def _claim(self, corpus: CorpusRow, worker: str, most: int, negated: str, tries: int) -> list[SourceRow]:
        claimed: list[SourceRow] = []
        sql = _CLAIM.format(negated=negated, lock=self._db.skip_locked)
        with self._db.transaction(worker):
            for state in ("waiting", "failed"):
                if (left := most - len(claimed)) > 0:
                    rows = self._db.rows(sql, corpus.id, state, tries - 1, left, worker, self._db.now())
                    claimed += sorted(map(_source, rows), key=lambda row: row.id)
        return claimed

    def _free(self, corpus: CorpusRow, tries: int) -> None:
        """Let anyone have the sources of workers that are gone.

        One that was tried so often and was the only one of its worker is set aside: it is what ends the workers.
        """
        reason, sql = to_bytes("its worker ended while it was reading this"), _GONE.format(lock=self._db.skip_locked)
        for gone in self.workers(corpus):
            if not gone.alive:
                self._db.rows(sql, self._db.now(), reason, gone.documents, tries, corpus.id, gone.name)

    def finish(self, worker: str, source: int, document_id: str, *, pages: int, spent: Spending) -> bool:
        """Note that a source was read as this document; return False if another worker has claimed it meanwhile."""
        return self._ended(worker, source, ("done", document_id, "", b"", pages), spent)

    def fail(self, worker: str, source: int, error: Exception, *, again: bool, spent: Spending) -> bool:
        """Note why a source was not read: to be tried ``again``, or set aside; return False as ``finish`` does."""
        state = "failed" if again else "set aside"
        return self._ended(worker, source, (state, None, type(error).__name__, to_bytes(str(error)), 0), spent)

    def _ended(self, worker: str, source: int, values: Row, spent: Spending) -> bool:
        paid = (spent.calls, spent.tokens, spent.cost, spent.unpriced)
        with self._db.transaction(worker):
            return bool(self._db.rows(_FINISH, *values, *paid, self._db.now(), source, worker))

    def spend(self, corpus: CorpusRow, worker: str, spent: Spending) -> None:
        """Store what a worker has spent so far."""
        paid = (spent.calls, spent.tokens, spent.cost, spent.unpriced)
        self._db.rows(_SPEND.format(unsynced=self._db.unsynced), corpus.id, worker, *paid)


def check(db: Database, number: int) -> None:
    """Raise DamagedLibraryError if a source of a corpus cannot be read."""
    _source(db.rows(f"SELECT {_COLUMNS} FROM corpus_sources WHERE id = ?", number)[0])


def _corpus(row: Row) -> CorpusRow:
    number, name, shelf, made = row
    return CorpusRow(number, to_text(name), shelf, to_time(made))


def _source(row: Row) -> SourceRow:
    number, state, tries, document, changed, pages, calls, tokens, cost, unpriced, kind, reason, source, metadata = row
    return SourceRow(
        id=number,
        source=to_text(source),
        state=state,
        tries=tries,
        document=document or "",
        changed=to_time(changed),
        pages=pages,
        spent=Spending(calls, tokens, cost, unpriced),
        kind=kind,
        reason=to_text(reason),
        metadata=from_json(unseal(metadata, source), dict[str, str]),
    )
