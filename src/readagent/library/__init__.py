"""The library: documents, readings, answers and cached replies, in one SQLite file, on PostgreSQL or in memory."""

from readagent.library.library import Library
from readagent.library.rows import (
    TERM,
    DocumentRow,
    Hit,
    KeptAnswer,
    KeptShelfAnswer,
    ReadingRow,
    Removed,
    ShelfRow,
)

__all__ = [
    "TERM",
    "DocumentRow",
    "Hit",
    "KeptAnswer",
    "KeptShelfAnswer",
    "Library",
    "ReadingRow",
    "Removed",
    "ShelfRow",
]
