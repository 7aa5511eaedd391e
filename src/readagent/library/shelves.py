"""Shelves: groups of documents that are asked together, the cards of the documents, and the answers.

A document may be on several shelves. Putting a newer version of it on a shelf removes the older one. A document is
shown by the card of its newest reading that has one.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches

from readagent.core.document import Document
from readagent.core.memory import Origin
from readagent.core.model import Vectors
from readagent.core.shelf.shelf_answer import Card, ShelfAnswer
from readagent.core.trace import Trace, subjects
from readagent.errors import NotInLibraryError, UsageError
from readagent.library import card_vectors
from readagent.library.corpus_rows import with_own_titles
from readagent.library.database import Database, insisting
from readagent.library.documents import any_of, gone
from readagent.library.load import load, missing
from readagent.library.pack import compress, decompress, from_json, seal, to_bytes, to_json, to_text, to_time, unseal
from readagent.library.resolve import check_shelf_name
from readagent.library.rows import KeptShelfAnswer, ShelfRow
from readagent.library.search import MOST_WORDS, indexed

_NOT_KEPT = ("trace", "texts", "id")  # the trace has a column of its own
_SHELVES = """
SELECT shelves.id, shelves.name, shelves.made,
    (SELECT count(*) FROM shelf_documents WHERE shelf_documents.shelf = shelves.id),
    (SELECT count(*) FROM questions WHERE questions.shelf = shelves.id)
FROM shelves
"""
_CARDS = """
SELECT cards.document, cards.title, cards.kind, cards.text, cards.words, cards.origin, cards.gists, documents.source
FROM shelf_documents JOIN cards ON cards.document = shelf_documents.document
JOIN documents ON documents.id = cards.document
WHERE shelf_documents.shelf = ?
    AND cards.reading = (SELECT max(newest.reading) FROM cards AS newest WHERE newest.document = cards.document)
ORDER BY shelf_documents.added, cards.document
"""
_ANSWERS = """
SELECT answers.id, shelves.name, answers.model, answers.made, answers.text, answers.trace FROM answers
JOIN questions ON questions.id = answers.question JOIN shelves ON shelves.id = questions.shelf
"""
_OLDER = """
DELETE FROM shelf_documents WHERE shelf = ? AND document IN (
    SELECT older.document FROM sources AS older JOIN sources AS newer ON newer.source = older.source
    WHERE newer.document = ? AND newer.version > older.version AND older.document != newer.document
) AND NOT EXISTS (
    SELECT 1 FROM sources AS here WHERE here.document = shelf_documents.document
    AND here.version = (SELECT max(version) FROM sources WHERE sources.source = here.source)
)
"""


@insisting
class Shelves:
    """The shelves of a library, by name."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def now(self) -> str:
        """Return the time as it is stored."""
        return self._db.now()

    def new(self, name: str) -> ShelfRow:
        """Create an empty shelf; its name must be new."""
        name = " ".join(name.split())
        check_shelf_name(name, "for example: readagent shelf new contracts")
        taken = any(row.name.casefold() == name.casefold() for row in self.all())  # as `find` compares them
        with self._db.transaction("shelves"):
            made = not taken and self._db.rows(
                "INSERT INTO shelves (name, made) VALUES (?, ?) ON CONFLICT (name) DO NOTHING RETURNING id",
                to_bytes(name),
                self._db.now(),
            )
        if not made:
            hint = f"add documents to it: readagent shelf add {shlex.quote(name)} FILE"
            raise UsageError(f"there is a shelf {name!r} already", hint=hint)
        return self.find(name)

    def open(self, name: str) -> int:
        """Return the id of the shelf of this name, which is created if it does not exist."""
        known = {row.name.casefold(): row.id for row in self.all()}  # as `find` compares them
        if name.casefold() in known:
            return known[name.casefold()]
        try:
            return self.new(name).id
        except UsageError:  # another process has created it meanwhile
            return self._id(name)

    def all(self) -> list[ShelfRow]:
        """Return every shelf, sorted by name."""
        return self._rows("ORDER BY shelves.name")

    def _rows(self, which: str, *values: int) -> list[ShelfRow]:
        rows = self._db.rows(f"{_SHELVES} {which}", *values)
        return [
            ShelfRow(number, to_text(name), count, asked, to_time(made)) for number, name, made, count, asked in rows
        ]

    def named(self, shelf: int) -> str:
        """Return the name of the shelf with this id."""
        row = self._db.row("SELECT name FROM shelves WHERE id = ?", shelf)
        if row is None:
            raise NotInLibraryError(f"there is no shelf with the id {shelf}")
        return to_text(row[0])

    def find(self, name: str) -> ShelfRow:
        """Return the shelf with this name, or the only one whose name starts with it.

        Raise ``NotInLibraryError``, with the closest names as candidates, if there is no such shelf.
        """
        number = self._id(name)
        for row in self._rows("WHERE shelves.id = ?", number):
            return row
        raise NotInLibraryError(f"there is no shelf {name!r}")  # it was removed a moment ago

    def _id(self, name: str) -> int:
        """Return the id of the shelf that ``find`` finds, whose documents are not counted."""
        shelves = {to_text(known): number for number, known in self._db.rows("SELECT id, name FROM shelves")}
        wanted = " ".join(name.split()).casefold()
        same = [known for known in shelves if known.casefold() == wanted]
        same = same or [known for known in shelves if wanted and known.casefold().startswith(wanted)]
        if len(same) == 1:
            return int(shelves[same[0]])
        if not shelves:
            raise NotInLibraryError(
                "there are no shelves yet", hint=f"create one: readagent shelf new {shlex.quote(name)}"
            )
        folded = {known.casefold(): known for known in shelves}
        near = sorted(same) or [folded[one] for one in get_close_matches(wanted, folded, 3)]
        other = "list the shelves: readagent shelf list; or create one: readagent shelf new NAME"
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else other
        raise NotInLibraryError(f"there is no shelf {name!r}", hint=hint, candidates=near)

    def remove(self, name: str) -> None:
        """Remove a shelf, the answers from it, and the list that fills it; its documents stay in the library."""
        with self._db.transaction("shelves"):
            self._db.rows("DELETE FROM shelves WHERE id = ?", self._id(name))

    def put(self, name: str, document_id: str, *, added: str = "") -> None:
        """Put a document on a shelf; older versions of it are taken off. ``added`` is when that began, if not now."""
        self.put_on(self._id(name), document_id, added=added)

    def put_on(self, shelf: int, document_id: str, *, added: str = "") -> None:
        """Put a document on the shelf with this id, see ``put``. It takes no longer if there are many documents."""
        with self._db.transaction(document_id):
            if self._db.row("SELECT 1 FROM documents WHERE id = ?", document_id) is None:
                raise missing(document_id)
            self._db.rows(
                "INSERT INTO shelf_documents (shelf, document, added) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                shelf,
                document_id,
                added or self._db.now(),
            )
            self._db.rows(_OLDER, shelf, document_id)

    def take_off(self, name: str, document_id: str) -> None:
        """Take a document off a shelf; it stays in the library."""
        shelf = self.find(name)
        taken = "DELETE FROM shelf_documents WHERE shelf = ? AND document = ? RETURNING document"
        with self._db.transaction(document_id):
            off = self._db.rows(taken, shelf.id, document_id)
        if not off:
            raise NotInLibraryError(f"the document {document_id} is not on the shelf {shelf.name!r}")

    def keep_card(self, reading_key: str, card: Card) -> None:
        """Store the card of a reading; an earlier card is replaced."""
        with self._db.transaction(card.document):
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
            self._db.index.add_cards([(row[0], indexed(card.shown()))])

    def keep_vector(self, document_id: str, reading_key: str, embedder: str, vectors: Vectors) -> None:
        """Store the vector of a card, which is the only one of these, and the name of the model that made it."""
        card_vectors.keep(self._db, document_id, reading_key, embedder, vectors)

    def has_vector(self, document_id: str, reading_key: str, embedder: str) -> bool:
        """Return whether the card of a reading has a vector of this embedder."""
        return card_vectors.is_kept(self._db, document_id, reading_key, embedder)

    def nearest(self, name: str, embedder: str, wanted: Vectors, limit: int) -> list[str]:
        """Return the documents on a shelf whose cards are nearest to any of these vectors, the nearest first."""
        return card_vectors.nearest(self._db, self._id(name), embedder, wanted, limit)

    def reindex_cards(self) -> None:
        """Build the search index of all cards anew. Call it in a transaction."""
        self._db.index.clear_cards()
        self.index_cards()

    def index_cards(self, document_id: str = "") -> None:
        """Put all cards, or those of a document, into the search index, which has none of them."""
        only, value = (" WHERE document = ?", [document_id]) if document_id else ("", [])
        every = f"SELECT reading, document, title, kind, text, words, origin, gists FROM cards{only}"
        rows = self._db.rows(every, *value)
        entries = ((reading, indexed(_card(*card).shown())) for reading, *card in rows)
        self._db.index.add_cards(entries)

    def card(self, document_id: str, reading_key: str) -> Card | None:
        """Return the card of a reading; None if it has none."""
        row = self._db.row(
            "SELECT cards.document, cards.title, cards.kind, cards.text, cards.words, cards.origin, cards.gists,"
            " documents.source FROM cards JOIN readings ON readings.id = cards.reading"
            " JOIN documents ON documents.id = cards.document WHERE readings.document = ? AND readings.key = ?",
            document_id,
            reading_key,
        )
        return None if row is None else _card(*row)

    def cards(self, name: str) -> list[Card]:
        """Return the cards of the documents on a shelf, in the order in which they were added."""
        shelf = self._id(name)
        return with_own_titles(self._db, shelf, [_card(*row) for row in self._db.rows(_CARDS, shelf)])

    def cards_of(self, shelf: int, documents: Sequence[str]) -> list[Card]:
        """Return the cards of these documents on the shelf with this id, in the order in which they are given."""
        some = _CARDS.replace("WHERE", f"WHERE shelf_documents.document IN {self._db.json_list} AND", 1)
        found = {row[0]: _card(*row) for row in self._db.rows(some, to_json(documents).decode(), shelf)}
        return with_own_titles(self._db, shelf, [found[document] for document in documents if document in found])

    def without_card(self, name: str) -> list[str]:
        """Return the documents on a shelf that have no card yet, in the order in which they were added."""
        lacking = (
            "SELECT document FROM shelf_documents WHERE shelf = ?"
            " AND document NOT IN (SELECT document FROM cards) ORDER BY added, document"
        )
        return [document for (document,) in self._db.rows(lacking, self._id(name))]

    def first(self, shelf: int, most: int) -> list[str]:
        """Return the documents that were added to the shelf with this id first, in that order."""
        oldest = "SELECT document FROM shelf_documents WHERE shelf = ? ORDER BY added, document LIMIT ?"
        return [document for (document,) in self._db.rows(oldest, shelf, most)]

    def search(
        self, name: str, words: Sequence[str], limit: int, *, up_to: Mapping[str, int] | None = None
    ) -> tuple[list[str], list[str]]:
        """Return the ids of documents on a shelf that contain any of these words, best match first.

        The first list is ranked by the cards, the second by the pages. ``up_to`` are offsets by document: of these,
        only pages that end before them are searched, and no cards, which are about the whole text.
        """
        wanted, index = _searched(words), self._db.index
        if not wanted:
            return [], []
        by_cards, by_pages = (
            rank(wanted, self._id(name), up_to or {}, limit) for rank in (index.rank_cards, index.rank_pages)
        )
        return list(dict(by_cards)), list(dict(by_pages))

    def best_pages(
        self, name: str, words: Sequence[str], limit: int, *, up_to: Mapping[str, int] | None = None
    ) -> dict[str, str]:
        """Return the best page of the documents on a shelf that contain any of these words, as text, see ``search``.

        The best ``limit`` documents are returned, best first.
        """
        wanted, pages = _searched(words), dict[str, int]()
        found = self._db.index.rank_pages(wanted, self._id(name), up_to or {}, 8 * limit) if wanted else []
        for document, page in found:
            pages.setdefault(document, page)
        bounds = "SELECT start_offset, end_offset FROM pages WHERE id = ?"
        return {
            document: load(self._db, document).text[slice(*self._db.rows(bounds, page)[0])]
            for document, page in list(pages.items())[:limit]
        }

    def keep_answer(self, name: str, answer: ShelfAnswer, *, model: str) -> int:
        """Store an answer from a shelf and return its id.

        Raise NotInLibraryError if a conversation on the shelf was forgotten since it was asked.
        """
        shelf = self._id(name)
        stored = {one.name: getattr(answer, one.name) for one in fields(answer) if one.name not in _NOT_KEPT}
        now, none, kind = self._db.now(), to_json(()), answer.question.kind
        columns = "shelf, thread, kind, asked, text, options"
        asked = (f"INSERT INTO questions ({columns}) VALUES (?, x'', ?, ?, x'', ?)", shelf, kind, now, none)
        kept = (
            "INSERT INTO answers (question, pages, did_not_fit, compression, model, made, quotes, false_quotes,"
            " found_in_text, text, trace)"
            f" VALUES ({self._db.last_id('questions')}, ?, ?, 0, ?, ?, ?, 0, 1, ?, ?) RETURNING id",
            none,
            none,
            to_bytes(model),
            now,
            none,
            seal(to_json(stored)),
            compress(to_json(answer.trace)),
        )
        with self._db.transaction("shelf answers"):
            if self._db.row(f"SELECT 1 WHERE {any_of(self._db)}", to_json(subjects()).decode()):
                raise gone()
            return int(self._db.batch([asked, kept])[1][0][0])

    def answers(self, name: str) -> list[KeptShelfAnswer]:
        """Return the answers from a shelf, newest first, each with its trace and the texts that it quotes."""
        return self._kept("questions.shelf = ?", self._id(name))

    def answer(self, answer_id: int) -> KeptShelfAnswer:
        """Return one answer from any shelf, with its trace and the texts that it quotes."""
        for found in self._kept("answers.id = ?", answer_id):
            return found
        raise NotInLibraryError(f"there is no answer {answer_id} from a shelf in the library")

    def some_answers(self, only: Collection[int]) -> list[KeptShelfAnswer]:
        """Return those of these answers that are from a shelf, newest first, without their traces and texts."""
        return self._kept(f"answers.id IN ({', '.join(map(str, only)) or 'NULL'})", whole=False)

    def _kept(self, where: str, *values: int, whole: bool = True) -> list[KeptShelfAnswer]:
        rows = self._db.rows(f"{_ANSWERS} WHERE {where} ORDER BY answers.id DESC", *values)
        texts = dict[str, Document | None]()
        found = []
        for number, shelf, model, made, stored, trace in rows:
            answer = replace(from_json(unseal(stored), ShelfAnswer), id=number)
            about = (to_text(shelf), to_text(model), to_time(made))
            if not whole:
                found.append(KeptShelfAnswer(number, answer, *about))
                continue
            own = {cited.document for cited in answer.quotes}
            texts |= {one: self._text(one) for one in own if one not in texts}
            quoted = {one: text for one in own if (text := texts[one]) is not None}
            answer = replace(answer, trace=from_json(decompress(trace), Trace), texts=quoted)
            found.append(KeptShelfAnswer(number, answer, *about))
        return found

    def _text(self, document_id: str) -> Document | None:
        """Return a document; None if it was removed."""
        try:
            return load(self._db, document_id)
        except NotInLibraryError:
            return None


def _searched(words: Sequence[str]) -> list[str]:
    """Return as many words as are searched, as they are in the index, without those that have no letter or digit."""
    plain = (word.replace("\0", " ").replace('"', " ") for word in words)
    return [indexed(word) for word in plain if any(map(str.isalnum, word))][:MOST_WORDS]


def _card(
    document: str, title: bytes, kind: bytes, text: bytes, words: int, origin: Origin, gists: str, source: bytes = b""
) -> Card:
    text = unseal(text, title, kind, words, origin, gists)
    return Card(document, to_text(title), to_text(kind), to_text(text), words, origin, gists, to_text(source))
