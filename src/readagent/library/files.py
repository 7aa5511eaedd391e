"""Which document a file was parsed into, so that a file that has not changed is not parsed again."""

from __future__ import annotations

from readagent.library.database import Database
from readagent.library.pack import to_bytes


def document_in(db: Database, path: str, digest: bytes) -> str | None:
    """Return the id of the document in the file at this path, if the file has not changed since it was parsed."""
    row = db.row("SELECT document FROM files WHERE path = ? AND digest = ?", to_bytes(path), digest)
    return None if row is None else str(row[0])


def keep(db: Database, path: str, digest: bytes, document_id: str) -> None:
    """Remember which document the file at this path was parsed into; nothing if that is not in the library."""
    if document_in(db, path, digest) != document_id:
        db.rows(
            "INSERT INTO files (path, digest, document) SELECT ?, ?, id FROM documents WHERE id = ?"
            " ON CONFLICT (path) DO UPDATE SET digest = excluded.digest, document = excluded.document",
            to_bytes(path),
            digest,
            document_id,
        )
