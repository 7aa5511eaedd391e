"""The vectors of cards in PostgreSQL's extension pgvector, where it is installed: the server compares them.

The table ``card_meanings`` is made, and filled with what ``card_vectors`` has, by the first process that finds the
extension. All vectors of a shelf are compared, without an approximate index, so that those of other shelves and models
never crowd out the right ones.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from readagent.core.model import Vectors
from readagent.errors import LibraryError
from readagent.library.card_vectors import OF_SHELF, unpacked
from readagent.library.database import Database
from readagent.library.postgres_errors import LostConnectionError

_INSTALLED = """
SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
WHERE extname = 'vector'
"""
_TABLE = """
CREATE TABLE IF NOT EXISTS card_meanings (
    reading BIGINT PRIMARY KEY REFERENCES card_vectors (reading) ON DELETE CASCADE,
    vector {schema}.vector NOT NULL
)
"""
_MISSING = """
SELECT reading, vector FROM card_vectors
WHERE NOT EXISTS (SELECT 1 FROM card_meanings WHERE card_meanings.reading = card_vectors.reading)
ORDER BY reading LIMIT 1000
"""


class PgVector:
    """The table ``card_meanings``. ``schema`` is that of the extension, quoted."""

    def __init__(self, db: Database, schema: str) -> None:
        self._db = db
        self._schema = schema

    def prepare(self) -> None:
        """Create the table if it does not exist, and add what it lacks."""
        with self._db.transaction("card vectors"):
            self._db.rows(_TABLE.format(schema=self._schema))
            while missing := self._db.rows(_MISSING):
                self.add(missing)

    def add(self, entries: Iterable[tuple[int, bytes]]) -> None:
        """Add vectors of cards, each with the id of its reading. Call it in a transaction."""
        self._db.many(
            f"INSERT INTO card_meanings (reading, vector) VALUES (?, CAST(? AS {self._schema}.vector))",
            ((reading, str(unpacked(vector))) for reading, vector in entries),
        )

    def nearest(self, shelf: int, embedder: bytes, wanted: Vectors, limit: int) -> list[str]:
        """Return the documents on a shelf whose cards are nearest to any of these vectors, the nearest first."""
        numbers, width = array("f", wanted.data), wanted.width
        asked = [str(numbers[start : start + width].tolist()) for start in range(0, len(numbers), width)]
        distance = f"card_meanings.vector OPERATOR({self._schema}.<#>) CAST(? AS {self._schema}.vector)"
        among = OF_SHELF.replace("WHERE", "JOIN card_meanings ON card_meanings.reading = cards.reading WHERE", 1)
        least = f"least({', '.join([distance] * len(asked))})"
        rows = self._db.rows(
            f"SELECT cards.document {among} AND length(card_vectors.vector) = ? ORDER BY {least} LIMIT ?",
            shelf, embedder, width, *asked, limit,
        )  # fmt: skip
        return [document for (document,) in rows]


def installed(db: Database) -> PgVector | None:
    """Return the vectors in pgvector; None where it is not installed, or where this user may not make the table."""
    schemas = db.rows(_INSTALLED)
    if not schemas:
        return None
    index = PgVector(db, schemas[0][0])
    try:
        index.prepare()
    except LostConnectionError:
        raise
    except LibraryError:  # only read here, or used by a user who cannot make tables
        return None
    return index
