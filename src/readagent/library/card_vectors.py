"""Embedding vectors in the library, and which cards of a shelf are nearest to a question."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

from readagent.core.model import Vectors
from readagent.library.database import Database
from readagent.library.pack import seal, to_bytes, unseal

_UNIT = 127  # what the number 1.0 is stored as
_AT_ONCE = 8192  # vectors that are compared at once
_CARD = """
SELECT cards.reading FROM cards JOIN readings ON readings.id = cards.reading
WHERE readings.document = ? AND readings.key = ?
"""
_OF_CARD = "SELECT 1 FROM card_vectors WHERE card_vectors.reading = cards.reading AND card_vectors.embedder = ?"
_OF_SHELF = """
FROM card_vectors JOIN cards ON cards.reading = card_vectors.reading
JOIN shelf_documents ON shelf_documents.document = cards.document
WHERE shelf_documents.shelf = ? AND card_vectors.embedder = ?
"""


def keep(db: Database, document_id: str, reading_key: str, embedder: str, vectors: Vectors) -> None:
    """Store the vector of the card of a reading, the only one of these. An earlier one is replaced."""
    with db.transaction(document_id):
        row = db.row(_CARD, document_id, reading_key)
        if row is not None:  # the document was not removed meanwhile
            db.rows("DELETE FROM card_vectors WHERE reading = ?", row[0])
            db.rows(
                "INSERT INTO card_vectors (reading, embedder, vector) VALUES (?, ?, ?)",
                row[0],
                to_bytes(embedder),
                _packed(vectors),
            )


def is_kept(db: Database, document_id: str, reading_key: str, embedder: str) -> bool:
    """Return whether the card of a reading has a vector of this embedder."""
    return db.row(f"{_CARD} AND EXISTS ({_OF_CARD})", document_id, reading_key, to_bytes(embedder)) is not None


def nearest(db: Database, shelf: int, embedder: str, wanted: Vectors, limit: int) -> list[str]:
    """Return the documents on a shelf whose cards are nearest to any of these vectors, the nearest first."""
    if not len(wanted) or not wanted.width:
        return []
    # A condition on the width would be planned as one that few rows fulfil, and take twice as long.
    rows = db.rows(f"SELECT cards.document, card_vectors.vector {_OF_SHELF}", shelf, to_bytes(embedder))
    rows = [row for row in rows if len(row[1]) == wanted.width]  # a model of the same name may have had another
    return _ranked([document for document, _ in rows], b"".join(vector for _, vector in rows), wanted, limit)


def _packed(vectors: Vectors) -> bytes:
    """Return the numbers of vectors, each as a signed byte."""
    numbers = array("f", vectors.data)
    return array("b", [max(-_UNIT, min(_UNIT, round(_UNIT * number))) for number in numbers]).tobytes()


def _ranked(documents: Sequence[str], stored: bytes, wanted: Vectors, limit: int) -> list[str]:
    import numpy as np

    rows = np.frombuffer(stored, np.int8).reshape(len(documents), wanted.width)
    asked = np.frombuffer(wanted.data, np.float32).reshape(len(wanted), wanted.width).T
    parts = [rows[start : start + _AT_ONCE].astype(np.float32) @ asked for start in range(0, len(rows), _AT_ONCE)]
    similarity = np.concatenate([part.max(axis=1) for part in parts]) if parts else np.empty(0)
    return [documents[place] for place in np.argsort(-similarity, kind="stable")[:limit]]


_VECTORS_AT_ONCE = 500  # keys per query


def kept(db: Database, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    """Return the stored vectors by key; unknown keys are left out."""
    found: dict[bytes, bytes] = {}
    for start in range(0, len(keys), _VECTORS_AT_ONCE):
        part = keys[start : start + _VECTORS_AT_ONCE]
        marks = ", ".join("?" * len(part))
        rows = db.rows(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", *part)
        found.update((key, unseal(vector, key)) for key, vector in rows)
    return found


def keep_vectors(db: Database, vectors: Mapping[bytes, bytes]) -> None:
    """Store vectors, all or none; a vector that was stored under the same key is replaced."""
    if not vectors:
        return
    with db.transaction("vectors"):
        db.many(
            "INSERT INTO vectors (key, vector) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET vector = excluded.vector",
            ((key, seal(vector, key)) for key, vector in vectors.items()),
        )
