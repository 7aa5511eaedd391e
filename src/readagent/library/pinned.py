"""The fixed gists of a document: which pages have one, and what of them a new version of the document takes over.

A page is known by its span. Those of one document and task never overlap: of two that would, the newer one stays.
"""

from __future__ import annotations

from readagent.core.document import Document
from readagent.core.gists.pinning import Span
from readagent.core.memory import Gist
from readagent.library.pack import from_json, to_bytes, to_json, to_text
from readagent.library.sqlite import Database

_ONE = "document = ? AND task = ? AND start_offset = ? AND end_offset = ?"


def of(db: Database, document_id: str, task: str) -> dict[Span, Gist]:
    """The fixed gists by the spans of their pages, in the order of the text."""
    rows = db.rows(
        "SELECT start_offset, end_offset, gist, gist_words, gist_origin FROM pinned WHERE document = ? AND task = ?"
        " ORDER BY start_offset",
        document_id,
        to_bytes(task),
    )
    return {(start, end): Gist(to_text(gist), words, source) for start, end, gist, words, source in rows}


def before(db: Database, document_id: str, task: str, span: Span) -> Gist | None:
    """The gist that this page had before it was fixed; None where it is not."""
    row = db.row(f"SELECT made FROM pinned WHERE {_ONE}", document_id, to_bytes(task), *span)
    return None if row is None else from_json(row[0], Gist)


def keep(db: Database, document_id: str, task: str, span: Span, gist: Gist, made: Gist, now: str) -> None:
    """Put down a fixed gist, and the one that the page had before; belongs inside a transaction."""
    where = (document_id, to_bytes(task))
    overlapping = "DELETE FROM pinned WHERE document = ? AND task = ? AND start_offset < ? AND end_offset > ?"
    db.rows(overlapping, *where, span[1], span[0])
    db.rows(
        "INSERT INTO pinned (document, task, start_offset, end_offset, gist_words, gist_origin, pinned, gist, made)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *where,
        *span,
        gist.words,
        gist.origin,
        now,
        to_bytes(gist.text),
        to_json(made),
    )


def let_go(db: Database, document_id: str, task: str, span: Span) -> None:
    """Forget that the gist of this page is fixed."""
    db.rows(f"DELETE FROM pinned WHERE {_ONE}", document_id, to_bytes(task), *span)


def take_over(db: Database, earlier: str, document: Document, now: str) -> None:
    """Fix in a new version what was fixed in an earlier one, where exactly the same words stand in it, once.

    It belongs into the transaction in which the new version is put in, before anything of it is read.
    """
    rows = db.rows(
        "SELECT pinned.task, pinned.start_offset, pinned.end_offset, pinned.gist, pinned.gist_words,"
        " pinned.gist_origin, pinned.made, documents.text"
        " FROM pinned JOIN documents ON documents.id = pinned.document WHERE documents.id = ?"
        " ORDER BY pinned.task, pinned.start_offset",
        earlier,
    )
    taken: list[tuple[bytes, Span]] = []
    for task, start, end, gist, words, source, made, text in rows:
        span = _only_place(to_text(text)[start:end].strip(), document.text)
        if span is None or any(task == one and a < span[1] and b > span[0] for one, (a, b) in taken):
            continue
        kept = Gist(to_text(gist), words, source)
        keep(db, document.id, to_text(task), span, kept, from_json(made, Gist), now)
        taken.append((task, span))


def _only_place(words: str, text: str) -> Span | None:
    """Where these words stand in a text, the white space behind them included; None if nowhere, or twice."""
    start = text.find(words)
    if start < 0 or text.find(words, start + 1) >= 0:
        return None
    end = start + len(words)
    while end < len(text) and text[end].isspace():
        end += 1
    return (start if text[:start].strip() else 0), end
