"""Documents that grow: a longer text replaces the shorter one that it starts with.

Everything that refers to the shorter document (questions, answers, sources, readings) refers to the longer one
afterwards; offsets stay valid, because the old text is its beginning. Other readings of the document end before the new
text does. They become unfinished, and continue where they end the next time the document is read that way.
"""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.errors import LibraryError, NotInLibraryError
from readagent.library import documents, readings, search, sources
from readagent.library.database import Database
from readagent.library.load import missing
from readagent.library.pack import to_bytes, to_text

# The columns that refer to a document, and with what else they must be unique.
REFERENCES: dict[tuple[str, str], tuple[str, ...]] = {
    ("readings", "document"): ("key",),
    ("questions", "document"): (),
    ("sources", "document"): (),
    ("pinned", "document"): ("task", "start_offset", "end_offset"),
    ("originals", "document"): (),
    ("highlights", "document"): ("start_offset", "end_offset"),
    ("shelf_documents", "document"): ("shelf",),
    ("cards", "document"): (),
    ("successors", "successor"): (),
    ("files", "document"): (),
    ("jobs", "document"): (),
    ("corpus_sources", "document"): (),
}
_UNFINISHED = """
UPDATE readings SET state = 'reading' WHERE document = ? AND id <> ? AND state = 'done'
    AND NOT EXISTS (SELECT 1 FROM pages WHERE pages.reading = readings.id AND pages.end_offset >= ?)
"""


def grow(db: Database, document_id: str | None, memory: GistMemory) -> None:
    """Replace a document with a longer one that starts with it, and store its memory, all or nothing.

    Everything that belonged to the shorter document belongs to the longer one; only new pages are written. Where
    there is no shorter one, ``document_id`` is None. Raise ``NotInLibraryError`` if the shorter document is gone,
    or if there is one after all: another process was faster.
    """
    document, name = memory.document, memory.document.id
    with db.transaction():
        if document_id is None:
            _begin(db, document)
        else:
            _check(db, document_id, document)
        if document_id is not None and document_id != name:
            _replace(db, document_id, name, memory)
        reading = readings.begin(
            db, name, memory.key, model=memory.model, prompts=memory.prompts, plan=memory.plan,
            window=memory.window,
        )  # fmt: skip
        db.rows(_UNFINISHED, name, reading, len(document.text))
        readings.extend(db, reading, name, memory)


def _begin(db: Database, document: Document) -> None:
    """Add a document that has no shorter version; raise if its source has one."""
    known = sources.newest(db, document.source) if document.source else None
    if known is not None:
        raise NotInLibraryError(f"another process has begun {document.title or document.source}")
    documents.put(db, document)


def _check(db: Database, document_id: str, document: Document) -> None:
    row = db.row("SELECT text FROM documents WHERE id = ?", document_id)
    if row is None:
        raise missing(document_id)
    if not to_bytes(document.text).startswith(row[0]):
        raise LibraryError(f"the text that replaces document {document_id} does not start with it")


def _replace(db: Database, document_id: str, name: str, memory: GistMemory) -> None:
    """Replace the shorter document with the longer one, whose id is ``name``, unless that is there already."""
    document = memory.document
    if db.row("SELECT 1 FROM documents WHERE id = ?", name) is None:
        title, source, added = db.rows("SELECT title, source, added FROM documents WHERE id = ?", document_id)[0]
        documents.insert(db, document, (title, source, memory.full_words, added))
    else:
        search.forget(db, document_id)  # readings with a key that the longer document also has are deleted below
    for (table, column), unique in REFERENCES.items():
        same = " AND ".join(f"other.{one} = {table}.{one}" for one in unique)
        free = f" AND NOT EXISTS (SELECT 1 FROM {table} AS other WHERE other.{column} = ? AND {same})" if unique else ""
        db.rows(
            f"UPDATE {table} SET {column} = ? WHERE {column} = ?{free}", name, document_id, *([name] if unique else [])
        )
    db.rows("DELETE FROM documents WHERE id = ?", document_id)
    db.rows(
        "INSERT INTO successors (document, successor) VALUES (?, ?)"
        " ON CONFLICT (document) DO UPDATE SET successor = excluded.successor",
        document_id,
        name,
    )


def successor(db: Database, document_id: str) -> str | None:
    """Return the id of the document that a shorter one, which is gone, has grown into; None if it has not."""
    row = db.row("SELECT successor FROM successors WHERE document = ?", document_id)
    return None if row is None else str(row[0])


def beginning(db: Database, document: Document) -> str | None:
    """Return the id of the newest version at the document's source, if its text is the document's beginning."""
    name = sources.newest(db, document.source) if document.source else None
    row = None if name is None else db.row("SELECT text FROM documents WHERE id = ?", name)
    longer = row is not None and name != document.id and document.text.startswith(to_text(row[0]))
    return name if longer else None


def read_beginning(db: Database, document: Document, keys: Sequence[str]) -> GistMemory | None:
    """Return the memory of the beginning of a document, if that was read with one of these keys, but not the rest.

    It belongs to the document itself, or to an earlier, shorter text at the same source. A document that is new,
    at a new source, has none: that is found out without a transaction.
    """
    if not readings.is_begun(db, beginning(db, document) or document.id):
        return None
    with db.transaction(write=False):
        earlier = beginning(db, document) or document.id
        memories = (readings.with_key(db, earlier, key) for key in keys)
        return next((one for one in memories if one and one.pages and one.pages[-1].end < len(document.text)), None)
