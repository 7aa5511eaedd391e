"""Readings in the library: begun, finished with pages and gists, and turned back into a memory."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.plan import Plan
from readagent.core.trace import Fallback, Trace, Usage
from readagent.errors import NotInLibraryError
from readagent.library import documents, search
from readagent.library.pack import from_json, to_bytes, to_json, to_text
from readagent.library.rows import ReadingRow
from readagent.library.sqlite import Database, Row

_COLUMNS = (
    "id, document, key, model, prompts, window_tokens, state, words_read, calls, prompt_tokens, reply_tokens,"
    " cached_tokens, cost, started, finished, fallbacks"
)
_MADE = "id, plan, model, prompts, window_tokens, fallbacks"
_NEWEST = "ORDER BY finished DESC, id DESC LIMIT 1"


def start(
    db: Database, document_id: str, key: str, *, model: str, prompts: str, plan: Plan, window: int | None, now: str
) -> int:
    """A reading begins, or goes on: a document has one reading for each key."""
    with db.transaction():
        if db.row("SELECT 1 FROM documents WHERE id = ?", document_id) is None:
            raise documents.missing(document_id)
        db.rows(
            "INSERT INTO readings (document, key, model, prompts, plan, window_tokens, state, started, fallbacks)"
            " VALUES (?, ?, ?, ?, ?, ?, 'reading', ?, ?) ON CONFLICT (document, key) DO NOTHING",
            document_id,
            key,
            to_bytes(model),
            prompts,
            to_json(plan),
            window,
            now,
            to_json([]),
        )
        return int(db.rows("SELECT id FROM readings WHERE document = ? AND key = ?", document_id, key)[0][0])


def finish(db: Database, reading: int, memory: GistMemory, now: str) -> None:
    """Keep the pages, gists and index of a reading, in the place of what an earlier run had kept."""
    trace, usage, document = memory.trace, memory.trace.usage, memory.document.id
    with db.transaction():
        changed = db.rows(
            "UPDATE readings SET state = 'done', model = ?, prompts = ?, plan = ?, window_tokens = ?, words_read = ?,"
            " calls = ?, prompt_tokens = ?, reply_tokens = ?, cached_tokens = ?, cost = ?, finished = ?, fallbacks = ?"
            " WHERE id = ? AND document = ? RETURNING id",
            to_bytes(memory.model),
            memory.prompts,
            to_json(memory.plan),
            memory.window,
            trace.words_read,
            len(trace.calls),
            usage.prompt_tokens,
            usage.reply_tokens,
            usage.cached_tokens,
            usage.cost,
            now,
            to_json(trace.fallbacks),
            reading,
            document,
        )
        if not changed:
            raise NotInLibraryError("the document was removed from the library while it was read")
        search.forget(db, document)
        db.rows("DELETE FROM pages WHERE reading = ?", reading)
        db.many(
            "INSERT INTO pages (reading, number, start_offset, end_offset, words, gist_words, gist_source, gist)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            _page_rows(reading, memory),
        )
        search.index(db, reading, memory)


def _page_rows(reading: int, memory: GistMemory) -> Iterator[Row]:
    for page, gist in zip(memory.pages, memory.gists, strict=True):
        kept = (gist.words, gist.source, to_bytes(gist.text))
        yield (reading, page.number, page.start, page.end, page.words, *kept)


def memory_of(db: Database, document_id: str, key: str | None) -> GistMemory | None:
    """The memory of the newest finished reading, or of the one with that key."""
    with db.transaction(write=False):
        found = f"SELECT {_MADE} FROM readings WHERE document = ? AND state = 'done'"
        if key is None:
            row = db.row(f"{found} {_NEWEST}", document_id)
        else:
            row = db.row(f"{found} AND key = ?", document_id, key)
        if row is None:
            return None
        reading, plan, model, prompts, window, fallbacks = row
        document = documents.load(db, document_id)
        rows = db.rows(
            "SELECT number, start_offset, end_offset, words, gist, gist_words, gist_source FROM pages"
            " WHERE reading = ? ORDER BY number",
            reading,
        )
    return GistMemory(
        document,
        tuple(Page(*row[:4]) for row in rows),
        tuple(Gist(to_text(text), words, source) for *_, text, words, source in rows),
        from_json(plan, Plan),
        to_text(model),
        prompts,
        window,
        Trace(keep_text=False, fallbacks=from_json(fallbacks, list[Fallback])),
    )


def of_document(db: Database, document_id: str) -> list[ReadingRow]:
    """The readings of a document, the newest first."""
    rows = db.rows(f"SELECT {_COLUMNS} FROM readings WHERE document = ? ORDER BY id DESC", document_id)
    return [_reading(row) for row in rows]


def _reading(row: Row) -> ReadingRow:
    reading, document, key, model, prompts, window, state, words_read, calls, *tokens, started, finished, falls = row
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
        fallbacks=from_json(falls, tuple[Fallback, ...]),
        started=datetime.fromisoformat(started),
        finished=None if finished is None else datetime.fromisoformat(finished),
    )
