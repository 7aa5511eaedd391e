"""The library: documents, readings, answers and cached replies, in one SQLite file, on PostgreSQL or in memory."""

from readagent.library.library import Library
from readagent.library.rows import DocumentRow, Hit, KeptAnswer, KeptShelfAnswer, ReadingRow, ShelfRow

__all__ = [
    "DocumentRow",
    "Hit",
    "KeptAnswer",
    "KeptShelfAnswer",
    "Library",
    "ReadingRow",
    "ShelfRow",
]
