"""The full-text index of PostgreSQL: vectors of words, which hold no copies of the texts.

Words are split here, as SQLite's FTS5 splits them (letters and digits in any script, without case and diacritics), so
that both databases find the same pages. Only the endings of words on cards are left to PostgreSQL.
"""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from readagent.core.patterns import lazy_pattern
from readagent.library.database import MARKS, Database, Ranked, Row, TextIndex
from readagent.library.pack import to_json, to_text
from readagent.library.page_rows import OF_PAGES
from readagent.library.search import indexed

_TOKENS = 24  # of a snippet
_LONGEST = 500  # characters of a word; a vector takes no more than 2,046 bytes
_LAST = 16_383  # the highest position that a vector has
_GAP = 2  # positions between text and gist, so that no phrase reaches from one into the other
_COMMON = 0.3  # share of the rows above which a word says nothing about them, if another one is rarer
_MOST_COUNTED = 2000  # entries with a word; it is a frequent one if there are as many
_MOST_RANKED = 10_000  # entries that are compared with a question
_WORD = lazy_pattern(r"(?:[^\W_][\u0300-\u036f]*)+")
_DIACRITIC = lazy_pattern(r"[\u0300-\u036f]")

_FIND = f"""
SELECT readings.document, readings.task, NULL, page_words.digest, {OF_PAGES}
FROM (
    SELECT found.rowid AS rowid, ts_rank_cd(found.words, CAST(? AS TSQUERY), 1) AS rank
    FROM page_words AS found {{only}} WHERE found.words @@ CAST(? AS TSQUERY) {{of}}
    ORDER BY rank DESC, found.rowid LIMIT ? OFFSET ?
) AS ranked
JOIN page_words ON page_words.rowid = ranked.rowid
JOIN pages ON pages.id = ranked.rowid
JOIN readings ON readings.id = pages.reading
ORDER BY ranked.rank DESC, ranked.rowid
"""
_COUNT = """
SELECT count(*), count(DISTINCT readings.document) FROM page_words JOIN pages ON pages.id = page_words.rowid
JOIN readings ON readings.id = pages.reading
WHERE page_words.words @@ CAST(? AS TSQUERY) AND (CAST(? AS TEXT) IS NULL OR readings.document = ?)
"""
_ONLY = "JOIN pages AS page ON page.id = found.rowid JOIN readings AS reading ON reading.id = page.reading"
_OF = "AND reading.document = ?"
_STORED = f"""
SELECT page_words.digest, {OF_PAGES} FROM page_words JOIN pages ON pages.id = page_words.rowid
JOIN readings ON readings.id = pages.reading WHERE readings.document = ?
"""
_TEXT = """
SELECT documents.text, pages.start_offset, pages.end_offset FROM page_words
JOIN pages ON pages.id = page_words.rowid JOIN readings ON readings.id = pages.reading
JOIN documents ON documents.id = readings.document WHERE page_words.rowid = ?
"""
_CARDS = """
FROM card_words AS entry JOIN cards ON cards.reading = entry.rowid
JOIN shelf_documents ON shelf_documents.document = cards.document
WHERE shelf_documents.shelf = ? AND NOT jsonb_exists(CAST(? AS JSONB), cards.document)
"""
_PAGES = """
FROM page_words AS entry JOIN pages ON pages.id = entry.rowid JOIN readings ON readings.id = pages.reading
JOIN shelf_documents ON shelf_documents.document = readings.document
WHERE shelf_documents.shelf = ?
    AND pages.end_offset <= coalesce(CAST(CAST(? AS JSONB) ->> readings.document AS BIGINT), pages.end_offset)
"""
_SIZE = "SELECT pg_total_relation_size('page_words') + pg_total_relation_size('card_words')"


class TsVector(TextIndex):
    """The tables ``page_words`` and ``card_words``; a row has the id of its page, or of the reading of its card."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add_pages(self, entries: Iterable[tuple[int, str, str]]) -> None:
        self._db.many(
            "INSERT INTO page_words (rowid, digest, words) VALUES (?, ?, CAST(? AS TSVECTOR))",
            ((page, self.entry(text, gist), _vector(text, gist)) for page, text, gist in entries),
        )

    def replace_gist(self, page: int, gist: str) -> None:
        for text, start, end in self._db.rows(_TEXT, page):
            shown = indexed(to_text(text)[start:end])
            self._db.rows(
                "UPDATE page_words SET digest = ?, words = CAST(? AS TSVECTOR) WHERE rowid = ?",
                self.entry(shown, gist),
                _vector(shown, gist),
                page,
            )

    def stored(self, document_id: str) -> list[Row]:
        return self._db.rows(_STORED, document_id)

    def entry(self, text: str, gist: str) -> bytes:
        return hashlib.sha256(f"{text}\0{gist}".encode("utf-8", "surrogatepass")).digest()[:16]

    def find(self, terms: Sequence[str], document_id: str | None, limit: int, offset: int = 0) -> list[Row]:
        query = _all_of(terms)
        if not query:
            return []
        sql = _FIND.format(only="", of="") if document_id is None else _FIND.format(only=_ONLY, of=_OF)
        return self._db.rows(sql, query, query, *([] if document_id is None else [document_id]), limit, offset)

    def count(self, terms: Sequence[str], document_id: str | None) -> Row:
        query = _all_of(terms)
        return self._db.rows(_COUNT, query, document_id, document_id)[0] if query else (0, 0)

    def snippet(self, found: str | None, terms: Sequence[str], text: str, gist: str) -> str:
        wanted = [tuple(word for word, _, _ in _words(term)) for term in terms]
        return max((_snippet(one, wanted) for one in (text, gist)), key=lambda pair: pair[0])[1]

    def add_cards(self, entries: Iterable[tuple[int, str]]) -> None:
        self._db.many(
            "INSERT INTO card_words (rowid, words) VALUES (?, to_tsvector('pg_catalog.english', ?))",
            ((reading, _plain(text)) for reading, text in entries),
        )

    def clear_cards(self) -> None:
        self._db.rows("DELETE FROM card_words")

    def rank_cards(self, words: Sequence[str], shelf: int, up_to: Mapping[str, int], limit: int) -> list[Ranked]:
        stemmed = "SELECT CAST(phraseto_tsquery('pg_catalog.english', ?) AS TEXT)"
        queries = [self._db.rows(stemmed, _plain(word))[0][0] for word in words]
        return self._ranked("cards.document", _CARDS, queries, shelf, up_to, limit)

    def rank_pages(self, words: Sequence[str], shelf: int, up_to: Mapping[str, int], limit: int) -> list[Ranked]:
        return self._ranked("readings.document", _PAGES, list(map(_phrase, words)), shelf, up_to, limit)

    def _ranked(
        self, document: str, among: str, queries: Sequence[str], shelf: int, up_to: Mapping[str, int], limit: int
    ) -> list[Ranked]:
        """Return documents and entries by how often the entries have the words, weighted by how rare a word is.

        Words that more entries have than are counted are frequent ones. If there are no others, the first entries that
        have them are ranked, so that the work does not grow with the shelf.
        """
        known = to_json(up_to).decode()
        has = "AND entry.words @@ CAST(? AS TSQUERY)"
        count = f"SELECT count(*) FROM (SELECT 1 {among} {{has}} LIMIT ?) AS counted"
        (total,) = self._db.rows(count.format(has=""), shelf, known, _MOST_RANKED)[0]
        with_word = {
            query: self._db.rows(count.format(has=has), shelf, known, query, _MOST_COUNTED)[0][0]
            for query in dict.fromkeys(queries)
            if query
        }
        held = {query: number for query, number in with_word.items() if number}
        most = min(_COMMON * total, _MOST_COUNTED - 1)
        rare = {query: number for query, number in held.items() if number <= most} or held
        if not rare:
            return []
        # One term of the sum for each word, so that a rare word counts for more than a frequent one.
        rank = " + ".join("? * ts_rank(words, CAST(? AS TSQUERY), 1)" for _ in held)
        weights = [value for query, number in held.items() for value in (math.log(1 + total / number), query)]
        rows = self._db.rows(
            f"SELECT document, id, {rank} AS rank FROM (SELECT {document} AS document, entry.rowid AS id,"
            f" entry.words AS words {among} {has} ORDER BY entry.rowid LIMIT ?) AS counted"
            " ORDER BY rank DESC, document, id LIMIT ?",
            *weights, shelf, known, " | ".join(f"({query})" for query in rare), _MOST_RANKED, limit,
        )  # fmt: skip
        return [(name, entry) for name, entry, _ in rows]

    def size(self) -> int:
        return int(self._db.rows(_SIZE)[0][0])


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the words of a text, each without case and diacritics, and where it starts and ends."""
    for found in _WORD.finditer(text):
        yield _folded(found[0][:_LONGEST]), *found.span()


@lru_cache(maxsize=1 << 13)
def _folded(word: str) -> str:
    if word.isascii():
        return word.lower()
    bare = _DIACRITIC.sub("", unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFC", bare).lower()


def _in_order(text: str) -> list[str]:
    """Return the words of a text, each without case and diacritics."""
    if text.isascii():  # the same in a fraction of the time
        return [word[:_LONGEST] for word in _WORD.findall(text.lower())]
    return [word for word, _, _ in _words(text)]


def _vector(*texts: str) -> str:
    """Return the words of texts with their positions, as PostgreSQL reads them."""
    positions: defaultdict[str, list[int]] = defaultdict(list)
    before = 0
    for text in texts:
        words = _in_order(text)
        for at, word in enumerate(words, before + 1):
            positions[word].append(min(at, _LAST))
        before += len(words) + _GAP
    return " ".join(
        f"{_quoted(word)}:{','.join(map(str, dict.fromkeys(places)))}" for word, places in positions.items()
    )


def _quoted(word: str) -> str:
    return f"'{word}'"  # letters and digits only


def _phrase(term: str) -> str:
    """Return a condition for words in a row; empty if there are none."""
    return " <-> ".join(map(_quoted, _in_order(term)))


def _all_of(terms: Sequence[str]) -> str:
    """Return a condition for all these words and phrases; empty if there are none."""
    return " & ".join(filter(None, map(_phrase, terms)))


def _plain(text: str) -> str:
    """Return the words of a text with spaces between them, in which PostgreSQL's parser finds nothing but words."""
    return " ".join(_in_order(text))


def _snippet(text: str, wanted: Sequence[tuple[str, ...]]) -> tuple[int, str]:
    """Return how many of the phrases the best passage of a text has, and the passage with marks around them."""
    words = list(_words(text))
    marked = sorted(_matches([word for word, _, _ in words], wanted))
    if not marked:
        return 0, ""
    first = max(marked, key=lambda one: (len(_within(marked, one[0])), -one[0]))[0]
    inside = [one for one in marked if first <= one[0] and one[1] <= first + _TOKENS]
    before = max(0, min(2, _TOKENS - (inside[-1][1] - first)))  # some context
    start = max(0, first - before)
    end = min(len(words), start + _TOKENS)
    parts = ["…"] if start else []
    at = words[start][1] if start else 0
    until = words[end - 1][2] if end < len(words) else len(text)
    for low, high, _ in _apart(inside):
        parts += [text[at : words[low][1]], MARKS[0], text[words[low][1] : words[high - 1][2]], MARKS[1]]
        at = words[high - 1][2]
    parts += [text[at:until], *(["…"] if end < len(words) else [])]
    return len(_within(marked, first)), "".join(parts)


def _matches(words: Sequence[str], wanted: Sequence[tuple[str, ...]]) -> Iterator[tuple[int, int, int]]:
    """Yield where each phrase begins and ends, and its number; of one that no passage holds, only the first words."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for at, word in enumerate(words):
        places[word].append(at)
    for number, phrase in enumerate(wanted):
        for at in places[phrase[0]] if phrase else ():
            if tuple(words[at : at + len(phrase)]) == phrase:
                yield at, at + min(len(phrase), _TOKENS), number


def _within(marked: Sequence[tuple[int, int, int]], first: int) -> set[int]:
    """Return the numbers of the phrases in the passage that begins with the ``first`` word."""
    return {number for low, high, number in marked if first <= low and high <= first + _TOKENS}


def _apart(marked: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Return the matches that do not overlap an earlier one."""
    kept: list[tuple[int, int, int]] = []
    for one in marked:
        if not kept or one[0] >= kept[-1][1]:
            kept.append(one)
    return kept
