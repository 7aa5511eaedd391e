"""Forgotten conversations: their ids are kept, so that a process that still has the text cannot bring it back."""

from __future__ import annotations

from readagent.core.document import Document
from readagent.errors import NotInLibraryError
from readagent.library.database import Database

SOURCE = "conversation:"  # the source of a conversation is this and its name


def any_of(db: Database) -> str:
    """Return a condition that takes a JSON list of ids: whether one of them was forgotten."""
    return f"EXISTS (SELECT 1 FROM forgotten WHERE document IN {db.json_list})"


def note(db: Database, document_id: str) -> None:
    """Record that a document is forgotten, with the shorter ones that it grew from. Call it before it is deleted."""
    db.rows(
        "INSERT INTO forgotten (document) SELECT CAST(? AS TEXT) UNION SELECT document FROM successors"
        " WHERE successor = ? ON CONFLICT (document) DO NOTHING",
        document_id,
        document_id,
    )


def check(db: Database, document: Document) -> None:
    """Raise NotInLibraryError for a conversation that was forgotten, or that has grown into a longer one."""
    if not document.source.startswith(SOURCE):
        return
    if db.row("SELECT 1 FROM forgotten WHERE document = ?", document.id) is not None:
        raise gone()
    if document.salt and db.row("SELECT 1 FROM successors WHERE document = ?", document.id) is not None:
        raise NotInLibraryError("turns were added to the conversation meanwhile")


def gone() -> NotInLibraryError:
    """Return the error for what cannot be kept, because it holds words that were forgotten."""
    return NotInLibraryError("the conversation, or a part of it, was forgotten or deleted")
