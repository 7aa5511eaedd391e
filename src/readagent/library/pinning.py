"""Fixing gists in the library, and letting them go; every reading that has the page shows it at once.

Readings in which another page crosses an end of the fixed one, or has it inside, cannot show it and are dropped;
reading in that way again makes them anew around it, mostly from kept replies. Readings in more detail stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from readagent.core.gists.pinning import Span
from readagent.core.memory import Gist
from readagent.errors import NotInLibraryError
from readagent.library import pinned, readings, search
from readagent.library.pack import to_bytes, to_text
from readagent.library.sqlite import Database, Row

_HAVING = """
SELECT pages.id, pages.gist, pages.gist_words, pages.gist_origin FROM pages JOIN readings ON readings.id = pages.reading
WHERE readings.document = ? AND readings.task = ? AND pages.start_offset = ? AND pages.end_offset = ?
ORDER BY readings.finished DESC, readings.id DESC
"""
_CROSSED = """
SELECT DISTINCT readings.id FROM readings JOIN pages ON pages.reading = readings.id
WHERE readings.document = ? AND readings.task = ? AND pages.start_offset < ? AND pages.end_offset > ?
    AND (pages.start_offset < ? OR pages.end_offset > ?)
"""


def pin(db: Database, document_id: str, task: str, gists: Mapping[Span, Gist], now: str) -> None:
    """Fix the gists of these pages, all of them or none."""
    with db.transaction():
        crossed: set[Row] = set()
        for span, gist in gists.items():
            made = pinned.before(db, document_id, task, span) or _shown(db, document_id, task, span)
            pinned.keep(db, document_id, task, span, gist, made, now)
            _show(db, document_id, task, span, gist)
            start, end = span
            crossed |= set(db.rows(_CROSSED, document_id, to_bytes(task), end, start, start, end))
        if crossed:
            search.forget(db, document_id)  # before their pages are gone
            db.many("DELETE FROM readings WHERE id = ?", sorted(crossed))
            readings.index(db, document_id)


def unpin(db: Database, document_id: str, task: str, spans: Iterable[Span]) -> dict[Span, Gist]:
    """Let go of the gists of these pages, where they are fixed; those they had before are shown again, and returned."""
    back: dict[Span, Gist] = {}
    with db.transaction():
        for span in spans:
            made = pinned.before(db, document_id, task, span)
            if made is not None:
                pinned.let_go(db, document_id, task, span)
                _show(db, document_id, task, span, made)
                back[span] = made
    return back


def _shown(db: Database, document_id: str, task: str, span: Span) -> Gist:
    """The gist that this page has in the newest reading with it."""
    row = db.row(_HAVING, document_id, to_bytes(task), *span)
    if row is None:
        raise NotInLibraryError(
            f"the library has no reading of {document_id} with this page", hint="take its memory from the library anew"
        )
    _, text, words, source = row
    return Gist(to_text(text), words, source)


def _show(db: Database, document_id: str, task: str, span: Span, gist: Gist) -> None:
    """Put a gist on this page of every reading that has it, and into the index."""
    for page, *_ in db.rows(_HAVING, document_id, to_bytes(task), *span):
        db.rows(
            "UPDATE pages SET gist = ?, gist_words = ?, gist_origin = ? WHERE id = ?",
            to_bytes(gist.text),
            gist.words,
            gist.origin,
            page,
        )
        search.reword(db, page, gist)
