"""What is kept beside the text of a document: the file that it was made from, and the passages highlighted in it."""

from __future__ import annotations

from collections.abc import Sequence

from readagent.library.database import Database
from readagent.library.load import missing
from readagent.library.pack import seal, unseal

_SAME = "document = ? AND start_offset = ? AND end_offset = ?"


def keep_original(db: Database, document_id: str, file: bytes) -> None:
    """Keep the file that a document was made from, in place of one that was kept before."""
    with db.transaction(document_id):
        _insist(db, document_id)
        db.rows("DELETE FROM originals WHERE document = ?", document_id)
        db.rows("INSERT INTO originals (document, file) VALUES (?, ?)", document_id, seal(file))


def original(db: Database, document_id: str) -> bytes | None:
    """Return the file that a document was made from; None if it was not kept."""
    row = db.row("SELECT file FROM originals WHERE document = ?", document_id)
    return None if row is None else unseal(row[0])


def has_original(db: Database, document_id: str) -> bool:
    """Return whether the file that a document was made from was kept."""
    return db.row("SELECT 1 FROM originals WHERE document = ?", document_id) is not None


def highlight(db: Database, document_id: str, start: int, end: int) -> None:
    """Highlight the passage between two offsets; if it is highlighted already, nothing happens."""
    with db.transaction(document_id):
        _insist(db, document_id)
        if db.row(f"SELECT 1 FROM highlights WHERE {_SAME}", document_id, start, end) is None:
            values = "INSERT INTO highlights (document, start_offset, end_offset) VALUES (?, ?, ?)"
            db.rows(values, document_id, start, end)


def unhighlight(db: Database, document_id: str, start: int, end: int) -> None:
    """Take a highlight away, if it is there."""
    db.rows(f"DELETE FROM highlights WHERE {_SAME}", document_id, start, end)


def highlights(db: Database, document_id: str) -> Sequence[tuple[int, int]]:
    """Return the offsets of the highlighted passages, in the order of the text."""
    order = "ORDER BY start_offset, end_offset"
    found = db.rows(f"SELECT start_offset, end_offset FROM highlights WHERE document = ? {order}", document_id)
    return [(int(start), int(end)) for start, end in found]


def _insist(db: Database, document_id: str) -> None:
    if db.row("SELECT 1 FROM documents WHERE id = ?", document_id) is None:
        raise missing(document_id)
