"""Load a document from the library, and check that it is the one that was stored."""

from __future__ import annotations

from collections.abc import Collection

from readagent.core.document import Document
from readagent.errors import NotInLibraryError
from readagent.library.database import Database, Row
from readagent.library.errors import damaged
from readagent.library.pack import from_json, to_json, to_text, unpack_paragraphs, unseal

DOCUMENT = "SELECT id, title, source, words, added, metadata, paragraphs, text FROM documents"
_SALT = "readagent salt"  # its name among the facts


def load(db: Database, document_id: str) -> Document:
    """Return the document exactly as it was added."""
    row = db.row(f"{DOCUMENT} WHERE id = ?", document_id)
    if row is None:
        raise missing(document_id)
    return document_of(db, row)


def load_all(db: Database, names: Collection[str]) -> dict[str, Document]:
    """Return these documents by id."""
    if not names:
        return {}
    rows = db.rows(f"{DOCUMENT} WHERE id IN ({', '.join('?' * len(names))})", *names)
    found = {str(row[0]): document_of(db, row) for row in rows}
    for name in names:
        if name not in found:
            raise missing(name)
    return found


def document_of(db: Database, row: Row) -> Document:
    """Return the document in a row that ``DOCUMENT`` selects."""
    document_id, *beside, metadata, paragraphs, text = row
    title, source = map(to_text, beside[:2])
    facts, salt = from_stored(unseal(metadata, *beside))
    document = Document(to_text(text), unpack_paragraphs(paragraphs), title=title, source=source, salt=salt)
    if document.id != document_id:  # the id is a hash of the text
        raise damaged(db.name, f"the text of document {document_id} has changed")
    return document.with_facts(facts)


def to_stored(document: Document) -> bytes:
    """Return the facts about a document, and its salt, as they are stored."""
    facts = {name: value for name, value in document.facts.items() if name != _SALT}
    return to_json({**facts, **({_SALT: document.salt} if document.salt else {})})


def from_stored(data: bytes) -> tuple[dict[str, str], str]:
    """Return the facts about a document, and its salt."""
    facts = from_json(data, dict[str, str])
    return facts, facts.pop(_SALT, "")


def missing(document_id: str) -> NotInLibraryError:
    """Return the error for an id that no document has."""
    return NotInLibraryError(f"there is no document {document_id} in the library")
