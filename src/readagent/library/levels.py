"""Shorter gists of older pages: stored with a reading, so that each is requested only once."""

from __future__ import annotations

from collections.abc import Mapping

from readagent.core.memory import Gist
from readagent.library.database import Database
from readagent.library.pack import seal, to_bytes, to_text, unseal

_READING = "(SELECT id FROM readings WHERE document = ? AND key = ?)"


def of(db: Database, document_id: str, key: str) -> dict[tuple[int, int], Gist]:
    """Return the shorter gists of a reading, by page number and maximum words."""
    rows = db.rows(
        f"SELECT number, words, gist, gist_words, gist_origin FROM levels WHERE reading = {_READING}", document_id, key
    )
    return {
        (number, words): Gist(to_text(unseal(text, number, words, size, origin)), size, origin)
        for number, words, text, size, origin in rows
    }


def keep(db: Database, document_id: str, key: str, gists: Mapping[tuple[int, int], Gist]) -> None:
    """Store shorter gists, all or none; none if there is no such reading."""
    with db.transaction(document_id):
        row = db.row("SELECT id FROM readings WHERE document = ? AND key = ?", document_id, key)
        if row is not None:
            db.many(
                "INSERT INTO levels (reading, number, words, gist_words, gist_origin, gist) VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (reading, number, words) DO NOTHING",
                (
                    (
                        row[0],
                        *level,
                        gist.words,
                        gist.origin,
                        seal(to_bytes(gist.text), *level, gist.words, gist.origin),
                    )
                    for level, gist in gists.items()
                ),
            )
