"""Where documents were found, and which document a file was parsed into."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from readagent.core.document import Document
from readagent.library.database import Database, Row, Statement
from readagent.library.pack import to_bytes, to_text


def is_noted(db: Database, source: bytes, document_id: str, *, current: bool) -> bool:
    """Return whether the document is recorded at this source; with ``current``, as its newest version."""
    versions = db.rows("SELECT document FROM sources WHERE source = ? ORDER BY version", source)
    return is_among(document_id, [name for (name,) in versions], current=current)


def is_among(document_id: str, known: Sequence[str], *, current: bool) -> bool:
    """Return whether a document is among the versions of a source; with ``current``, the newest of them."""
    return document_id in known and (not current or known[-1] == document_id)


def newest(db: Database, source: str) -> str | None:
    """Return the id of the newest version at this path or address, or None."""
    row = db.row("SELECT document FROM sources WHERE source = ? ORDER BY version DESC LIMIT 1", to_bytes(source))
    return None if row is None else str(row[0])


def note(db: Database, source: bytes, document_id: str, *, current: bool) -> None:
    """Record that the document was found at this source; with ``current``, that it is what the source holds now.

    Call it in a transaction.
    """
    if not is_noted(db, source, document_id, current=current):
        db.rows(
            "INSERT INTO sources (source, version, document, seen)"
            " SELECT ?, coalesce(max(version), 0) + 1, ?, ? FROM sources WHERE source = ?",
            source,
            document_id,
            db.now(),
            source,
        )


def version(db: Database, document: Document) -> int:
    """Return which version of the text at its source a document is, from 1; 1 where it has no source."""
    source = to_bytes(document.source)
    row = db.row("SELECT max(version) FROM sources WHERE source = ? AND document = ?", source, document.id)
    return 1 if row is None or row[0] is None else int(row[0])


_ALL = "SELECT source, version, document FROM sources {only} ORDER BY version"
_ONLY = "WHERE source IN (SELECT source FROM sources WHERE document = ?)"


def versions(only: str | None = None) -> Statement:
    """Return the statement that ``Locations`` needs the rows of: all sources, or those where one document was found."""
    return (_ALL.format(only=""),) if only is None else (_ALL.format(only=_ONLY), only)


class Locations:
    """Which documents are at which sources."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._versions: dict[tuple[str, bytes], int] = {}
        newest: dict[bytes, str] = {}
        for source, version, document in rows:
            self._versions[document, source] = version
            newest[source] = document
        self._locations: defaultdict[str, list[str]] = defaultdict(list)
        for source, document in newest.items():
            self._locations[document].append(to_text(source))

    def version(self, document_id: str, source: bytes) -> int:
        """Return which version of this source the document is, from 1."""
        return self._versions.get((document_id, source), 1)

    def of(self, document_id: str) -> tuple[str, ...]:
        """Return the sources that hold the document now; none for an older version."""
        return tuple(sorted(self._locations[document_id]))


def document_in(db: Database, path: str, digest: bytes) -> str | None:
    """Return the id of the document that a file was parsed into, if the file still has this digest; else None."""
    row = db.row("SELECT document FROM files WHERE path = ? AND digest = ?", to_bytes(path), digest)
    return None if row is None else str(row[0])


def keep(db: Database, path: str, digest: bytes, document_id: str) -> None:
    """Remember which document a file was parsed into, and the digest of the file; nothing if the library lacks it."""
    if document_in(db, path, digest) != document_id:
        db.rows(
            "INSERT INTO files (path, digest, document) SELECT ?, ?, id FROM documents WHERE id = ?"
            " ON CONFLICT (path) DO UPDATE SET digest = excluded.digest, document = excluded.document",
            to_bytes(path),
            digest,
            document_id,
        )
