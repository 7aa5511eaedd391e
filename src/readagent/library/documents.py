"""Documents in the library: put in, taken out exactly as they were, listed, removed."""

from __future__ import annotations

from datetime import datetime

from readagent.core.document import Document
from readagent.errors import NotInLibraryError
from readagent.library import search
from readagent.library.pack import from_json, pack_paragraphs, to_bytes, to_json, to_text, unpack_paragraphs
from readagent.library.rows import DocumentRow
from readagent.library.sqlite import Database

_LIST = """
SELECT documents.id, documents.title, documents.source, documents.words, documents.added,
    (SELECT count(*) FROM questions WHERE questions.document = documents.id),
    (SELECT count(*) FROM readings WHERE readings.document = documents.id),
    (SELECT readings.id FROM readings WHERE readings.document = documents.id AND readings.state = 'done'
        ORDER BY readings.finished DESC, readings.id DESC LIMIT 1) AS newest
FROM documents ORDER BY documents.added, documents.id
"""
_PAGES = "SELECT reading, count(*), sum(gist_words) FROM pages GROUP BY reading"


def add(db: Database, document: Document, now: str) -> str:
    """Put a document in; one that is there already only gets the title or source it lacked."""
    name, title, source = document.id, to_bytes(document.title), to_bytes(document.source)
    known = db.row("SELECT title, source FROM documents WHERE id = ?", name)
    if known is None:
        db.rows(
            "INSERT INTO documents (id, title, source, words, added, metadata, paragraphs, text)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
            name,
            title,
            source,
            document.words,
            now,
            to_json(dict(document.metadata)),
            pack_paragraphs(document.paragraphs),
            to_bytes(document.text),
        )
        return name
    if title and not known[0]:
        db.rows("UPDATE documents SET title = ? WHERE id = ? AND title = ?", title, name, b"")
    if source and not known[1]:
        db.rows("UPDATE documents SET source = ? WHERE id = ? AND source = ?", source, name, b"")
    return name


def load(db: Database, document_id: str) -> Document:
    """The document exactly as it was added."""
    row = db.row("SELECT title, source, metadata, paragraphs, text FROM documents WHERE id = ?", document_id)
    if row is None:
        raise missing(document_id)
    title, source, metadata, paragraphs, text = row
    return Document(
        to_text(text),
        unpack_paragraphs(paragraphs),
        title=to_text(title),
        source=to_text(source),
        metadata=from_json(metadata, dict[str, str]),
    )


def listed(db: Database) -> list[DocumentRow]:
    """Every document, the oldest first."""
    with db.transaction(write=False):
        rows = db.rows(_LIST)
        sizes = {reading: (pages, gist_words) for reading, pages, gist_words in db.rows(_PAGES)}
    documents = []
    for name, title, source, words, added, questions, readings, newest in rows:
        pages, gist_words = sizes.get(newest, (0, 0))
        documents.append(
            DocumentRow(
                id=name,
                title=to_text(title),
                source=to_text(source),
                words=words,
                state="done" if newest is not None else "reading" if readings else "added",
                pages=pages,
                gist_words=gist_words,
                questions=questions,
                added=datetime.fromisoformat(added),
            )
        )
    return documents


def remove(db: Database, document_id: str) -> None:
    """Take a document out with its readings, pages, questions and answers."""
    with db.transaction():
        search.forget(db, document_id)
        if not db.rows("DELETE FROM documents WHERE id = ? RETURNING id", document_id):
            raise missing(document_id)


def missing(document_id: str) -> NotInLibraryError:
    """For an id that no document has."""
    return NotInLibraryError(f"there is no document {document_id} in the library")
