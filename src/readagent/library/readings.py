"""Readings in the library: start them, finish them with pages and gists, and load them as memories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from readagent.core.document import Document
from readagent.core.memory import GistMemory, reading_key, with_gists
from readagent.core.plan import Plan
from readagent.core.trace import Fallback, Trace, Usage
from readagent.errors import NotInLibraryError
from readagent.library import pinned, search
from readagent.library.database import Database, Row, Statement
from readagent.library.errors import damaged
from readagent.library.load import DOCUMENT, document_of, load, missing
from readagent.library.pack import from_json, seal, to_bytes, to_json, to_text, to_time, unseal
from readagent.library.page_rows import COLUMNS, follow_on, from_row, note_figures, to_row
from readagent.library.rows import ReadingRow

STOPPED = "reading"  # the step of the fallback that says why a reading is not finished
_COLUMNS = (
    "id, document, key, model, prompts, window_tokens, state, words_read, calls, prompt_tokens, reply_tokens,"
    " cached_tokens, cost, started, finished, fallbacks, task"
)
_MADE = "id, state, plan, model, prompts, window_tokens, fallbacks"
_NEWEST = "ORDER BY window_tokens IS NOT NULL, finished DESC, id DESC LIMIT 1"  # whole memories before merged ones
_GENERAL = "SELECT 1 FROM readings WHERE document = ? AND state = 'done' AND task = x''"
_WHOLE = "SELECT 1 FROM readings WHERE document = ? AND state = 'done' AND task = ? AND window_tokens IS NULL LIMIT 1"


def start(db: Database, document_id: str, key: str, *, model: str, prompts: str, plan: Plan, window: int | None) -> int:
    """Start a reading, or continue the one with this key, and return its id. A document has one reading per key."""
    with db.transaction(document_id):
        return begin(db, document_id, key, model=model, prompts=prompts, plan=plan, window=window)


def begin(db: Database, document_id: str, key: str, *, model: str, prompts: str, plan: Plan, window: int | None) -> int:
    """Do the same as ``start`` inside a transaction."""
    if db.row("SELECT 1 FROM documents WHERE id = ?", document_id) is None:
        raise missing(document_id)
    begun = db.row(
        "INSERT INTO readings (document, key, model, prompts, plan, window_tokens, state, started, fallbacks, task)"
        " VALUES (?, ?, ?, ?, ?, ?, 'reading', ?, ?, ?) ON CONFLICT (document, key) DO NOTHING RETURNING id",
        document_id,
        key,
        to_bytes(model),
        prompts,
        seal(to_json(plan)),
        window,
        db.now(),
        seal(to_json([])),
        to_bytes(plan.task),
    )
    known = begun or db.rows("SELECT id FROM readings WHERE document = ? AND key = ?", document_id, key)[0]
    if begun is None:  # why it stopped the last time no longer counts
        none = seal(to_json([]))
        db.rows("UPDATE readings SET fallbacks = ? WHERE id = ? AND state = 'reading'", none, known[0])
    return int(known[0])


def settle(db: Database, reading: int, key: str, plan: Plan) -> int:
    """Give a reading that was started the key and plan that it goes on with, and return its id.

    If the document has a reading with that key, which another process began, it takes the place of this one.
    """
    with db.transaction():
        row = db.row("SELECT document FROM readings WHERE id = ?", reading)
        if row is None:  # the document was removed meanwhile, which is noted when the reading is finished
            return reading
        other = db.row("SELECT id FROM readings WHERE document = ? AND key = ? AND id <> ?", row[0], key, reading)
        if other is not None:
            db.rows("DELETE FROM readings WHERE id = ?", reading)
            return int(other[0])
        db.rows("UPDATE readings SET key = ?, plan = ? WHERE id = ?", key, seal(to_json(plan)), reading)
    return reading


def stop(db: Database, reading: int, reason: str) -> None:
    """Note why a reading has stopped before its end. ``start_reading`` continues it."""
    stopped = seal(to_json([Fallback(STOPPED, reason, "unfinished")]))
    with db.transaction():
        db.rows("UPDATE readings SET fallbacks = ? WHERE id = ? AND state = 'reading'", stopped, reading)


def why_stopped(fallbacks: bytes | None) -> str:
    """Return why a reading has stopped, from what is stored of its fallbacks; "" if that is not known."""
    found = [] if fallbacks is None else from_json(unseal(fallbacks), list[Fallback])
    return next((one.reason for one in found if one.step == STOPPED), "")


def finish(db: Database, reading: int, memory: GistMemory) -> None:
    """Store the pages and gists of a reading, and index them; pages from an earlier run are replaced.

    Gists that were pinned during the reading are included. The index holds the general memory of a document, and a
    memory made for a task only if there is no general one.
    """
    document = memory.document.id
    with db.transaction(document):
        memory = with_gists(memory, pinned.of(db, document, task=memory.plan.task))
        changed = db.rows(
            "UPDATE readings SET state = 'done', model = ?, prompts = ?, plan = ?, window_tokens = ?, words_read = ?,"
            " calls = ?, prompt_tokens = ?, reply_tokens = ?, cached_tokens = ?, cost = ?, finished = ?, fallbacks = ?,"
            " task = ? WHERE id = ? AND document = ? RETURNING id",
            to_bytes(memory.model),
            memory.prompts,
            seal(to_json(memory.plan)),
            memory.window,
            *_spent(memory.trace),
            db.now(),
            seal(to_json(memory.trace.fallbacks)),
            to_bytes(memory.plan.task),
            reading,
            document,
        )
        if not changed:
            raise NotInLibraryError("the document was removed from the library while it was being read")
        _put_pages(db, reading, document, memory)


def prefer(db: Database, memory: GistMemory) -> None:
    """Make the reading of a memory the newest one of its document and task, as if it had been finished now."""
    document, task = memory.document.id, to_bytes(memory.plan.task)
    with db.transaction(document):
        newest = f"SELECT key FROM readings WHERE document = ? AND task = ? AND state = 'done' {_NEWEST}"
        if db.row(newest, document, task) == (memory.key,):
            return
        known = "UPDATE readings SET finished = ? WHERE document = ? AND key = ? AND state = 'done' RETURNING id"
        if db.rows(known, db.now(), document, memory.key):
            search.reindex(db, document)


def extend(db: Database, reading: int, document_id: str, memory: GistMemory) -> None:
    """Store a memory that has grown, and add its calls and tokens to those of the reading. Call it in a transaction."""
    known = from_json(unseal(db.rows("SELECT fallbacks FROM readings WHERE id = ?", reading)[0][0]), list[Fallback])
    _add(db, reading, document_id, memory, [*known, *memory.trace.fallbacks])


def update(db: Database, memory: GistMemory) -> None:
    """Store new gists and fallbacks of a finished reading, and add the calls and tokens of the memory's trace to it."""
    document = memory.document.id
    with db.transaction(document):
        row = db.row("SELECT id FROM readings WHERE document = ? AND key = ?", document, memory.key)
        if row is None:
            raise NotInLibraryError("the document was removed from the library while it was being read")
        _add(db, int(row[0]), document, memory, memory.trace.fallbacks)


def _add(db: Database, reading: int, document_id: str, memory: GistMemory, fallbacks: list[Fallback]) -> None:
    memory = with_gists(memory, pinned.of(db, document_id, task=memory.plan.task))
    db.rows(
        "UPDATE readings SET state = 'done', plan = ?, finished = ?, fallbacks = ?, words_read = words_read + ?,"
        " calls = calls + ?, prompt_tokens = prompt_tokens + ?, reply_tokens = reply_tokens + ?,"
        " cached_tokens = cached_tokens + ?, cost = CASE WHEN calls = 0 THEN 0 ELSE cost END + ? WHERE id = ?",
        seal(to_json(memory.plan)),
        db.now(),
        seal(to_json(fallbacks)),
        *_spent(memory.trace),
        reading,
    )
    _put_pages(db, reading, document_id, memory)


def _spent(trace: Trace) -> Row:
    """Return the words read, the calls, the tokens and the cost."""
    usage = trace.usage
    tokens = (usage.prompt_tokens, usage.reply_tokens, usage.cached_tokens)
    return trace.words_read, len(trace.calls), *tokens, usage.cost


def _put_pages(db: Database, reading: int, document: str, memory: GistMemory) -> None:
    """Store and index the pages and gists; the leading ones that are already stored are not written again."""
    rows = list(_page_rows(reading, memory))
    kept = db.rows(f"SELECT reading, {COLUMNS} FROM pages WHERE reading = ? ORDER BY number", reading)
    same = next((i for i, (a, b) in enumerate(zip(kept, rows, strict=False)) if a != b), min(len(kept), len(rows)))
    general = not memory.plan.task or db.row(f"{_GENERAL} LIMIT 1", document) is None
    indexable = general and (memory.window is None or db.row(_WHOLE, document, to_bytes(memory.plan.task)) is None)
    found = same if same and indexable and search.has(db, reading) else 0
    search.forget(db, document, reading if found or not indexable else None, found)
    for table in ("pages", "levels") if kept else ():
        db.rows(f"DELETE FROM {table} WHERE reading = ? AND number >= ?", reading, same)
    db.many(f"INSERT INTO pages (reading, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows[same:])
    note_figures(db, reading)
    if indexable:
        search.index(db, reading, memory.document.text, found)


def _page_rows(reading: int, memory: GistMemory) -> Iterator[Row]:
    for page, gist in zip(memory.pages, memory.gists, strict=True):
        yield (reading, *to_row(page, gist))


def memory_of(
    db: Database, document_id: str, *, key: str | Sequence[str] | None = None, task: str = ""
) -> GistMemory | None:
    """Return the memory of the newest finished general reading, or of the newest one for this task, or None.

    With ``key``, return that of the reading with this key, whatever its task. Of several keys, the first counts
    that a finished reading has.
    """
    keys = [key] if isinstance(key, str) else key
    which, *those = (f"task = ? {_NEWEST}", to_bytes(task)) if keys is None else _first_of(keys)
    chosen = f"FROM readings WHERE document = ? AND state = 'done' AND {which}"
    values = (document_id, *those)
    readings, documents, pages = db.batch(
        [
            (f"SELECT {_MADE} {chosen}", *values),
            (f"{DOCUMENT} WHERE id = (SELECT document {chosen})", *values),
            (f"SELECT {COLUMNS} FROM pages WHERE reading = (SELECT id {chosen}) ORDER BY number", *values),
        ],
        write=False,
    )
    return _memory(db, readings[0], document_of(db, documents[0]), pages) if readings else None


def _first_of(keys: Sequence[str]) -> Statement:
    """Return the condition, with its values, for the reading with the first of these keys that one has."""
    if not keys:
        return ("1 = 0",)
    order = " ".join(f"WHEN ? THEN {number}" for number in range(len(keys)))
    return f"key IN ({', '.join('?' * len(keys))}) ORDER BY CASE key {order} END LIMIT 1", *keys, *keys


def is_begun(db: Database, document_id: str) -> bool:
    """Return whether the reading of a document was begun, with any key."""
    return db.row("SELECT 1 FROM readings WHERE document = ? LIMIT 1", document_id) is not None


def with_key(db: Database, document_id: str, key: str) -> GistMemory | None:
    """Return what is stored of the reading with this key, finished or not. Call it in a transaction."""
    row = db.row(f"SELECT {_MADE} FROM readings WHERE document = ? AND key = ?", document_id, key)
    return None if row is None else _loaded(db, document_id, row)


def spans(db: Database, document_id: str, key: str) -> list[tuple[int, int]] | None:
    """Return where the pages of a reading start and end; of one that was merged to fit a window, those of the whole."""
    row = db.row(f"SELECT {_MADE} FROM readings WHERE document = ? AND key = ?", document_id, key)
    if row is None:
        return None
    number, _, plan, model, prompts, window, _ = row
    if window is not None:
        return spans(db, document_id, reading_key(_plan(plan), prompts, to_text(model)))
    rows = db.rows("SELECT start_offset, end_offset FROM pages WHERE reading = ? ORDER BY number", number)
    return [(start, end) for start, end in rows]


def _plan(sealed: bytes) -> Plan:
    return from_json(unseal(sealed), Plan)


def _loaded(db: Database, document_id: str, row: Row) -> GistMemory:
    pages = db.rows(f"SELECT {COLUMNS} FROM pages WHERE reading = ? ORDER BY number", row[0])
    return _memory(db, row, load(db, document_id), pages)


def _memory(db: Database, row: Row, document: Document, rows: list[Row]) -> GistMemory:
    """Return the memory of a reading with the columns ``_MADE`` and these pages."""
    _, state, plan, model, prompts, window, fallbacks = row
    kept = list(map(from_row, rows))
    pages, gists = tuple(page for page, _ in kept), tuple(gist for _, gist in kept)
    if not follow_on(pages, len(document.text), complete=state == "done"):
        raise damaged(db.name, f"pages of document {document.id} are missing or do not match its text")
    return GistMemory(
        document,
        pages,
        gists,
        _plan(plan),
        to_text(model),
        prompts,
        window,
        Trace(keep_text=False, fallbacks=from_json(unseal(fallbacks), list[Fallback])),
    )


def plans(db: Database, document_id: str, model: str, prompts: Sequence[str], *, finished: bool = False) -> list[Plan]:
    """Return the plans with which this model started reading a document.

    They are sorted by ``prompts``, the fingerprints of prompts, and then the newest first. With ``finished``,
    return only those of readings that are complete.
    """
    complete = " AND state = 'done'" if finished else ""
    rows = db.rows(
        "SELECT prompts, plan FROM readings WHERE document = ? AND model = ? AND window_tokens IS NULL"
        f" AND prompts IN {db.json_list}{complete} ORDER BY id DESC",
        document_id,
        to_bytes(model),
        to_json(prompts).decode(),
    )
    return [_plan(plan) for _, plan in sorted(rows, key=lambda row: prompts.index(row[0]))]


def of_document(db: Database, document_id: str) -> list[ReadingRow]:
    """Return the readings of a document, newest first."""
    rows = db.rows(f"SELECT {_COLUMNS} FROM readings WHERE document = ? ORDER BY id DESC", document_id)
    return [_reading(row) for row in rows]


def _reading(row: Row) -> ReadingRow:
    reading, document, key, model, prompts, window, state, words_read, calls, *tokens, started, finished = row[:-2]
    falls, task = row[-2:]
    return ReadingRow(
        id=reading,
        document=document,
        key=key,
        model=to_text(model),
        prompts=prompts,
        window=window,
        state=state,
        words_read=words_read,
        calls=calls,
        usage=Usage(*tokens),
        fallbacks=from_json(unseal(falls), tuple[Fallback, ...]),
        started=to_time(started),
        finished=None if finished is None else to_time(finished),
        task=to_text(task),
    )
