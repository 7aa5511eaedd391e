"""Shelves: groups of documents that are asked together, the cards of the documents, and the answers.

A document may be on several shelves. Putting a newer version of it on a shelf removes the older one. A document is
shown by the card of its newest reading that has one.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches

from readagent.core.document import Document
from readagent.core.memory import Origin
from readagent.core.shelf.records import Card, ShelfAnswer
from readagent.core.subject import subjects
from readagent.core.trace import Trace
from readagent.errors import NotInLibraryError, UsageError
from readagent.library.forgotten import ANY, gone
from readagent.library.load import load, missing
from readagent.library.pack import compress, decompress, from_json, seal, to_bytes, to_json, to_text, to_time, unseal
from readagent.library.rows import KeptShelfAnswer, ShelfRow
from readagent.library.search import indexed
from readagent.library.sqlite import Database

_NOT_KEPT = ("trace", "texts", "id")  # the trace has a column of its own
_SHELVES = """
SELECT shelves.id, shelves.name, shelves.made,
    (SELECT count(*) FROM shelf_documents WHERE shelf_documents.shelf = shelves.id),
    (SELECT count(*) FROM shelf_answers WHERE shelf_answers.shelf = shelves.id)
FROM shelves
"""
_CARDS = """
SELECT cards.document, cards.title, cards.kind, cards.text, cards.words, cards.origin, cards.gists,
    max(cards.reading)
FROM shelf_documents JOIN cards ON cards.document = shelf_documents.document
WHERE shelf_documents.shelf = ? GROUP BY cards.document ORDER BY shelf_documents.added, cards.document
"""
_ANSWERS = "SELECT id, model, made, answer, trace FROM shelf_answers"
_OLDER = """
DELETE FROM shelf_documents WHERE shelf = ? AND document IN (
    SELECT older.document FROM sources AS older JOIN sources AS newer ON newer.source = older.source
    WHERE newer.document = ? AND newer.version > older.version AND older.document != newer.document
) AND NOT EXISTS (
    SELECT 1 FROM sources AS here WHERE here.document = shelf_documents.document
    AND here.version = (SELECT max(version) FROM sources WHERE sources.source = here.source)
)
"""
_BY_CARDS = """
SELECT cards.document FROM card_words JOIN cards ON cards.reading = card_words.rowid
WHERE card_words MATCH ? AND cards.document IN (SELECT document FROM shelf_documents WHERE shelf = ?)
    AND cards.document NOT IN (SELECT key FROM json_each(?))
ORDER BY card_words.rank LIMIT ?
"""
_BY_PAGES = """
SELECT readings.document FROM page_words
JOIN pages ON pages.id = page_words.rowid JOIN readings ON readings.id = pages.reading
WHERE page_words MATCH ? AND readings.document IN (SELECT document FROM shelf_documents WHERE shelf = ?)
    AND NOT EXISTS (SELECT 1 FROM json_each(?) WHERE key = readings.document AND pages.end_offset > value)
ORDER BY page_words.rank LIMIT ?
"""


class Shelves:
    """The shelves of a library, by name."""

    def __init__(self, db: Database, now: Callable[[], str]) -> None:
        self._db = db
        self.now = now

    def new(self, name: str) -> ShelfRow:
        """Create an empty shelf; its name must be new."""
        name = " ".join(name.split())
        if not name:
            raise UsageError("a shelf needs a name", hint="for example: readagent shelf new contracts")
        taken = any(row.name.casefold() == name.casefold() for row in self.all())  # as `find` compares them
        made = not taken and self._db.rows(
            "INSERT INTO shelves (name, made) VALUES (?, ?) ON CONFLICT (name) DO NOTHING RETURNING id",
            to_bytes(name),
            self.now(),
        )
        if not made:
            hint = f"add documents to it: readagent shelf add {shlex.quote(name)} FILE"
            raise UsageError(f"there is a shelf {name!r} already", hint=hint)
        return self.find(name)

    def all(self) -> list[ShelfRow]:
        """Return every shelf, sorted by name."""
        rows = self._db.rows(f"{_SHELVES} ORDER BY shelves.name")
        return [
            ShelfRow(number, to_text(name), count, asked, to_time(made)) for number, name, made, count, asked in rows
        ]

    def find(self, name: str) -> ShelfRow:
        """Return the shelf with this name, or the only one whose name starts with it.

        Raise ``NotInLibraryError``, with the closest names as candidates, if there is no such shelf.
        """
        shelves, wanted = self.all(), " ".join(name.split()).casefold()
        same = [row for row in shelves if row.name.casefold() == wanted]
        same = same or [row for row in shelves if wanted and row.name.casefold().startswith(wanted)]
        if len(same) == 1:
            return same[0]
        if not shelves:
            raise NotInLibraryError(
                "there are no shelves yet", hint=f"create one: readagent shelf new {shlex.quote(name)}"
            )
        known = {row.name.casefold(): row.name for row in shelves}
        near = [row.name for row in same] or [known[one] for one in get_close_matches(wanted, known, 3)]
        other = "list the shelves: readagent shelf list; or create one: readagent shelf new NAME"
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else other
        raise NotInLibraryError(f"there is no shelf {name!r}", hint=hint, candidates=near)

    def remove(self, name: str) -> None:
        """Remove a shelf and the answers from it; its documents stay in the library."""
        self._db.rows("DELETE FROM shelves WHERE id = ?", self.find(name).id)

    def put(self, name: str, document_id: str, *, added: str = "") -> None:
        """Put a document on a shelf; older versions of it are taken off. ``added`` is when that began, if not now."""
        shelf = self.find(name).id
        with self._db.transaction():
            if self._db.row("SELECT 1 FROM documents WHERE id = ?", document_id) is None:
                raise missing(document_id)
            self._db.rows(
                "INSERT INTO shelf_documents (shelf, document, added) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                shelf,
                document_id,
                added or self.now(),
            )
            self._db.rows(_OLDER, shelf, document_id)

    def take_off(self, name: str, document_id: str) -> None:
        """Take a document off a shelf; it stays in the library."""
        shelf = self.find(name)
        off = self._db.rows(
            "DELETE FROM shelf_documents WHERE shelf = ? AND document = ? RETURNING document", shelf.id, document_id
        )
        if not off:
            raise NotInLibraryError(f"the document {document_id} is not on the shelf {shelf.name!r}")

    def keep_card(self, reading_key: str, card: Card) -> None:
        """Store the card of a reading; an earlier card is replaced."""
        with self._db.transaction():
            row = self._db.row("SELECT id FROM readings WHERE document = ? AND key = ?", card.document, reading_key)
            if row is None:
                raise NotInLibraryError(f"the library has no such reading of {card.title}")
            beside = (to_bytes(card.title), to_bytes(card.kind), card.words, card.origin, card.gists)
            self._db.rows("DELETE FROM cards WHERE reading = ?", row[0])
            self._db.rows(
                "INSERT INTO cards (reading, document, title, kind, words, origin, gists, text)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                row[0],
                card.document,
                *beside,
                seal(to_bytes(card.text), *beside),
            )
            self._db.rows("INSERT INTO card_words (rowid, card) VALUES (?, ?)", row[0], indexed(card.shown()))

    def reindex_cards(self) -> None:
        """Build the search index of all cards anew. Call it in a transaction."""
        self._db.rows("DELETE FROM card_words")
        rows = self._db.rows("SELECT reading, document, title, kind, text, words, origin, gists FROM cards")
        entries = ((reading, indexed(_card(*card).shown())) for reading, *card in rows)
        self._db.many("INSERT INTO card_words (rowid, card) VALUES (?, ?)", entries)

    def card(self, document_id: str, reading_key: str) -> Card | None:
        """Return the card of a reading; None if it has none."""
        row = self._db.row(
            "SELECT cards.document, cards.title, cards.kind, cards.text, cards.words, cards.origin, cards.gists"
            " FROM cards JOIN readings ON readings.id = cards.reading WHERE readings.document = ? AND readings.key = ?",
            document_id,
            reading_key,
        )
        return None if row is None else _card(*row)

    def cards(self, name: str) -> list[Card]:
        """Return the cards of the documents on a shelf, in the order in which they were added."""
        return [_card(*row[:-1]) for row in self._db.rows(_CARDS, self.find(name).id)]

    def search(
        self, name: str, words: Sequence[str], limit: int, *, up_to: Mapping[str, int] | None = None
    ) -> tuple[list[str], list[str]]:
        """Return the ids of documents on a shelf that contain any of these words, best match first.

        The first list is ranked by the cards, the second by the pages. ``up_to`` are offsets by document: of these,
        only pages that end before them are searched, and no cards, which are about the whole text.
        """
        plain = (word.replace("\0", " ").replace('"', " ") for word in words)
        quoted = [f'"{indexed(word)}"' for word in plain if any(map(str.isalnum, word))]
        if not quoted:
            return [], []
        wanted, shelf, known = " OR ".join(quoted), self.find(name).id, to_json(up_to or {}).decode()
        found = (self._db.rows(sql, wanted, shelf, known, limit) for sql in (_BY_CARDS, _BY_PAGES))
        by_cards, by_pages = ([name for (name,) in rows] for rows in found)
        return list(dict.fromkeys(by_cards)), list(dict.fromkeys(by_pages))

    def keep_answer(self, name: str, answer: ShelfAnswer, *, model: str) -> int:
        """Store an answer from a shelf and return its id.

        Raise NotInLibraryError if a conversation on the shelf was forgotten since it was asked.
        """
        kept = self._db.rows(
            f"INSERT INTO shelf_answers (shelf, model, made, answer, trace) SELECT ?, ?, ?, ?, ? WHERE NOT {ANY}"
            " RETURNING id",
            self.find(name).id,
            to_bytes(model),
            self.now(),
            seal(to_json({one.name: getattr(answer, one.name) for one in fields(answer) if one.name not in _NOT_KEPT})),
            compress(to_json(answer.trace)),
            to_json(subjects()),
        )
        if not kept:
            raise gone()
        return int(kept[0][0])

    def answers(self, name: str) -> list[KeptShelfAnswer]:
        """Return the answers from a shelf, newest first, each with its trace and the texts that it quotes."""
        return self._kept(f"{_ANSWERS} WHERE shelf = ? ORDER BY id DESC", self.find(name).id)

    def answer(self, answer_id: int) -> KeptShelfAnswer:
        """Return one answer from any shelf, with its trace and the texts that it quotes."""
        for found in self._kept(f"{_ANSWERS} WHERE id = ?", answer_id):
            return found
        raise NotInLibraryError(f"there is no answer {answer_id} from a shelf in the library")

    def _kept(self, sql: str, value: int) -> list[KeptShelfAnswer]:
        rows = self._db.rows(sql, value)
        texts = dict[str, Document | None]()
        found = []
        for number, model, made, stored, trace in rows:
            answer = from_json(unseal(stored), ShelfAnswer)
            own = {cited.document for cited in answer.quotes}
            texts |= {one: self._text(one) for one in own if one not in texts}
            quoted = {one: text for one in own if (text := texts[one]) is not None}
            answer = replace(answer, trace=from_json(decompress(trace), Trace), texts=quoted, id=number)
            found.append(KeptShelfAnswer(number, answer, to_text(model), to_time(made)))
        return found

    def _text(self, document_id: str) -> Document | None:
        """Return a document; None if it was removed."""
        try:
            return load(self._db, document_id)
        except NotInLibraryError:
            return None


def _card(document: str, title: bytes, kind: bytes, text: bytes, words: int, origin: Origin, gists: str) -> Card:
    text = unseal(text, title, kind, words, origin, gists)
    return Card(document, to_text(title), to_text(kind), to_text(text), words, origin, gists)
