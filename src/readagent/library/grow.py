"""Documents that grow: a longer text replaces the shorter one that it starts with.

Everything that refers to the shorter document (questions, answers, sources, readings) refers to the longer one
afterwards; offsets stay valid, because the old text is its beginning. Other readings of the document end before the new
text does. They become unfinished, and continue where they end the next time the document is read that way.
"""

from __future__ import annotations

from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.errors import LibraryError
from readagent.library import readings, search, sources
from readagent.library.load import missing
from readagent.library.pack import pack_paragraphs, seal, to_bytes, to_json, to_text
from readagent.library.sqlite import Database

_REFERENCES = """
SELECT tables.name, keys."from" FROM sqlite_master AS tables, pragma_foreign_key_list(tables.name) AS keys
WHERE tables.type = 'table' AND keys."table" = 'documents'
"""
_UNFINISHED = """
UPDATE readings SET state = 'reading' WHERE document = ? AND id <> ? AND state = 'done'
    AND NOT EXISTS (SELECT 1 FROM pages WHERE pages.reading = readings.id AND pages.end_offset >= ?)
"""


def grow(db: Database, document_id: str, memory: GistMemory, now: str) -> None:
    """Replace the shorter document and its memory with a memory that has grown, all or nothing."""
    document, name = memory.document, memory.document.id
    with db.transaction():
        row = db.row("SELECT text FROM documents WHERE id = ?", document_id)
        if row is None:
            raise missing(document_id)
        if not to_bytes(document.text).startswith(row[0]):
            raise LibraryError(f"the text that replaces document {document_id} does not start with it")
        if name != document_id:
            _replace(db, document_id, name, memory)
        reading = readings.begin(
            db, name, memory.key, model=memory.model, prompts=memory.prompts, plan=memory.plan,
            window=memory.window, now=now,
        )  # fmt: skip
        db.rows(_UNFINISHED, name, reading, len(document.text))
        readings.extend(db, reading, name, memory, now)


def _replace(db: Database, document_id: str, name: str, memory: GistMemory) -> None:
    """Replace the shorter document with the longer one, whose id is ``name``, unless that is there already."""
    document = memory.document
    if db.row("SELECT 1 FROM documents WHERE id = ?", name) is None:
        title, source, added = db.rows("SELECT title, source, added FROM documents WHERE id = ?", document_id)[0]
        beside = (title, source, memory.full_words, added)
        db.rows(
            "INSERT INTO documents (id, title, source, words, added, metadata, paragraphs, text)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            name,
            *beside,
            seal(to_json(document.facts), *beside),
            pack_paragraphs(document.paragraphs),
            to_bytes(document.text),
        )
    else:
        search.forget(db, document_id)  # readings with a key that the longer document also has are deleted below
    for table, column in db.rows(_REFERENCES):
        db.rows(f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE "{column}" = ?', name, document_id)
    db.rows("DELETE FROM documents WHERE id = ?", document_id)


def beginning(db: Database, document: Document) -> str | None:
    """Return the id of the newest version at this document's source, if its text is the beginning of this one."""
    name = sources.newest(db, to_bytes(document.source)) if document.source else None
    row = None if name is None else db.row("SELECT text FROM documents WHERE id = ?", name)
    longer = row is not None and name != document.id and document.text.startswith(to_text(row[0]))
    return name if longer else None


def begun(db: Database, document: Document, key: str) -> GistMemory | None:
    """Return the memory of the beginning of a document, if that was read with this key and the rest was not."""
    with db.transaction(write=False):
        memory = readings.with_key(db, beginning(db, document) or document.id, key)
    return memory if memory is not None and memory.pages and memory.pages[-1].end < len(document.text) else None
