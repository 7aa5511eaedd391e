"""Conversations in the library: list them, delete one, and remove what was said from everything that holds it.

Cached replies and answers hold prompts, so those with words of a forgotten text are deleted too; with them those that
were made from their replies. Space that is free in the file still holds the words, until the file is compacted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from readagent.core.escaping import short_repr
from readagent.core.memory import GistMemory
from readagent.core.patterns import lazy_pattern
from readagent.errors import NotInLibraryError
from readagent.library import documents, page_rows, readings, search, sources
from readagent.library.database import Database
from readagent.library.documents import SOURCE
from readagent.library.load import load, missing
from readagent.library.pack import decompress, to_text, unseal

_RUN = 6  # words in a row by which a text is recognised
_MADE_FROM_IT = ("gist", "merge", "read", "respond", "direct", "batch")  # steps whose replies say what is in a text
_LABEL = lazy_pattern(r"<\d+>")
_WORD = lazy_pattern(r"\w+")


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation in the library: its name, the id of its document, words, pages, questions, and when it began."""

    name: str
    document: str
    words: int
    pages: int
    questions: int
    began: datetime

    __repr__ = short_repr


def listed(db: Database) -> list[ConversationRow]:
    """Return every conversation, oldest first."""
    rows = (row for row in documents.listed(db) if row.source.startswith(SOURCE))
    return [
        ConversationRow(row.source.removeprefix(SOURCE), row.id, row.words, row.pages, row.questions, row.added)
        for row in rows
    ]


def delete(db: Database, name: str) -> None:
    """Delete a conversation with its questions and answers, and every cached reply that holds words of it.

    The file is compacted, so that the words are no longer in it. A backup still has them.
    """
    document_id = _document_of(db, name.strip())
    _forget(db, document_id, None, [load(db, document_id).text, *_gists(db, document_id)])


def forget_turn(db: Database, before: GistMemory, after: GistMemory, turn: str, pages: Iterable[int]) -> None:
    """Replace a conversation by one without a turn, whose text is given, and delete what holds words of it.

    ``pages`` are those that the turn was on: their gists are forgotten too.
    """
    gone = _gists(db, before.document.id, set(pages), before.key)
    _forget(db, before.document.id, after, [turn, *gone])


def _document_of(db: Database, name: str) -> str:
    """Return the id of a conversation's document; raise NotInLibraryError if there is no such conversation."""
    found = sources.newest(db, f"{SOURCE}{name}")
    if found is None:
        raise NotInLibraryError(f"there is no conversation {name!r}", candidates=[row.name for row in listed(db)][:5])
    return found


def _gists(db: Database, document_id: str, pages: Collection[int] = (), of: str = "") -> list[str]:
    """Return all gists that are not the page itself; of the reading with the key ``of`` those of these pages."""
    found = []
    for row in readings.of_document(db, document_id):
        memory = readings.memory_of(db, document_id, key=row.key)
        own = dict(enumerate(memory.gists)) if memory is not None else {}
        levels = page_rows.of(db, document_id, row.key)
        some = [*own.items(), *((number, gist) for (number, _), gist in levels.items())]
        found += [
            gist.text for number, gist in some if gist.origin != "verbatim" and (row.key != of or number in pages)
        ]
    return found


def _forget(db: Database, document_id: str, left: GistMemory | None, gone: Iterable[str]) -> None:
    """Replace a conversation by the memory that is ``left`` of it, if any, and delete what holds ``gone`` texts.

    Questions about it are deleted with their answers, and the file is compacted.
    """
    with db.transaction():
        row = db.row("SELECT title, source, added FROM documents WHERE id = ?", document_id)
        if row is None:
            raise missing(document_id)
        search.forget(db, document_id)
        documents.note(db, document_id)
        db.rows("DELETE FROM documents WHERE id = ?", document_id)
        if left is not None and left.pages:
            title, source, added = row
            documents.insert(db, left.document, (title, source, left.full_words, added))
            sources.note(db, source, left.document.id, current=True)
            reading = readings.begin(
                db, left.document.id, left.key, model=left.model, prompts=left.prompts, plan=left.plan,
                window=left.window,
            )  # fmt: skip
            readings.extend(db, reading, left.document.id, left)
        traces = Traces(gone)
        _forget_shelf_answers(db, traces)
        _forget_jobs(db, traces)
        _forget_replies(db, traces)
    db.insist(db.compact)


class Traces:
    """Recognises texts by some of their words in a row, whatever stands between the lines."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._runs: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        """Add a text."""
        words = _words(text)
        for at in (*range(0, len(words) - _RUN, _RUN), max(0, len(words) - _RUN)):
            if run := tuple(words[at : at + _RUN]):
                self._runs[run[0]].add(run)

    def are_in(self, text: str) -> bool:
        """Return whether a text holds a part of one of these."""
        words = _words(text)
        return any(
            tuple(words[at : at + len(run)]) == run
            for at, word in enumerate(words)
            if word in self._runs
            for run in self._runs[word]
        )


def _words(text: str) -> list[str]:
    return _WORD.findall(_LABEL.sub(" ", text).casefold())


def _forget_replies(db: Database, traces: Traces) -> None:
    """Delete the replies whose prompt holds one of the texts, then those with a prompt that holds such a reply."""
    left = dict[str, str](db.rows("SELECT key, step FROM calls"))
    while True:
        found = [key for key in left if traces.are_in(_call(db, key))]
        traces = Traces(())
        for key in found:
            if left.pop(key) in _MADE_FROM_IT and len(_WORD.findall(reply := _reply(db, key))) >= _RUN:
                traces.add(reply)
        db.many("DELETE FROM calls WHERE key = ?", [(key,) for key in found])
        if not found:
            break


def _forget_shelf_answers(db: Database, traces: Traces) -> None:
    """Delete the answers of shelves that hold one of the texts, or whose prompts do."""
    for (number,) in db.rows("SELECT id FROM questions WHERE shelf IS NOT NULL"):
        answer, trace = db.rows("SELECT text, trace FROM answers WHERE question = ?", number)[0]
        if traces.are_in(f"{to_text(unseal(answer))}\n{to_text(decompress(trace))}"):
            db.rows("DELETE FROM questions WHERE id = ?", number)


def _forget_jobs(db: Database, traces: Traces) -> None:
    """Delete the jobs about shelves whose question holds one of the texts; those about a document go with it."""
    for number, kind, request in db.rows("SELECT id, kind, request FROM jobs WHERE shelf IS NOT NULL"):
        if traces.are_in(to_text(unseal(request, kind))):
            db.rows("DELETE FROM jobs WHERE id = ?", number)


def _call(db: Database, key: str) -> str:
    prompt = db.rows("SELECT prompt FROM calls WHERE key = ?", key)[0][0]
    return f"{to_text(decompress(prompt))}\n{_reply(db, key)}"


def _reply(db: Database, key: str) -> str:
    text, *beside = db.rows(
        "SELECT reply, finish, prompt_tokens, reply_tokens, cached_tokens, cost FROM calls WHERE key = ?", key
    )[0]
    return to_text(unseal(text, *beside))
