"""A page and its gist as a row of the library, and the shorter gists of older pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from readagent.core.memory import Gist, Page
from readagent.library.database import Database, Row
from readagent.library.pack import seal, to_bytes, to_text, unseal

COLUMNS = "number, start_offset, end_offset, words, gist_words, gist_origin, gist"
OF_PAGES = ", ".join(f"pages.{name}" for name in COLUMNS.split(", "))  # where other tables are joined

FIGURES = """
SELECT count(*), coalesce(sum(pages.gist_words), 0), count(*) FILTER (WHERE pages.gist_origin = 'lead')
FROM pages WHERE pages.reading = readings.id
"""  # of a reading


def note_figures(db: Database, reading: int) -> None:
    """Store with a reading how many pages it has, and about their gists, for the list of documents."""
    db.rows(f"UPDATE readings SET (page_count, gist_words, lead_gists) = ({FIGURES}) WHERE id = ?", reading)


def to_row(page: Page, gist: Gist) -> Row:
    """Return the values of ``COLUMNS``; the gist carries a checksum of all of them."""
    beside = (page.number, page.start, page.end, page.words, gist.words, gist.origin)
    return (*beside, seal(to_bytes(gist.text), *beside))


def from_row(row: Row) -> tuple[Page, Gist]:
    """Return the page and the gist with these values of ``COLUMNS``."""
    *beside, stored = row
    text = to_text(unseal(stored, *beside))
    number, start, end, words, gist_words, origin = beside
    return Page(number, start, end, words), Gist(text, gist_words, origin)


def follow_on(pages: Sequence[Page], length: int, *, complete: bool) -> bool:
    """Return whether the pages follow on each other from the beginning of a text, and, if complete, reach its end."""
    ends = [0, *(page.end for page in pages)]
    tiled = all(page.number == n and page.start == ends[n] <= page.end for n, page in enumerate(pages))
    return tiled and (ends[-1] == length if complete else ends[-1] <= length)


_READING = "(SELECT id FROM readings WHERE document = ? AND key = ?)"


def of(db: Database, document_id: str, key: str) -> dict[tuple[int, int], Gist]:
    """Return the shorter gists of older pages, by page number and maximum words."""
    rows = db.rows(
        f"SELECT number, words, gist, gist_words, gist_origin FROM levels WHERE reading = {_READING}", document_id, key
    )
    return {
        (number, words): Gist(to_text(unseal(text, number, words, size, origin)), size, origin)
        for number, words, text, size, origin in rows
    }


def keep(db: Database, document_id: str, key: str, gists: Mapping[tuple[int, int], Gist]) -> None:
    """Store shorter gists of older pages with the reading with this key, all or none."""
    with db.transaction(document_id):
        row = db.row("SELECT id FROM readings WHERE document = ? AND key = ?", document_id, key)
        if row is not None:
            db.many(
                "INSERT INTO levels (reading, number, words, gist_words, gist_origin, gist) VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (reading, number, words) DO NOTHING",
                (
                    (
                        row[0],
                        *level,
                        gist.words,
                        gist.origin,
                        seal(to_bytes(gist.text), *level, gist.words, gist.origin),
                    )
                    for level, gist in gists.items()
                ),
            )
