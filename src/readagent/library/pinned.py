"""Pinned gists: which pages of a document have one, pinning and unpinning, and carrying them over to a new version.

A page is identified by its span in the text. Pinned spans of one document and task never overlap: a newer one replaces
an older one. Every reading that has the page shows the pinned gist at once. A reading in which another page crosses an
end of the pinned one, or contains it, cannot show it and is deleted; reading again rebuilds it around the pinned page,
mostly from cached replies. Readings with smaller pages stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Origin, Span, by_span, page_of, user_gist, with_gists
from readagent.errors import NotInLibraryError
from readagent.library import search
from readagent.library.database import Database, Row
from readagent.library.pack import from_json, seal, to_bytes, to_json, to_text, unseal
from readagent.library.page_rows import OF_PAGES, from_row, note_figures, to_row

_ONE = "document = ? AND task = ? AND start_offset = ? AND end_offset = ?"
_PAGES = f"""
SELECT pages.id, pages.reading, {OF_PAGES} FROM pages JOIN readings ON readings.id = pages.reading
WHERE readings.document = ? AND readings.task = ? AND pages.start_offset = ? AND pages.end_offset = ?
ORDER BY readings.finished DESC NULLS LAST, readings.id DESC
"""
_CROSSED = """
SELECT DISTINCT readings.id FROM readings JOIN pages ON pages.reading = readings.id
WHERE readings.document = ? AND readings.task = ? AND pages.start_offset < ? AND pages.end_offset > ?
    AND (pages.start_offset < ? OR pages.end_offset > ?)
"""


def of(db: Database, document_id: str, *, task: str = "") -> dict[Span, Gist]:
    """Return the pinned gists of a document by the start and end offsets of their pages."""
    rows = db.rows(
        "SELECT start_offset, end_offset, gist, gist_words, gist_origin FROM pinned WHERE document = ? AND task = ?"
        " ORDER BY start_offset",
        document_id,
        to_bytes(task),
    )
    return {(start, end): _gist(*row) for row in rows for start, end in [row[:2]]}


def pin(db: Database, memory: GistMemory, gists: Mapping[int, str | Gist]) -> GistMemory:
    """Pin gists to pages, by page number, all or none, and return the memory with them.

    A pinned gist stays, whatever model or plan the document is read with later. A string is the user's own gist;
    a ``Gist``, such as ``memory.gists[3]``, pins one of the model's.
    """
    document_id, task = memory.document.id, memory.plan.task
    some = {number: user_gist(memory, number, one) if isinstance(one, str) else one for number, one in gists.items()}
    chosen = by_span(memory, some)
    with db.transaction(document_id):
        crossed: set[Row] = set()
        for span, gist in chosen.items():
            replaced = _replaced(db, document_id, task, span) or _shown(db, document_id, task, span)
            _insert(db, document_id, task, span, gist, replaced)
            _show(db, document_id, task, span, gist)
            start, end = span
            crossed |= set(db.rows(_CROSSED, document_id, to_bytes(task), end, start, start, end))
        if crossed:
            search.forget(db, document_id)  # the index refers to the pages, which go with the readings
            db.many("DELETE FROM readings WHERE id = ?", sorted(crossed))
            search.reindex(db, document_id)
    return with_gists(memory, chosen)


def unpin(db: Database, memory: GistMemory, numbers: Iterable[int]) -> GistMemory:
    """Unpin the gists of these pages, restore those that they replaced, and return the memory with them."""
    document_id, task = memory.document.id, memory.plan.task
    spans = [(page.start, page.end) for page in (page_of(memory, number) for number in numbers)]
    restored: dict[Span, Gist] = {}
    with db.transaction(document_id):
        for span in spans:
            replaced = _replaced(db, document_id, task, span)
            if replaced is not None:
                db.rows(f"DELETE FROM pinned WHERE {_ONE}", document_id, to_bytes(task), *span)
                _show(db, document_id, task, span, replaced)
                restored[span] = replaced
    return with_gists(memory, restored)


def carry_over(db: Database, earlier: str, document: Document) -> None:
    """Pin in a new version of a document what was pinned in an earlier one, where the page's text occurs exactly once.

    Call it in the transaction that adds the new version, before that is read.
    """
    rows = db.rows(
        "SELECT pinned.task, pinned.start_offset, pinned.end_offset, pinned.gist, pinned.gist_words,"
        " pinned.gist_origin, pinned.made, documents.text"
        " FROM pinned JOIN documents ON documents.id = pinned.document WHERE documents.id = ?"
        " ORDER BY pinned.task, pinned.start_offset",
        earlier,
    )
    carried: list[tuple[bytes, Span]] = []
    for task, start, end, gist, words, origin, replaced, text in rows:
        pinned = _gist(start, end, gist, words, origin)
        span = _only_place(to_text(text)[start:end].strip(), document.text)
        if span is None or any(task == one and a < span[1] and b > span[0] for one, (a, b) in carried):
            continue
        _insert(db, document.id, to_text(task), span, pinned, from_json(unseal(replaced), Gist))
        carried.append((task, span))


def _replaced(db: Database, document_id: str, task: str, span: Span) -> Gist | None:
    """Return the gist that the page had before it was pinned; None if it is not pinned."""
    row = db.row(f"SELECT made FROM pinned WHERE {_ONE}", document_id, to_bytes(task), *span)
    return None if row is None else from_json(unseal(row[0]), Gist)


def _insert(db: Database, document_id: str, task: str, span: Span, gist: Gist, replaced: Gist) -> None:
    """Store a pinned gist and the one that it replaces; delete what overlaps it."""
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
        db.now(),
        seal(to_bytes(gist.text), *span, gist.words, gist.origin),
        seal(to_json(replaced)),
    )


def _gist(start: int, end: int, gist: bytes, words: int, origin: Origin) -> Gist:
    return Gist(to_text(unseal(gist, start, end, words, origin)), words, origin)


def _shown(db: Database, document_id: str, task: str, span: Span) -> Gist:
    """Return the gist of this page in the newest reading that has it."""
    row = db.row(_PAGES, document_id, to_bytes(task), *span)
    if row is None:
        raise NotInLibraryError(
            f"no reading of {document_id} in the library has this page",
            hint="load the memory from the library again: it has changed",
        )
    return from_row(row[2:])[1]


def _show(db: Database, document_id: str, task: str, span: Span, gist: Gist) -> None:
    """Replace the gist of this page in every reading that has it, and in the index."""
    for name, reading, *row in db.rows(_PAGES, document_id, to_bytes(task), *span):
        page, _ = from_row(tuple(row))
        kept = to_row(page, gist)[-3:]
        db.rows("UPDATE pages SET gist_words = ?, gist_origin = ?, gist = ? WHERE id = ?", *kept, name)
        note_figures(db, reading)
        search.update_gist(db, name, gist)


def _only_place(words: str, text: str) -> Span | None:
    """Return the span of these words in a text, with the white space after them; None if they occur never or twice."""
    start = text.find(words)
    if start < 0 or text.find(words, start + 1) >= 0:
        return None
    end = start + len(words)
    while end < len(text) and text[end].isspace():
        end += 1
    return (start if text[:start].strip() else 0), end
