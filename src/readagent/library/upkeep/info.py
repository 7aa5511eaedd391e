"""What a library holds, and how much space each kind of thing takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from readagent.library.database import Database

_BYTES = {
    "documents": "SELECT sum(length(text) + length(paragraphs) + length(metadata)) FROM documents",
    "pages": "SELECT sum(size) FROM (SELECT sum(length(gist)) AS size FROM pages UNION ALL"
    " SELECT sum(length(gist)) FROM levels UNION ALL SELECT sum(length(gist) + length(made)) FROM pinned) AS parts",
    "replies": "SELECT sum(length(reply) + length(prompt)) FROM calls",
    "answers": "SELECT sum(size) FROM (SELECT sum(length(text) + length(trace)) AS size FROM answers UNION ALL"
    " SELECT sum(length(answer) + length(trace)) FROM shelf_answers) AS parts",
    "vectors": "SELECT sum(length(vector)) FROM vectors",
}
_COUNTS = {
    "documents": "SELECT count(*) FROM documents",
    "readings": "SELECT count(*) FROM readings",
    "pages": "SELECT count(*) FROM pages",
    "replies": "SELECT count(*) FROM calls",
    "answers": "SELECT (SELECT count(*) FROM answers) + (SELECT count(*) FROM shelf_answers)",
    "vectors": "SELECT count(*) FROM vectors",
    "shelves": "SELECT count(*) FROM shelves",
}


@dataclass(frozen=True, slots=True)
class LibraryInfo:
    """How many things of each kind a library holds, and their bytes.

    ``size`` are the bytes on disk; ``compact`` would free the ``unused`` ones. ``version`` is that of the format.
    """

    path: str
    version: int
    size: int
    unused: int
    counts: Mapping[str, int]
    bytes: Mapping[str, int]


def info(db: Database, size: int) -> LibraryInfo:
    """Return what a library holds; ``size`` are its bytes on disk."""
    with db.transaction(write=False):
        counts = {kind: _number(db, sql) for kind, sql in _COUNTS.items()}
        sizes = {kind: _number(db, sql) for kind, sql in _BYTES.items()} | {"index": db.index.size()}
        unused, version = db.unused(), db.version()
    return LibraryInfo(db.name, version, size, unused, counts, sizes)


def _number(db: Database, sql: str) -> int:
    return int(db.rows(sql)[0][0] or 0)
