"""Full-text search over pages and gists. Queries are words and quoted phrases, never the syntax of a database.

Scripts without spaces are indexed by character: a zero-width space is inserted between characters, in the index and in
the query, and removed from what is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from readagent.core.memory import Gist, Page
from readagent.core.patterns import lazy_pattern
from readagent.errors import UsageError
from readagent.library.database import MARKS, Database
from readagent.library.errors import damaged
from readagent.library.load import load, load_all
from readagent.library.pack import to_text
from readagent.library.page_rows import COLUMNS, from_row
from readagent.library.rows import Hit

_ZERO_WIDTH = "\u200b"
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
)
_SEAM = lazy_pattern(f"(?<=[{_UNSPACED}])(?=\\w)|(?<=\\w)(?=[{_UNSPACED}])")
_TERM = lazy_pattern(r'"([^"]*)"?|([^\s"]+)')
MOST_WORDS = 64  # different words and phrases of a query that are searched, and words of a phrase
_START = lazy_pattern(rf"(?:[\W_]*[^\W_]+){{1,{MOST_WORDS}}}[\W_]*")
_CLAUSE = lazy_pattern(r"(?<=[\d)])(?=\()")  # in 12.1(a), whose parts may be in different paragraphs of a page
_TO_INDEX = """
SELECT readings.id, documents.text, readings.page_count FROM readings JOIN documents ON documents.id = readings.document
WHERE documents.id = ? AND readings.state = 'done' AND readings.page_count > 0
ORDER BY readings.task <> x'', readings.window_tokens IS NOT NULL, readings.finished DESC, readings.id DESC LIMIT 1
"""
_UNINDEXED = """
SELECT id, page_count FROM (
    SELECT id, page_count, row_number() OVER (PARTITION BY document
        ORDER BY task <> x'', window_tokens IS NOT NULL, finished DESC, id DESC) AS place
    FROM readings WHERE state = 'done' AND page_count > 0
) AS newest WHERE place = 1 AND NOT EXISTS (
    SELECT 1 FROM pages JOIN page_words ON page_words.rowid = pages.id WHERE pages.reading = newest.id
) ORDER BY id
"""


def search(
    db: Database,
    words: str,
    *,
    document_id: str | None = None,
    limit: int = 20,
    offset: int = 0,
    marks: tuple[str, str] = ("[", "]"),
) -> list[Hit]:
    """Return the pages that contain all these words and "quoted phrases", best match first; ``offset`` are left out.

    In the snippet of a hit the words are between the two ``marks``.
    """
    wanted = terms(indexed(words))
    rows = db.index.find(wanted, document_id, limit, offset)
    found = load_all(db, {row[0] for row in rows})
    hits = []
    for name, task, passage, stored, *page in rows:
        here, gist = from_row(tuple(page))
        entry = _entry(found[name].text, here, gist)
        if stored != db.index.entry(*entry):  # the index has a copy of the page, or a digest of it
            raise damaged(db.name, f"the search index of document {name} does not match its text")
        snippet = db.index.snippet(passage, wanted, *entry)
        place = found[name].place_at(here.start + _offset(snippet, found[name].text[here.start : here.end]))
        told = shown(snippet).replace(MARKS[0], marks[0]).replace(MARKS[1], marks[1])
        hits.append(Hit(name, found[name].title, here.number, told, to_text(task), place, here.start, here.end))
    return hits


def count(db: Database, words: str, *, document_id: str | None = None) -> tuple[int, int]:
    """Return how many pages contain all these words and phrases, and of how many documents they are."""
    pages, documents = db.index.count(terms(indexed(words)), document_id)
    return int(pages), int(documents)


def _offset(snippet: str, page: str) -> int:
    """Return where the first match of a snippet is on its page; 0 if it is in the gist only."""
    after = snippet.replace(_ZERO_WIDTH, "").partition(MARKS[0])[2].partition("…")[0]
    words = after.replace(MARKS[0], "").replace(MARKS[1], "").split()
    found = re.search(r"\s+".join(map(re.escape, words)), page) if words else None
    return 0 if found is None else found.start()


def terms(words: str) -> list[str]:
    """Return the first different words and phrases of what the user typed, so many that no query takes long.

    Raise UsageError if there are none.
    """
    typed = (phrase or word for phrase, word in _TERM.findall(_CLAUSE.sub(" ", words.replace("\0", " "))))
    kept = {found[0].casefold(): found[0] for term in typed if (found := _START.match(term))}
    if not kept:
        raise UsageError("the search has no words", hint='give words, or "a phrase" in double quotes')
    return list(kept.values())[:MOST_WORDS]


def index(db: Database, reading: int, text: str, first: int = 0) -> None:
    """Put the stored pages of a reading of this text into the index, from the ``first`` one on."""
    rows = db.rows(f"SELECT id, {COLUMNS} FROM pages WHERE reading = ? AND number >= ? ORDER BY number", reading, first)
    pages = ((number, *from_row(tuple(row))) for number, *row in rows)
    entries = ((number, *_entry(text, page, gist)) for number, page, gist in pages)
    db.index.add_pages(entries)


def reindex(db: Database, document_id: str) -> None:
    """Index the newest finished general reading of a document; the newest for any task if there is no general one."""
    forget(db, document_id)
    row = db.row(_TO_INDEX, document_id)
    if row is not None:
        index(db, row[0], to_text(row[1]))


def unindexed(db: Database) -> list[tuple[int, int]]:
    """Return the readings that ``reindex`` would index and that are not in the index, with their numbers of pages."""
    return [(reading, pages) for reading, pages in db.rows(_UNINDEXED)]


def index_new(db: Database, readings: Sequence[int]) -> None:
    """Put readings into the index that are not in it. Call it in a transaction."""
    those = f"IN ({', '.join('?' * len(readings))})"
    found = (
        f"SELECT readings.id, text FROM readings JOIN documents ON documents.id = document WHERE readings.id {those}"
    )
    texts = {reading: to_text(text) for reading, text in db.rows(found, *readings)}
    rows = db.rows(f"SELECT reading, id, {COLUMNS} FROM pages WHERE reading {those} ORDER BY id", *readings)
    db.index.add_pages((page, *_entry(texts[reading], *from_row(tuple(row)))) for reading, page, *row in rows)


def is_intact(db: Database, document_id: str) -> bool:
    """Return whether the index has the pages that ``reindex`` would index, as they are in the library."""
    text = load(db, document_id).text
    rows, reading = db.index.stored(document_id), db.row(_TO_INDEX, document_id)
    return len(rows) == (0 if reading is None else reading[2]) and all(
        stored == db.index.entry(*_entry(text, *from_row(tuple(page)))) for stored, *page in rows
    )


def has(db: Database, reading: int) -> bool:
    """Return whether the pages of a reading are in the index."""
    first = "SELECT id FROM pages WHERE reading = ? AND number = 0"
    return db.row(f"SELECT 1 FROM page_words WHERE rowid = ({first})", reading) is not None


def update_gist(db: Database, page: int, gist: Gist) -> None:
    """Replace the gist of the page with this id, if the page is in the index."""
    db.index.replace_gist(page, _indexed_gist(gist))


def forget(db: Database, document_id: str, reading: int | None = None, first: int = 0) -> None:
    """Remove the pages of all readings of a document, or of one reading, from the index, from the ``first`` one on."""
    db.rows(
        "DELETE FROM page_words WHERE rowid IN (SELECT pages.id FROM pages"
        " JOIN readings ON readings.id = pages.reading WHERE readings.document = ? AND pages.number >= ?"
        f" {'' if reading is None else 'AND readings.id = ?'})",
        document_id,
        first,
        *([] if reading is None else [reading]),
    )


def _entry(text: str, page: Page, gist: Gist) -> tuple[str, str]:
    """Return the text and the gist of a page as they are in the index."""
    return indexed(text[page.start : page.end]), _indexed_gist(gist)


def _indexed_gist(gist: Gist) -> str:
    """Return the gist for the index; nothing if it is the text of the page itself."""
    return "" if gist.origin == "verbatim" else indexed(gist.text)


def indexed(text: str) -> str:
    """Return a text, or a query, in the form in which it is indexed."""
    if text.isascii():
        return text
    return _SEAM.sub(_ZERO_WIDTH, text.encode("utf-8", "replace").decode())


def shown(snippet: str) -> str:
    """Return a snippet of the index as people read it."""
    return " ".join(snippet.replace(_ZERO_WIDTH, "").split())


_AROUND = 1_500  # characters before and after a match in which the other words must be
_SHOWN = 90  # characters of a snippet before and after its match


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage with the words: where it is in the text. ``marks`` are where they are, from the passage's start on."""

    start: int
    end: int
    marks: tuple[tuple[int, int], ...]


def passages(text: str, words: str, most: int) -> list[Passage]:
    """Return up to ``most`` passages with all these words and "quoted phrases" close to each other, in their order.

    Raise UsageError if there are no words.
    """
    patterns = [_pattern(term) for term in terms(words)]
    if any(pattern.search(text) is None for pattern in patterns):
        return []
    found = list[Passage]()
    for start, end in _near(text, patterns):
        if len(found) == most:
            break
        if not found or start >= found[-1].end:
            found.append(_passage(text, start, end, patterns))
    return found


def _near(text: str, patterns: list[re.Pattern[str]]) -> Iterator[tuple[int, int]]:
    """Yield the matches of the first pattern that have matches of all others near them."""
    first, *others = patterns
    for match in first.finditer(text):
        near = max(0, match.start() - _AROUND), match.end() + _AROUND
        if all(pattern.search(text, *near) for pattern in others):
            yield match.span()


def _passage(text: str, start: int, end: int, patterns: list[re.Pattern[str]]) -> Passage:
    first, last = max(0, start - _SHOWN), min(len(text), end + _SHOWN)
    while 0 < first < start and not text[first - 1].isspace():
        first += 1
    while end < last < len(text) and not text[last].isspace():
        last -= 1
    spans = sorted(match.span() for pattern in patterns for match in pattern.finditer(text, first, last))
    marks = list[tuple[int, int]]()
    for one in spans:
        if not marks or one[0] - first >= marks[-1][1]:
            marks.append((one[0] - first, one[1] - first))
    return Passage(first, last, tuple(marks))


def _pattern(term: str) -> re.Pattern[str]:
    """Return a pattern for a word or phrase, whatever is between its words, and whatever their case."""
    pieces = r"[\W_]+".join(map(re.escape, re.findall(r"[^\W_]+", term)))
    spaced = term.isascii() or not re.search(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff]", term)
    return re.compile(rf"(?<![^\W_]){pieces}(?![^\W_])" if spaced else pieces, re.IGNORECASE)
