"""The full-text index of SQLite: FTS5, which keeps copies of the texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from readagent.library.database import MARKS, Database, Ranked, Row, TextIndex
from readagent.library.pack import to_json
from readagent.library.page_rows import OF_PAGES

_TOKENS = 24  # of a snippet
_FIND = f"""
SELECT documents.id, readings.task, snippet(page_words, -1, ?, ?, '…', {_TOKENS}), page_words.text, page_words.gist,
    {OF_PAGES}
FROM page_words
JOIN pages ON pages.id = page_words.rowid
JOIN readings ON readings.id = pages.reading
JOIN documents ON documents.id = readings.document
WHERE page_words MATCH ? AND (? IS NULL OR documents.id = ?)
ORDER BY page_words.rank, documents.id, pages.number LIMIT ? OFFSET ?
"""
_COUNT = """
SELECT count(*), count(DISTINCT readings.document) FROM page_words JOIN pages ON pages.id = page_words.rowid
JOIN readings ON readings.id = pages.reading WHERE page_words MATCH ? AND (? IS NULL OR readings.document = ?)
"""
_STORED = f"""
SELECT page_words.text, page_words.gist, {OF_PAGES} FROM page_words JOIN pages ON pages.id = page_words.rowid
JOIN readings ON readings.id = pages.reading WHERE readings.document = ?
"""
_BY_CARDS = """
SELECT cards.document, cards.reading FROM card_words JOIN cards ON cards.reading = card_words.rowid
WHERE card_words MATCH ? AND cards.document IN (SELECT document FROM shelf_documents WHERE shelf = ?)
    AND cards.document NOT IN (SELECT key FROM json_each(?))
ORDER BY card_words.rank LIMIT ?
"""
_BY_PAGES = """
SELECT readings.document, pages.id FROM page_words
JOIN pages ON pages.id = page_words.rowid JOIN readings ON readings.id = pages.reading
WHERE page_words MATCH ? AND readings.document IN (SELECT document FROM shelf_documents WHERE shelf = ?)
    AND NOT EXISTS (SELECT 1 FROM json_each(?) WHERE key = readings.document AND pages.end_offset > value)
ORDER BY page_words.rank LIMIT ?
"""
_SIZE = """
SELECT sum(size) FROM (SELECT sum(length(block)) AS size FROM page_words_data UNION ALL
    SELECT sum(length(CAST(c0 AS BLOB)) + length(CAST(c1 AS BLOB))) FROM page_words_content)
"""


class Fts5(TextIndex):
    """The tables ``page_words`` and ``card_words``; a row has the id of its page, or of the reading of its card."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add_pages(self, entries: Iterable[tuple[int, str, str]]) -> None:
        self._db.many("INSERT INTO page_words (rowid, text, gist) VALUES (?, ?, ?)", entries)

    def replace_gist(self, page: int, gist: str) -> None:
        self._db.rows("UPDATE page_words SET gist = ? WHERE rowid = ?", gist, page)

    def stored(self, document_id: str) -> list[Row]:
        return [((text, gist), *page) for text, gist, *page in self._db.rows(_STORED, document_id)]

    def entry(self, text: str, gist: str) -> tuple[str, str]:
        return text, gist

    def find(self, terms: Sequence[str], document_id: str | None, limit: int, offset: int = 0) -> list[Row]:
        rows = self._db.rows(_FIND, *MARKS, all_of(terms), document_id, document_id, limit, offset)
        return [(*found, (text, gist), *page) for *found, text, gist, page in ((*row[:5], row[5:]) for row in rows)]

    def count(self, terms: Sequence[str], document_id: str | None) -> Row:
        return self._db.rows(_COUNT, all_of(terms), document_id, document_id)[0]

    def snippet(self, found: str | None, terms: Sequence[str], text: str, gist: str) -> str:
        return found or ""

    def add_cards(self, entries: Iterable[tuple[int, str]]) -> None:
        self._db.many("INSERT INTO card_words (rowid, card) VALUES (?, ?)", entries)

    def clear_cards(self) -> None:
        self._db.rows("DELETE FROM card_words")

    def rank_cards(self, words: Sequence[str], shelf: int, up_to: Mapping[str, int], limit: int) -> list[Ranked]:
        return self._ranked(_BY_CARDS, words, shelf, up_to, limit)

    def rank_pages(self, words: Sequence[str], shelf: int, up_to: Mapping[str, int], limit: int) -> list[Ranked]:
        return self._ranked(_BY_PAGES, words, shelf, up_to, limit)

    def _ranked(self, sql: str, words: Sequence[str], shelf: int, up_to: Mapping[str, int], limit: int) -> list[Ranked]:
        wanted = " OR ".join(f'"{word}"' for word in words)
        return [(name, row) for name, row in self._db.rows(sql, wanted, shelf, to_json(up_to).decode(), limit)]

    def size(self) -> int:
        return int(self._db.rows(_SIZE)[0][0] or 0)


def all_of(terms: Sequence[str]) -> str:
    """Return a query for all these words and phrases."""
    return " ".join(f'"{term}"' for term in terms)
