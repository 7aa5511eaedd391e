"""Load a document from the library, and check that it is the one that was stored."""

from __future__ import annotations

from readagent.core.document import Document
from readagent.errors import NotInLibraryError
from readagent.library.errors import damaged
from readagent.library.pack import from_json, to_text, unpack_paragraphs, unseal
from readagent.library.sqlite import Database


def load(db: Database, document_id: str) -> Document:
    """Return the document exactly as it was added."""
    row = db.row(
        "SELECT title, source, words, added, metadata, paragraphs, text FROM documents WHERE id = ?", document_id
    )
    if row is None:
        raise missing(document_id)
    *beside, metadata, paragraphs, text = row
    title, source = map(to_text, beside[:2])
    document = Document(to_text(text), unpack_paragraphs(paragraphs), title=title, source=source)
    if document.id != document_id:  # the id is a hash of the text
        raise damaged(db.path, f"the text of document {document_id} has changed")
    return document.with_facts(from_json(unseal(metadata, *beside), dict[str, str]))


def missing(document_id: str) -> NotInLibraryError:
    """Return the error for an id that no document has."""
    return NotInLibraryError(f"there is no document {document_id} in the library")
