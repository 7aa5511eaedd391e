"""Embedding vectors in the library, by a key that identifies the embedder and the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from readagent.library.database import Database
from readagent.library.pack import seal, unseal

_AT_ONCE = 500  # keys per query


def kept(db: Database, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    """Return the stored vectors by key; unknown keys are left out."""
    found: dict[bytes, bytes] = {}
    for start in range(0, len(keys), _AT_ONCE):
        part = keys[start : start + _AT_ONCE]
        marks = ", ".join("?" * len(part))
        rows = db.rows(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", *part)
        found.update((key, unseal(vector, key)) for key, vector in rows)
    return found


def keep(db: Database, vectors: Mapping[bytes, bytes]) -> None:
    """Store vectors, all or none; a vector that was stored under the same key is replaced."""
    if not vectors:
        return
    with db.transaction("vectors"):
        db.many(
            "INSERT INTO vectors (key, vector) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET vector = excluded.vector",
            ((key, seal(vector, key)) for key, vector in vectors.items()),
        )
