"""Documents in the library: add, list and forget them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from readagent.core.document import Document
from readagent.errors import NotInLibraryError
from readagent.library import pinned, sources
from readagent.library.database import Database
from readagent.library.load import from_stored, to_stored
from readagent.library.pack import pack_paragraphs, seal, to_bytes, to_text, to_time, unseal
from readagent.library.readings import why_stopped
from readagent.library.resolve import resolve
from readagent.library.rows import DocumentRow

# In each query, ``only`` limits it to one document, found by an index.
_LIST = """
SELECT documents.id, documents.title, documents.source, documents.words, documents.added, documents.metadata,
    (SELECT count(*) FROM questions WHERE questions.document = documents.id),
    (SELECT count(*) FROM readings WHERE readings.document = documents.id AND readings.task = x''),
    (SELECT count(*) FROM readings WHERE readings.document = documents.id AND readings.task = x''
        AND readings.state = 'reading' AND readings.window_tokens IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM readings AS merged WHERE merged.document = documents.id AND merged.state = 'done'
            AND merged.window_tokens IS NOT NULL)) AS unmerged,
    (SELECT readings.fallbacks FROM readings WHERE readings.document = documents.id AND readings.state = 'reading'
        AND readings.task = x'' AND readings.window_tokens IS NULL ORDER BY readings.id DESC LIMIT 1) AS fallbacks,
    newest.page_count, newest.gist_words, newest.lead_gists
FROM documents LEFT JOIN readings AS newest ON newest.id = (
    SELECT readings.id FROM readings WHERE readings.document = documents.id AND readings.state = 'done'
    AND readings.task = x'' ORDER BY readings.window_tokens IS NOT NULL, readings.finished DESC, readings.id DESC
    LIMIT 1)
{only} ORDER BY documents.added, documents.id
"""
_TASKS = """
SELECT document, task FROM readings WHERE state = 'done' AND task <> x'' {only}
GROUP BY document, task ORDER BY max(finished) DESC, max(id) DESC
"""
_MARK = """
SELECT (SELECT count(*) FROM documents), (SELECT max(added) FROM documents), (SELECT count(*) FROM readings),
    (SELECT max(finished) FROM readings), (SELECT max(id) FROM readings), (SELECT count(*) FROM questions),
    (SELECT max(id) FROM questions), (SELECT count(*) FROM pinned), (SELECT max(pinned) FROM pinned),
    (SELECT count(*) FROM shelves), (SELECT count(*) FROM shelf_documents), (SELECT max(added) FROM shelf_documents)
"""
_KNOWN = """
SELECT documents.title, documents.source, sources.document
FROM documents LEFT JOIN sources ON sources.source = ? WHERE documents.id = ? ORDER BY sources.version
"""


def add(db: Database, document: Document, *, current: bool = False) -> str:
    """Add a document and return its id. One that is there already only gets a title or source that it lacked.

    A text that is new at its source becomes the newest version there. With ``current`` it becomes the newest
    version even if the source held it before.
    """
    name, title, source = document.id, to_bytes(document.title), to_bytes(document.source)
    rows = db.rows(_KNOWN, source, name)
    complete = bool(rows) and (rows[0][0] or not title) and (rows[0][1] or not source)
    if complete and (not source or sources.is_among(name, [row[2] for row in rows], current=current)):
        return name
    with db.transaction(name, *([source] if source else [])):
        put(db, document, current=current)
    return name


def put(db: Database, document: Document, *, current: bool = False) -> None:
    """Do the same as ``add`` inside a transaction."""
    name, title, source = document.id, to_bytes(document.title), to_bytes(document.source)
    known = db.row("SELECT title, source FROM documents WHERE id = ?", name)
    if known is None:
        check(db, document)
        insert(db, document, (title, source, document.words, db.now()))
        if (before := sources.newest(db, document.source)) is not None:
            pinned.carry_over(db, before, document)
    elif (title and not known[0]) or (source and not known[1]):
        _complete(db, name, title, source)
    if source:
        sources.note(db, source, name, current=current)


def insert(db: Database, document: Document, about: tuple[bytes, bytes, int, str]) -> None:
    """Insert a document with this title, source, number of words and time. Call it in a transaction."""
    db.rows(
        "INSERT INTO documents (id, title, source, words, added, metadata, paragraphs, text)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        document.id,
        *about,
        seal(to_stored(document), *about),
        pack_paragraphs(document.paragraphs),
        to_bytes(document.text),
    )


def _complete(db: Database, document_id: str, title: bytes, source: bytes) -> None:
    """Give a document the title or the source that it lacks."""
    row = db.rows("SELECT title, source, words, added, metadata FROM documents WHERE id = ?", document_id)[0]
    facts = unseal(row[4], *row[:4])
    beside = (row[0] or title, row[1] or source, *row[2:4])
    db.rows(
        "UPDATE documents SET title = ?, source = ?, metadata = ? WHERE id = ?",
        *beside[:2],
        seal(facts, *beside),
        document_id,
    )


def describe(db: Database, document: Document) -> None:
    """Give a document that is in the library the title and the metadata of this one."""
    with db.transaction(document.id):
        row = db.row("SELECT title, source, words, added, metadata FROM documents WHERE id = ?", document.id)
        if row is None:
            return
        facts, _ = from_stored(unseal(row[4], *row[:4]))
        title, known = to_bytes(document.title), replace(document, metadata={}).with_facts(facts)
        if (title, document.metadata) == (row[0], known.metadata):
            return
        beside = (title, *row[1:4])
        db.rows(
            "UPDATE documents SET title = ?, metadata = ? WHERE id = ?",
            title,
            seal(to_stored(replace(known, metadata=document.metadata)), *beside),
            document.id,
        )


def listed(db: Database) -> list[DocumentRow]:
    """Return every document, oldest first."""
    return _listed(db, None)


def mark(db: Database) -> str:
    """Return a text that changes when documents, readings, questions, pinned gists or shelves are added or removed."""
    return repr(db.row(_MARK))


def row(db: Database, document_id: str) -> DocumentRow | None:
    """Return the row of one document, or None."""
    return next(iter(_listed(db, document_id)), None)


def find(db: Database, name: str) -> DocumentRow:
    """Return the document with this id (four characters of it are enough), path, address, file name or title.

    Of several versions the newest is returned; use its id for an older one.
    """
    return resolve(name, listed(db))


def _listed(db: Database, only: str | None) -> list[DocumentRow]:
    one = () if only is None else (only,)
    rows, done, places = db.batch(
        [
            (_LIST.format(only="WHERE documents.id = ?" if one else ""), *one),
            (_TASKS.format(only="AND document = ?" if one else ""), *one),
            sources.versions(only),
        ],
        write=False,
    )
    locations = sources.Locations(places)
    tasks: defaultdict[str, list[str]] = defaultdict(list)
    for document, task in done:
        tasks[document].append(to_text(task))
    documents = []
    for name, title, source, words, added, metadata, questions, readings, unmerged, falls, *figures in rows:
        read = figures[0] is not None
        count, gist_words, leads = figures if read else (0, 0, 0)
        documents.append(
            DocumentRow(
                id=name,
                title=to_text(title),
                source=to_text(source),
                words=words,
                state="done" if read else "reading" if readings else "added",
                pages=count,
                gist_words=gist_words,
                questions=questions,
                added=to_time(added),
                metadata=from_stored(unseal(metadata, title, source, words, added))[0],
                version=locations.version(name, source),
                locations=locations.of(name),
                tasks=tuple(tasks[name]),
                leads=leads,
                unmerged=bool(unmerged),
                stopped="" if read else why_stopped(falls),
            )
        )
    return documents


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
