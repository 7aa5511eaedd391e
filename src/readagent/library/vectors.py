"""Vectors in the library: what a text means in numbers, under a key that stands for the embedder and the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from readagent.library.sqlite import Database

_AT_ONCE = 500  # keys in one query


def kept(db: Database, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    """The vectors that are there, by key."""
    found: dict[bytes, bytes] = {}
    for start in range(0, len(keys), _AT_ONCE):
        part = keys[start : start + _AT_ONCE]
        marks = ", ".join("?" * len(part))
        found.update(db.rows(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", *part))
    return found


def keep(db: Database, vectors: Mapping[bytes, bytes]) -> None:
    """Keep vectors, all or none; a key that is known gets the new one."""
    if not vectors:
        return
    with db.transaction():
        db.many(
            "INSERT INTO vectors (key, vector) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET vector = excluded.vector",
            vectors.items(),
        )
