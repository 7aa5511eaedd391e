"""The trash: documents and answers that were removed, and can be restored for some time.

What is removed leaves all tables, so that nothing else has to know of it. Its rows are packed into one row of the
trash; to restore it is to insert them again. Conversations are not kept: what is forgotten there is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from readagent.errors import NotInLibraryError, UsageError
from readagent.library import answers, documents, grow, search
from readagent.library.database import Database, Row
from readagent.library.load import missing
from readagent.library.pack import pack_rows, seal, to_bytes, to_text, to_time, unpack_rows, unseal
from readagent.library.rows import TERM, Removed, RemovedKind
from readagent.library.shelves import Shelves
from readagent.library.upkeep.tables import REFERENCES, TABLES, Reference, Table

Content = dict[str, list[list[Any]]]  # of each table the names of its columns, which may have more today, and rows

_ROOTS = {"document": "documents", "answer": "questions"}
_AT_ONCE = 500  # values in one statement
_OF_CORPORA = "corpus_sources"  # the rows that name a document stay; in the trash are their ids


def remove_document(db: Database, document_id: str) -> int | None:
    """Move a document with its readings, questions and answers to the trash; return the number that it has there.

    Cached replies stay, so that rereading is free. A conversation is deleted, and None returned.
    """
    with db.transaction():
        row = documents.row(db, document_id)
        if row is None:
            raise missing(document_id)
        kept = None
        if row.source.startswith(documents.SOURCE):
            documents.note(db, document_id)
        else:
            kept = _keep(db, "document", document_id, document_id, row.name)
        search.forget(db, document_id)
        db.rows("DELETE FROM documents WHERE id = ?", document_id)
        return kept


def remove_answer(db: Database, answer_id: int) -> int | None:
    """Move an answer and its question to the trash; return the number that it has there, see ``remove_document``."""
    question = (
        "SELECT questions.id, questions.document FROM answers JOIN questions ON questions.id = answers.question"
        " WHERE answers.id = ?"
    )
    with db.transaction():
        row = db.row(question, answer_id)
        if row is None:
            raise NotInLibraryError(f"there is no answer {answer_id} in the library")
        number, document = row
        if document is None:
            from_shelf = Shelves(db).answer(answer_id).answer
            asked, about = from_shelf.question, {card.document for card in from_shelf.documents}
        else:
            asked, about = answers.kept_answer(db, answer_id).question, {document}
        is_conversation = any(_is_conversation(db, one) for one in about)
        kept = None if is_conversation else _keep(db, "answer", number, document or "", asked.text)
        db.rows("DELETE FROM questions WHERE id = ?", number)
        return kept


def _is_conversation(db: Database, document_id: str) -> bool:
    source = db.row("SELECT source FROM documents WHERE id = ?", document_id)
    return source is not None and to_text(source[0]).startswith(documents.SOURCE)


def listed(db: Database) -> list[Removed]:
    """Return what is in the trash and can still be restored, the last removed first."""
    kept = "SELECT id, kind, document, name, removed FROM trash WHERE removed > ? ORDER BY id DESC"
    return [_removed(*row) for row in db.rows(kept, _oldest(db))]


def restore(db: Database, number: int) -> Removed:
    """Put something from the trash back as it was, and return what it was.

    Raise UsageError if that is not possible: the document is in the library again, or that of an answer is not.
    """
    with db.transaction():
        row = db.row("SELECT id, kind, document, name, removed, content FROM trash WHERE id = ?", number)
        if row is None:
            raise _missing(number)
        found, content = _removed(*row[:5]), unpack_rows(row[5])
        there = db.row("SELECT 1 FROM documents WHERE id = ?", found.document) is not None
        if found.kind == "document":
            if there:
                hint = "remove that one first, or leave this one in the trash"
                raise UsageError(f"{found.name!r} is in the library again", hint=hint)
        elif not found.document:
            _require_shelf(db, content)
        elif not there:
            _let_grow(db, found.document, content)
        _Restoring(db, content).insert()
        if found.kind == "document":
            search.reindex(db, found.document)
            Shelves(db).index_cards(found.document)
        db.rows("DELETE FROM trash WHERE id = ?", number)
    return found


def empty(db: Database, number: int | None = None) -> int:
    """Delete everything that is in the trash, or one thing, for good; return how many things that were."""
    only = "" if number is None else " WHERE id = ?"
    with db.transaction():
        gone = len(db.rows(f"DELETE FROM trash{only} RETURNING id", *([] if number is None else [number])))
    if number is not None and not gone:
        raise _missing(number)
    return gone


def expire(db: Database) -> None:
    """Delete what has been in the trash for longer than its term."""
    if db.row("SELECT 1 FROM trash WHERE removed <= ? LIMIT 1", _oldest(db)) is not None:
        db.rows("DELETE FROM trash WHERE removed <= ?", _oldest(db))


def _oldest(db: Database) -> str:
    return (to_time(db.now()) - TERM).isoformat(timespec="microseconds")


def _removed(number: int, kind: RemovedKind, document: str, name: bytes, removed: str) -> Removed:
    return Removed(number, kind, document, to_text(unseal(name, removed)), to_time(removed))


def _missing(number: int) -> NotInLibraryError:
    return NotInLibraryError(f"there is nothing with the number {number} in the trash")


def _keep(db: Database, kind: RemovedKind, key: str | int, document: str, name: str) -> int:
    """Pack the rows of a document or a question into the trash, which those go from whose term is over."""
    expire(db)
    content, now = _collected(db, _ROOTS[kind], key), db.now()
    if kind == "document":
        named = db.rows(f"SELECT id FROM {_OF_CORPORA} WHERE document = ?", key)
        content[_OF_CORPORA] = [["id"], *map(list, named)]
    insert = "INSERT INTO trash (kind, document, removed, name, content) VALUES (?, ?, ?, ?, ?) RETURNING id"
    return int(db.rows(insert, kind, document, now, seal(to_bytes(name), now), pack_rows(content))[0][0])


def _collected(db: Database, root: str, key: str | int) -> Content:
    """Return a row, and all rows that go with it when it is deleted; jobs only if they have made something."""
    found = dict[str, list[Row]]()
    for table in TABLES:
        if table.name == root:
            found[root] = db.rows(f"SELECT {table.columns} FROM {root} WHERE {table.key} = ?", key)
            continue
        rows = dict[Row, None]()
        for one in REFERENCES:
            if one.table == table.name and one.owns and one.parent in found:
                at = _column(one.parent, one.to)
                rows |= dict.fromkeys(_referring(db, table, one.column, [row[at] for row in found[one.parent]]))
        if rows:
            found[table.name] = list(rows)
    return {one.name: [one.columns.split(", "), *map(list, found[one.name])] for one in TABLES if one.name in found}


def _referring(db: Database, table: Table, column: str, values: Sequence[Any]) -> Iterable[Row]:
    only = " AND kind = 'overview' AND state = 'done'" if table.name == "jobs" else ""
    for at in range(0, len(values), _AT_ONCE):
        some = values[at : at + _AT_ONCE]
        marks = ", ".join("?" * len(some))
        yield from db.rows(f"SELECT {table.columns} FROM {table.name} WHERE {column} IN ({marks}){only}", *some)


def _column(table: str, column: str) -> int:
    return next(one for one in TABLES if one.name == table).columns.split(", ").index(column)


def _let_grow(db: Database, document_id: str, content: Content) -> None:
    """Let a question that was about a shorter document be about the one that this has grown into."""
    longer = grow.successor(db, document_id)
    if longer is None:
        raise UsageError("the document of this answer is not in the library", hint="restore the document first")
    names, question = content["questions"]
    question[names.index("document")] = longer


def _require_shelf(db: Database, content: Content) -> None:
    names, question = content["questions"]
    if db.row("SELECT 1 FROM shelves WHERE id = ?", question[names.index("shelf")]) is None:
        raise UsageError("the shelf of this answer was removed", hint="delete the answer from the trash")


class _Restoring:
    """Inserts rows again. One whose id was given to another meanwhile, as in a copy, gets a new one."""

    def __init__(self, db: Database, content: Content) -> None:
        self._db, self._content = db, content
        self._new_ids: dict[str, dict[Any, Any]] = {}

    def insert(self) -> None:
        """Insert the rows of all tables, those that others refer to first."""
        for table in TABLES:
            names, *rows = self._content.get(table.name, [[]])
            if table.name == _OF_CORPORA:
                self._name_in_corpora([row[0] for row in rows])
            elif table.name == "sources":
                self._insert_sources(rows)
            elif rows:
                own = (one for one in REFERENCES if one.table == table.name and one.column in names)
                named = [(names.index(one.column), one) for one in own]
                self._insert(table, names, [row for row in rows if self._refers(row, named)])

    def _refers(self, row: list[Any], named: Sequence[tuple[int, Reference]]) -> bool:
        """Let a row name what there is now; return whether all that it belongs to is there."""
        for at, one in named:
            row[at] = self._new_ids.get(one.parent, {}).get(row[at], row[at])
            if row[at] is None or (one.parent in self._content and one.owns) or self._is_there(one, row[at]):
                continue
            if one.owns:
                return False
            row[at] = None
        return True

    def _is_there(self, one: Reference, value: Any) -> bool:
        return self._db.row(f"SELECT 1 FROM {one.parent} WHERE {one.to} = ?", value) is not None

    def _insert(self, table: Table, names: Sequence[str], rows: list[list[Any]]) -> None:
        insert = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
        taken = set[Any]()
        if table.numbered:
            ids = [row[0] for row in rows]
            taken = {row[0] for row in _referring(self._db, table, "id", ids)}
            self._db.keep_ids(table.name, max(ids, default=0))
        self._db.many(f"{insert} ON CONFLICT DO NOTHING", [tuple(row) for row in rows if row[0] not in taken])
        marks = ", ".join("?" * (len(names) - 1))
        for row in (row for row in rows if row[0] in taken):
            fresh = f"INSERT INTO {table.name} ({', '.join(names[1:])}) VALUES ({marks}) RETURNING id"
            self._new_ids.setdefault(table.name, {})[row[0]] = self._db.rows(fresh, *row[1:])[0][0]

    def _insert_sources(self, rows: list[list[Any]]) -> None:
        """Insert versions of sources; where a number was given again, all are numbered in the order of their times."""
        for row in rows:
            known = self._db.rows("SELECT source, version, document, seen FROM sources WHERE source = ?", row[0])
            versions = [*known, tuple(row)]
            if any(one[1] == row[1] for one in known):
                versions.sort(key=lambda one: one[3])
                versions = [(one[0], number, *one[2:]) for number, one in enumerate(versions, 1)]
            self._db.rows("DELETE FROM sources WHERE source = ?", row[0])
            self._db.many("INSERT INTO sources (source, version, document, seen) VALUES (?, ?, ?, ?)", versions)

    def _name_in_corpora(self, sources: Sequence[int]) -> None:
        if sources:
            _, document = self._content["documents"]
            named = f"UPDATE {_OF_CORPORA} SET document = ? WHERE id = ? AND document IS NULL"
            self._db.many(named, [(document[0], number) for number in sources])
