"""Jobs: the work that ``readagent serve`` was asked for, kept so that it survives a restart of the server.

Several servers may share a library. Each works on the jobs that it has claimed; a claim is a lease, which ends when its
process is gone or does not renew it.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from readagent.core.escaping import short_repr
from readagent.errors import NotInLibraryError
from readagent.library.database import Database, Row, insisting
from readagent.library.leases import Leases
from readagent.library.pack import compress, decompress, from_json, seal, to_json, to_text, to_time, unseal

JobState = Literal["waiting", "running", "paused", "done", "failed", "stopped"]
UNFINISHED = ("waiting", "running", "paused")

_JOBS = """
SELECT jobs.id, jobs.kind, jobs.document, shelves.name, jobs.state, jobs.created, jobs.changed, jobs.request,
    jobs.report, jobs.result
FROM jobs LEFT JOIN shelves ON shelves.id = jobs.shelf
"""
_NEXT = (
    f"SELECT id FROM jobs WHERE state IN ({', '.join(repr(state) for state in UNFINISHED)}) AND id > ?"
    " ORDER BY id LIMIT 1 "
)


@dataclass(frozen=True, slots=True)
class JobReport:
    """How far a job is, what it took, and why it failed."""

    reason: str = ""
    hint: str = ""
    done: int = 0
    total: int = 0
    what: str = ""
    calls: int = 0
    tokens: int = 0
    cost: float | None = 0.0

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job about a document or about the documents of a shelf; both for a document that is put on a shelf."""

    id: int
    kind: str
    document: str
    shelf: str
    state: JobState
    created: datetime
    changed: datetime
    request: Mapping[str, Any] = field(default_factory=dict)
    report: JobReport = JobReport()
    result: Mapping[str, Any] | None = None

    __repr__ = short_repr


@insisting
class Jobs:
    """The jobs of a library, by number."""

    def __init__(self, db: Database, leases: Leases | None = None) -> None:
        self._db, self._leases = db, leases
        self._claims = f"claims {secrets.token_hex(8)}"

    def new(self, kind: str, *, document: str = "", shelf: int | None = None, request: Mapping[str, Any]) -> JobRow:
        """Add a job that waits, about a document, a shelf, or both, and claim it."""
        now, data, report = self._db.now(), to_json(request), to_json(JobReport())
        beside = (kind, "waiting")
        with self._db.transaction("jobs"):
            (number,) = self._db.rows(
                "INSERT INTO jobs (kind, document, shelf, state, created, changed, request, report)"
                " VALUES (?, ?, ?, 'waiting', ?, ?, ?, ?) RETURNING id",
                kind,
                document or None,
                shelf,
                now,
                now,
                seal(data, kind),
                seal(report, *beside),
            )[0]
            if self._leases is not None:
                self._leases.seize(_lease(number))
        return self.find(int(number))

    def all(self) -> list[JobRow]:
        """Return all jobs, newest first, without their results."""
        return [_row((*one[:-1], None)) for one in self._db.rows(f"{_JOBS} ORDER BY jobs.id DESC")]

    def made(self, kind: str, document_id: str) -> list[JobRow]:
        """Return the jobs of this kind about a document that are done, newest first."""
        where = "WHERE jobs.kind = ? AND jobs.document = ? AND jobs.state = 'done' ORDER BY jobs.id DESC"
        return [_row(one) for one in self._db.rows(f"{_JOBS} {where}", kind, document_id)]

    def unfinished(self) -> list[JobRow]:
        """Return the jobs that have not ended, oldest first."""
        states = ", ".join(f"'{state}'" for state in UNFINISHED)
        return [_row(one) for one in self._db.rows(f"{_JOBS} WHERE jobs.state IN ({states}) ORDER BY jobs.id")]

    def claim(self, most: int = 1000) -> list[JobRow]:
        """Claim jobs that have not ended and that no one works on, and return them, oldest first.

        A job goes to one of the processes that claim at once; jobs that another one is about to claim are skipped.
        """
        if self._leases is None:
            return self.unfinished()[:most]
        claimed: list[int] = []
        with self._db.transaction(self._claims):
            last = 0
            while len(claimed) < most and (row := self._db.row(_NEXT + self._db.skip_locked, last)) is not None:
                last = int(row[0])
                if self._leases.seize(_lease(last)):
                    claimed.append(last)
        return [self.find(number) for number in claimed]

    def renew(self, number: int) -> bool:
        """Renew the claim on a job; return False if it was over, and another process has the job now."""
        return self._leases is None or self._leases.renew(_lease(number))

    def release(self, number: int) -> None:
        """Give up the claim on a job."""
        if self._leases is not None:
            self._leases.release(_lease(number))

    def find(self, number: int) -> JobRow:
        """Return one job."""
        found = self._db.row(f"{_JOBS} WHERE jobs.id = ?", number)
        if found is None:
            raise NotInLibraryError(f"there is no job {number}")
        return _row(found)

    def keep(self, number: int, state: JobState, report: JobReport, result: Mapping[str, Any] | None = None) -> None:
        """Store how far a job is. One that was removed meanwhile stays removed."""
        row = self._db.row("SELECT kind FROM jobs WHERE id = ?", number)
        if row is not None:
            self._db.rows(
                "UPDATE jobs SET state = ?, changed = ?, report = ?, result = ? WHERE id = ?",
                state,
                self._db.now(),
                seal(to_json(report), row[0], state),
                None if result is None else compress(to_json(result)),
                number,
            )

    def remove(self, numbers: Sequence[int]) -> None:
        """Remove jobs. What they made stays, except overviews, which only a job has."""
        with self._db.transaction("jobs"):
            self._db.many("DELETE FROM jobs WHERE id = ?", [(number,) for number in numbers])

    def trim(self, most: int) -> None:
        """Remove all but the newest jobs that have ended; those that made overviews stay."""
        states = ", ".join(f"'{state}'" for state in UNFINISHED)
        ended = f"state NOT IN ({states}) AND NOT (kind = 'overview' AND state = 'done')"
        newest = f"SELECT id FROM jobs WHERE {ended} ORDER BY id DESC LIMIT ?"
        self._db.rows(f"DELETE FROM jobs WHERE {ended} AND id NOT IN ({newest})", most)


def _lease(number: int) -> str:
    return f"job {number}"


def check(db: Database, number: int) -> None:
    """Raise DamagedLibraryError if a job cannot be read."""
    _row(db.rows(f"{_JOBS} WHERE jobs.id = ?", number)[0])


def _row(row: Row) -> JobRow:
    number, kind, document, shelf, state, created, changed, request, report, result = row
    return JobRow(
        id=number,
        kind=kind,
        document=document or "",
        shelf="" if shelf is None else to_text(shelf),
        state=state,
        created=to_time(created),
        changed=to_time(changed),
        request=from_json(unseal(request, kind), dict[str, Any]),
        report=from_json(unseal(report, kind, state), JobReport),
        result=None if result is None else from_json(decompress(result), dict[str, Any]),
    )
