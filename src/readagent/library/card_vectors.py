"""The vectors of cards: which documents on a shelf are nearest to a question, also if there are many of them.

A vector is stored with one signed byte for each of its numbers, a quarter of its size. Without an extension that
compares vectors, the database returns those of the whole shelf, and they are compared here.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from readagent.core.model import Vectors
from readagent.library.database import Database, VectorIndex
from readagent.library.pack import to_bytes

_UNIT = 127  # what the number 1.0 is stored as
_AT_ONCE = 8192  # vectors that are compared at once
_CARD = """
SELECT cards.reading FROM cards JOIN readings ON readings.id = cards.reading
WHERE readings.document = ? AND readings.key = ?
"""
_OF_CARD = "SELECT 1 FROM card_vectors WHERE card_vectors.reading = cards.reading AND card_vectors.embedder = ?"
OF_SHELF = """
FROM card_vectors JOIN cards ON cards.reading = card_vectors.reading
JOIN shelf_documents ON shelf_documents.document = cards.document
WHERE shelf_documents.shelf = ? AND card_vectors.embedder = ?
"""


def keep(db: Database, document_id: str, reading_key: str, embedder: str, vectors: Vectors) -> None:
    """Store the vector of the card of a reading, the only one of these. An earlier one is replaced."""
    index = db.vector_index
    with db.transaction(document_id):
        row = db.row(_CARD, document_id, reading_key)
        if row is not None:  # the document was not removed meanwhile
            _store(db, index, row[0], to_bytes(embedder), packed(vectors))


def is_kept(db: Database, document_id: str, reading_key: str, embedder: str) -> bool:
    """Return whether the card of a reading has a vector of this embedder."""
    return db.row(f"{_CARD} AND EXISTS ({_OF_CARD})", document_id, reading_key, to_bytes(embedder)) is not None


def _store(db: Database, index: VectorIndex | None, reading: int, embedder: bytes, vector: bytes) -> None:
    db.rows("DELETE FROM card_vectors WHERE reading = ?", reading)
    db.rows("INSERT INTO card_vectors (reading, embedder, vector) VALUES (?, ?, ?)", reading, embedder, vector)
    if index is not None:
        index.add([(reading, vector)])


def nearest(db: Database, shelf: int, embedder: str, wanted: Vectors, limit: int) -> list[str]:
    """Return the documents on a shelf whose cards are nearest to any of these vectors, the nearest first."""
    if not len(wanted) or not wanted.width:
        return []
    if (index := db.vector_index) is not None:
        return index.nearest(shelf, to_bytes(embedder), wanted, limit)
    # A condition on the width would be planned as one that few rows fulfil, and take twice as long.
    rows = db.rows(f"SELECT cards.document, card_vectors.vector {OF_SHELF}", shelf, to_bytes(embedder))
    rows = [row for row in rows if len(row[1]) == wanted.width]  # a model of the same name may have had another
    return _ranked([document for document, _ in rows], b"".join(vector for _, vector in rows), wanted, limit)


def packed(vectors: Vectors) -> bytes:
    """Return the numbers of vectors, each as a signed byte."""
    numbers = array("f", vectors.data)
    return array("b", [max(-_UNIT, min(_UNIT, round(_UNIT * number))) for number in numbers]).tobytes()


def unpacked(stored: bytes) -> list[int]:
    """Return the numbers of a stored vector, multiplied by 127."""
    return array("b", stored).tolist()


def _ranked(documents: Sequence[str], stored: bytes, wanted: Vectors, limit: int) -> list[str]:
    import numpy as np

    rows = np.frombuffer(stored, np.int8).reshape(len(documents), wanted.width)
    asked = np.frombuffer(wanted.data, np.float32).reshape(len(wanted), wanted.width).T
    parts = [rows[start : start + _AT_ONCE].astype(np.float32) @ asked for start in range(0, len(rows), _AT_ONCE)]
    similarity = np.concatenate([part.max(axis=1) for part in parts]) if parts else np.empty(0)
    return [documents[place] for place in np.argsort(-similarity, kind="stable")[:limit]]
