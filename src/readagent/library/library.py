"""Library: documents, readings, answers and cached replies, in an SQLite file or on a PostgreSQL server.

Whatever is killed, the process or the server, what was stored stays stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Span, by_span, page_of, user_gist, with_gists
from readagent.core.model import Ask, Reply
from readagent.core.plan import Plan
from readagent.core.question import Answer
from readagent.core.trace import Listener, ignore
from readagent.errors import UsageError
from readagent.library import (
    answers,
    calls,
    card_vectors,
    conversations,
    documents,
    grow,
    page_rows,
    pinned,
    readings,
    sources,
)
from readagent.library.conversations import ConversationRow
from readagent.library.corpora import Corpora
from readagent.library.database import Database, insisting
from readagent.library.jobs import Jobs
from readagent.library.leases import Leases
from readagent.library.load import load
from readagent.library.pack import to_bytes
from readagent.library.postgres_url import is_database_url
from readagent.library.resolve import resolve
from readagent.library.rows import DocumentRow, Hit, KeptAnswer, ReadingRow
from readagent.library.search import search
from readagent.library.shelves import Shelves
from readagent.library.sqlite import MEMORY, SQLiteDatabase
from readagent.library.upkeep.check import lines, problems
from readagent.library.upkeep.info import LibraryInfo, backup, info
from readagent.library.upkeep.repair import Repair, repair
from readagent.library.upkeep.transfer import Copy, transfer

FILE_NAME = "library.db"


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _on_server(url: str, tenant: str, patience: float, notify: Callable[[str], None]) -> Database:
    from readagent.library.postgres import PostgresDatabase  # needs an extra

    return PostgresDatabase(url, tenant=tenant, patience=patience, notify=notify)


def _of_the_server(what: str, hint: str) -> UsageError:
    return UsageError(f"a library on PostgreSQL is not a file that ReadAgent can {what}", hint=hint)


@insisting
class Library:
    """A library in a folder (as ``library.db``), in the file given if its name ends in ``.db``, or in memory.

    The URL of a database, ``postgresql://user@host/name``, is a library on a PostgreSQL server, which many machines can
    share; that needs the extra ``postgres``. If the connection breaks, it waits up to ``patience`` seconds for the
    server, goes on where it was, and calls ``on_wait``, if set, with a sentence that says so. ``tenant`` names a
    separate library in the same database.

    It opens when it is first used, and again if it is used after ``close``. Threads may share it, and so may processes.
    ``location`` says where it is, without a password. ``shelves`` are groups of documents that are asked together, and
    ``jobs`` the work of ``readagent serve``. ``corpora`` are sets of sources that many workers read. ``leases`` let
    processes share calls; a library in memory has none.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        tenant: str = "",
        busy_timeout: float = 30.0,
        patience: float = 1200.0,
        clock: Callable[[], datetime] = _utc_now,
    ) -> None:
        self.on_wait: Callable[[str], None] | None = None
        self._clock = clock
        self.path: Path | None
        self._db: Database
        if is_database_url(path):
            self.path = None
            self._db = _on_server(str(path), tenant, patience, self._waiting)
        elif tenant:
            raise UsageError(
                "only a library on PostgreSQL has tenants", hint="for example postgresql://user@host/name?tenant=legal"
            )
        else:
            given = Path(path)
            self.path = given if given.suffix == ".db" or given == MEMORY else given / FILE_NAME
            self._db = SQLiteDatabase(self.path, busy_timeout=busy_timeout)
        self.location = self._db.name
        self.shelves = Shelves(self._db, self._now)
        self.leases = None if self.path == MEMORY else Leases(self._db)
        self.jobs = Jobs(self._db, self._now, self.leases)
        self.corpora = Corpora(self._db, self._now, self.leases, self.shelves)

    def __repr__(self) -> str:
        return "<Library in memory>" if self.path == MEMORY else f"<Library {self.location!r}>"

    def _waiting(self, message: str) -> None:
        if self.on_wait is not None:
            self.on_wait(message)

    @classmethod
    def in_memory(cls, *, clock: Callable[[], datetime] = _utc_now) -> Self:
        """Return an empty library that writes no file and is discarded when it is closed or no longer referenced."""
        return cls(MEMORY, clock=clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file or the connections; a library in memory is discarded."""
        self._db.close()

    def size(self) -> int:
        """Return the bytes on disk."""
        return self._db.size()

    def exists(self) -> bool:
        """Return whether there is a library at this place; it is created when it is first used."""
        return self._db.exists()

    def check_format(self) -> None:
        """Raise LibraryError if there is a library that cannot be opened: newer, damaged or of another program."""
        if self.exists():
            self._db.version()

    # Upkeep

    def info(self) -> LibraryInfo:
        """Return how many things of each kind the library holds, and the space that they take."""
        return info(self._db, self.size())

    def check(self) -> list[str]:
        """Return what is damaged, a line for each kind of problem; an empty list if everything is intact."""
        return lines(problems(self._db))

    def backup(self, path: str | Path, *, force: bool = False) -> int:
        """Write a copy of the library as it is now to a file, and return its size in bytes.

        Other processes may go on reading and writing. A file that exists is replaced with ``force`` only.
        """
        if isinstance(self._db, SQLiteDatabase):
            return backup(self._db, Path(path), force=force)
        to_file = f"copy it to a file: readagent library copy {self.location} FILE.db"
        raise _of_the_server("back up", f"use pg_dump or the backups of the server; or {to_file}")

    def copy_to(self, target: Library, *, on_progress: Listener = ignore) -> Copy:
        """Copy everything to another library, on SQLite or PostgreSQL, and compare both: rows and hashes.

        The target may be empty, or hold a part of the same things: a copy that was interrupted is continued. One that
        holds anything else is left alone, and the error says so. ``on_progress`` is called after every batch of rows.
        """
        same = self.path is not None and target.path is not None and self.path.resolve() == target.path.resolve()
        if target.location == self.location or (same and self.path != MEMORY):
            raise UsageError(f"{self.location} cannot be copied to itself", hint="give another place for the copy")
        return transfer(self._db, target._db, on_progress)

    def repair(self) -> Repair:
        """Replace a damaged library by a new one with everything that can still be read; the old file is kept.

        No other process may use the library meanwhile.
        """
        if self.path is None:
            raise _of_the_server("repair", "restore a backup of the database with the tools of PostgreSQL")
        self.close()
        return repair(self.path)

    def compact(self) -> int:
        """Rewrite the file without unused space, and return how many bytes that freed.

        On PostgreSQL the space of what was removed becomes free for new rows.
        """
        before = self.size()
        self._db.compact()
        return before - self.size()

    # Calls

    def get(self, key: str) -> Reply | None:
        """Return the reply cached under this key, marked as not paid, or None."""
        return calls.get(self._db, key)

    def put(self, key: str, model_name: str, ask: Ask, reply: Reply) -> None:
        """Cache a reply; once this returns, a kill does not lose it. The first reply under a key stays.

        Replies about a conversation that was forgotten meanwhile are not cached.
        """
        calls.put(self._db, key, model_name, ask, reply, self._now())

    def forget(self, key: str) -> None:
        """Delete the reply cached under this key, if there is one, also a shared one: the model is asked again."""
        calls.forget(self._db, key)

    def prompt(self, key: str) -> str | None:
        """Return the prompt of the reply cached under this key, or None."""
        return calls.prompt(self._db, key)

    def forget_calls(self) -> int:
        """Delete every cached reply and return their number. Memories and answers stay; new readings are paid again."""
        return calls.forget_all(self._db)

    # Documents

    def add(self, document: Document, *, current: bool = False) -> str:
        """Add a document and return its id. One that is there already only gets a title or source that it lacked.

        If it comes from the same source and only its places differ, as those that a later version finds in a PDF, these
        are replaced.

        A text that is new at its source becomes the newest version there. With ``current`` it becomes the newest
        version even if the source held it before.
        """
        return documents.add(self._db, document, self._now(), current=current)

    def describe(self, document: Document) -> None:
        """Give a document that is in the library the title and the metadata of this one."""
        documents.describe(self._db, document)

    def document(self, document_id: str) -> Document:
        """Return the document exactly as it was added."""
        return load(self._db, document_id)

    def documents(self) -> list[DocumentRow]:
        """Return every document, oldest first."""
        return documents.listed(self._db)

    def row(self, document_id: str) -> DocumentRow | None:
        """Return the row of one document, or None."""
        return next(iter(documents.listed(self._db, document_id)), None)

    def find_document(self, name: str) -> DocumentRow:
        """Return the document with this id (four characters of it are enough), path, address, file name or title.

        Of several versions the newest is returned; use its id for an older one.
        """
        return resolve(name, self.documents())

    def newest_at(self, source: str) -> str | None:
        """Return the id of the newest version at this path or address, or None."""
        return sources.newest(self._db, to_bytes(source))

    def version(self, document: Document) -> int:
        """Return which version of the text at its source a document is, from 1; 1 where it has no source."""
        return sources.version(self._db, to_bytes(document.source), document.id)

    def document_in_file(self, path: str, digest: bytes) -> str | None:
        """Return the id of the document that a file was parsed into, if the file still has this digest; else None."""
        return sources.document_in(self._db, path, digest)

    def keep_file(self, path: str, digest: bytes, document_id: str) -> None:
        """Remember which document a file was parsed into, and the digest of the file."""
        sources.keep(self._db, path, digest, document_id)

    def remove(self, document_id: str) -> None:
        """Remove a document with its readings, questions and answers. Cached replies stay, so rereading is free."""
        documents.remove(self._db, document_id)

    # Conversations

    def conversations(self) -> list[ConversationRow]:
        """Return every conversation, oldest first."""
        return conversations.listed(self._db)

    def delete_conversation(self, name: str) -> None:
        """Delete a conversation with its questions and answers, and every cached reply that holds words of it.

        The file is compacted, so that the words are no longer in it. A backup still has them.
        """
        document_id = conversations.document_of(self._db, name.strip())
        texts = [self.document(document_id).text, *conversations.gists(self._db, document_id)]
        self._forget(document_id, None, texts)

    def forget_turn(self, before: GistMemory, after: GistMemory, turn: str, pages: Iterable[int]) -> None:
        """Replace a conversation by one without a turn, whose text is given, and delete what holds words of it.

        ``pages`` are those that the turn was on: their gists are forgotten too.
        """
        gone = conversations.gists(self._db, before.document.id, set(pages), before.key)
        self._forget(before.document.id, after, [turn, *gone])

    def _forget(self, document_id: str, left: GistMemory | None, texts: Iterable[str]) -> None:
        conversations.forget(self._db, document_id, left, texts, self._now())
        self.compact()

    # Readings

    def start_reading(
        self, document_id: str, key: str, *, model: str, prompts: str, plan: Plan, window: int | None
    ) -> int:
        """Start a reading, or continue the one with this key, and return its id."""
        return readings.start(
            self._db, document_id, key, model=model, prompts=prompts, plan=plan, window=window, now=self._now()
        )

    def settle_reading(self, reading: int, key: str, plan: Plan) -> int:
        """Give a reading that was started the key and plan that it goes on with, and return its id."""
        return readings.settle(self._db, reading, key, plan)

    def stop_reading(self, reading: int, reason: str) -> None:
        """Note why a reading has stopped before its end. ``start_reading`` continues it."""
        readings.stop(self._db, reading, reason)

    def finish_reading(self, reading: int, memory: GistMemory) -> None:
        """Store the memory of a reading, all or nothing."""
        readings.finish(self._db, reading, memory, self._now())

    def update_reading(self, memory: GistMemory) -> None:
        """Store new gists of a finished reading, and add the calls and tokens of the memory's trace to it."""
        readings.update(self._db, memory, self._now())

    def prefer_reading(self, memory: GistMemory) -> None:
        """Make the reading of a memory the newest one of its document, as if it had been finished now."""
        readings.prefer(self._db, memory, self._now())

    def memory(self, document_id: str, *, key: str | Sequence[str] | None = None, task: str = "") -> GistMemory | None:
        """Return the memory of the newest finished general reading, or of the newest one for this task, or None.

        With ``key``, return that of the reading with this key, whatever its task. Of several keys, the first counts
        that a finished reading has.
        """
        return readings.memory_of(self._db, document_id, [key] if isinstance(key, str) else key, task)

    def read_beginning(self, document: Document, keys: Sequence[str]) -> GistMemory | None:
        """Return the memory of the beginning of a document, if that was read with one of these keys, but not the rest.

        It belongs to the document itself, or to an earlier, shorter text at the same source.
        """
        return grow.read_beginning(self._db, document, keys)

    def beginning(self, document: Document) -> str | None:
        """Return the id of the newest version at the document's source, if its text is the document's beginning."""
        return grow.beginning(self._db, document)

    def grow(self, document_id: str | None, memory: GistMemory) -> None:
        """Replace a document with a longer one that starts with it, and store its memory, all or nothing.

        Everything that belonged to the shorter document belongs to the longer one; only new pages are written. Where
        there is no shorter one, ``document_id`` is None. Raise ``NotInLibraryError`` if the shorter document is gone,
        or if there is one after all: another process was faster.
        """
        grow.grow(self._db, document_id, memory, self._now())

    def successor(self, document_id: str) -> str | None:
        """Return the id of the document that a shorter one, which is gone, has grown into; None if it has not."""
        return grow.successor(self._db, document_id)

    def levels(self, document_id: str, key: str) -> dict[tuple[int, int], Gist]:
        """Return the shorter gists of older pages, by page number and maximum words."""
        return page_rows.of(self._db, document_id, key)

    def keep_levels(self, document_id: str, key: str, gists: Mapping[tuple[int, int], Gist]) -> None:
        """Store shorter gists of older pages with the reading with this key."""
        page_rows.keep(self._db, document_id, key, gists)

    def plans(self, document_id: str, model: str, prompts: Sequence[str], *, finished: bool = False) -> list[Plan]:
        """Return the plans with which this model started reading a document.

        They are sorted by ``prompts``, the fingerprints of prompts, and then the newest first. With ``finished``,
        return only those of readings that are complete.
        """
        return readings.plans(self._db, document_id, model, prompts, finished=finished)

    def readings(self, document_id: str) -> list[ReadingRow]:
        """Return the readings of a document, newest first."""
        return readings.of_document(self._db, document_id)

    # Pinned gists

    def pinned(self, document_id: str, *, task: str = "") -> dict[Span, Gist]:
        """Return the pinned gists of a document by the start and end offsets of their pages."""
        return pinned.of(self._db, document_id, task)

    def pin(self, memory: GistMemory, gists: Mapping[int, str | Gist]) -> GistMemory:
        """Pin gists to pages, by page number, all or none, and return the memory with them.

        A pinned gist stays, whatever model or plan the document is read with later. A string is the user's own gist;
        a ``Gist``, such as ``memory.gists[3]``, pins one of the model's.
        """
        some = {
            number: user_gist(memory, number, one) if isinstance(one, str) else one for number, one in gists.items()
        }
        chosen = by_span(memory, some)
        pinned.pin(self._db, memory.document.id, memory.plan.task, chosen, self._now())
        return with_gists(memory, chosen)

    def unpin(self, memory: GistMemory, numbers: Iterable[int]) -> GistMemory:
        """Unpin the gists of these pages, restore those that they replaced, and return the memory with them."""
        spans = [(page.start, page.end) for page in (page_of(memory, number) for number in numbers)]
        return with_gists(memory, pinned.unpin(self._db, memory.document.id, memory.plan.task, spans))

    # Questions and answers

    def keep_answer(self, document_id: str, reading_key: str, answer: Answer, *, model: str, thread: str = "") -> int:
        """Store a question with its answer and trace, and return the id of the answer."""
        return answers.keep(self._db, document_id, reading_key, answer, model=model, thread=thread, now=self._now())

    def answers(self, document_id: str | None = None, thread: str | None = None) -> list[KeptAnswer]:
        """Return the answers of a document, of a thread, or all of them, newest first."""
        return answers.kept_answers(self._db, document_id, thread)

    def answers_to(self, memory: GistMemory) -> list[KeptAnswer]:
        """Return the answers about a document, for the task of the memory, newest first.

        Pages and places of the quotes are those of the memory. An answer from other pages is marked, see KeptAnswer.
        """
        return answers.answers_to(self._db, memory)

    def kept_answer(self, answer_id: int) -> KeptAnswer:
        """Return one answer as ``answers`` returns it: without its trace, but with its model and time."""
        return answers.kept_answer(self._db, answer_id)

    def answer(self, answer_id: int) -> Answer:
        """Return an answer with its trace, exactly as it was stored, and its document."""
        return answers.answer_with_document(self._db, answer_id)

    def search(
        self, words: str, *, document_id: str | None = None, limit: int = 20, marks: tuple[str, str] = ("[", "]")
    ) -> list[Hit]:
        """Return the pages that contain all these words and "quoted phrases", best match first.

        In the snippet of a hit the words are between the two ``marks``.
        """
        return search(self._db, words, document_id, limit, marks)

    # Vectors

    def vectors(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the vectors stored under these keys; unknown keys are left out."""
        return card_vectors.kept(self._db, keys)

    def keep_vectors(self, vectors_by_key: Mapping[bytes, bytes]) -> None:
        """Store vectors under their keys, all or none; earlier ones are replaced."""
        card_vectors.keep_vectors(self._db, vectors_by_key)

    # Servers

    def facts(self, server: str) -> bytes | None:
        """Return what is known about a server and its model, or None."""
        return calls.facts(self._db, server)

    def keep_facts(self, server: str, facts: bytes) -> None:
        """Store what is known about a server; earlier facts are replaced."""
        calls.keep_facts(self._db, server, facts, self._now())

    def _now(self) -> str:
        return self._clock().astimezone(UTC).isoformat(timespec="microseconds")
