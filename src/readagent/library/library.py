"""Library: everything that was read, asked and paid for, in one file that survives a kill at any moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from readagent.core.document import Document
from readagent.core.gists.pinning import Span, by_span, page_of, user_gist, with_gists
from readagent.core.memory import Gist, GistMemory
from readagent.core.model import Ask, Reply
from readagent.core.plan import Plan
from readagent.core.question import Answer
from readagent.core.trace import Usage
from readagent.library import answers, documents, grow, levels, pinned, pinning, readings, sources, vectors
from readagent.library.find import find
from readagent.library.pack import expand, squeeze, to_bytes, to_text
from readagent.library.rows import DocumentRow, Hit, KeptAnswer, ReadingRow
from readagent.library.search import search
from readagent.library.shelves import Shelves
from readagent.library.sqlite import MEMORY, Database

FILE_NAME = "library.db"


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Library:
    """A library in a folder (as ``library.db``), in the file given if its name ends in ``.db``, or in memory.

    It opens when it is first used, and again if it is used after ``close``. Threads may share it. So may processes: one
    writes while the others read. ``shelves`` are groups of documents that are asked together.
    """

    def __init__(
        self, path: str | Path, *, busy_timeout: float = 30.0, clock: Callable[[], datetime] = _utc_now
    ) -> None:
        given = Path(path)
        self.path = given if given.suffix == ".db" or given == MEMORY else given / FILE_NAME
        self._clock = clock
        self._db = Database(self.path, busy_timeout=busy_timeout)
        self.shelves = Shelves(self._db, self._now)

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
        """Close the file; a library in memory is discarded."""
        self._db.close()

    def size(self) -> int:
        """Return the bytes on disk."""
        parts = (Path(f"{self.path}{suffix}") for suffix in ("", "-wal", "-shm"))
        return sum(part.stat().st_size for part in parts if part.exists())

    # Calls

    def get(self, key: str) -> Reply | None:
        """The reply that was kept under this key. It was paid for before, so it is not marked as paid."""
        row = self._db.row(
            "SELECT reply, finish, prompt_tokens, reply_tokens, cached_tokens, cost FROM calls WHERE key = ?", key
        )
        if row is None:
            return None
        text, finish, *usage = row
        return Reply(to_text(text), finish, Usage(*usage), paid=False)

    def put(self, key: str, model_name: str, ask: Ask, reply: Reply) -> None:
        """Keep a reply; when this returns, a kill does not lose it. The first reply of a key stays."""
        usage = reply.usage
        self._db.rows(
            "INSERT INTO calls (key, step, model, finish, prompt_tokens, reply_tokens, cached_tokens, cost, made,"
            " reply, prompt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
            key,
            ask.step,
            to_bytes(model_name),
            reply.finish,
            usage.prompt_tokens,
            usage.reply_tokens,
            usage.cached_tokens,
            usage.cost,
            self._now(),
            to_bytes(reply.text),
            squeeze(to_bytes(ask.prompt)),
        )

    def prompt(self, key: str) -> str | None:
        """The prompt that the reply under this key answered."""
        row = self._db.row("SELECT prompt FROM calls WHERE key = ?", key)
        return None if row is None else to_text(expand(row[0]))

    def forget_calls(self) -> int:
        """Forget every kept reply, and say how many. Memories and answers stay; reading again would be paid again."""
        with self._db.transaction():
            count = int(self._db.rows("SELECT count(*) FROM calls")[0][0])
            self._db.rows("DELETE FROM calls")
        return count

    # Documents

    def add(self, document: Document, *, current: bool = False) -> str:
        """Put a document in and return its id. One that is there only gets the title or source it lacked.

        A text that is new at its source is the newest version of what lies there. ``current`` says that this is what
        lies there now: it is the newest version then, even if it was known there before.
        """
        return documents.add(self._db, document, self._now(), current=current)

    def document(self, document_id: str) -> Document:
        """The document exactly as it was added."""
        return documents.load(self._db, document_id)

    def documents(self) -> list[DocumentRow]:
        """Every document, the oldest first."""
        return documents.listed(self._db)

    def row(self, document_id: str) -> DocumentRow | None:
        """What the list tells of one document; None if it is not there."""
        return next(iter(documents.listed(self._db, document_id)), None)

    def find_document(self, name: str) -> DocumentRow:
        """The document with this id (or the first four characters of it, or more), path, address, file name or title.

        Of several versions the newest is meant; older ones have their ids.
        """
        return find(name, self.documents())

    def newest_at(self, source: str) -> str | None:
        """The id of the document that was last found at this path or address."""
        return sources.newest(self._db, to_bytes(source))

    def remove(self, document_id: str) -> None:
        """Take a document out with its readings, questions and answers. Kept replies stay: reading it again is free."""
        documents.remove(self._db, document_id)

    # Readings

    def start_reading(
        self, document_id: str, key: str, *, model: str, prompts: str, plan: Plan, window: int | None
    ) -> int:
        """A reading begins, or goes on where one with this key has begun; its id comes back."""
        return readings.start(
            self._db, document_id, key, model=model, prompts=prompts, plan=plan, window=window, now=self._now()
        )

    def finish_reading(self, reading: int, memory: GistMemory) -> None:
        """Keep the memory that a reading came to, all of it or nothing."""
        readings.finish(self._db, reading, memory, self._now())

    def memory(self, document_id: str, *, key: str | None = None, task: str = "") -> GistMemory | None:
        """The memory of the newest finished general reading, or of the newest for this task; None if there is none.

        With ``key``, that of the reading with this key, whatever it was made for.
        """
        return readings.memory_of(self._db, document_id, key, task)

    def begun(self, document: Document, key: str) -> GistMemory | None:
        """The memory of the beginning of a document, where that was read in this way and the rest was not.

        It is that of an earlier text at the same source, or of the document itself, which was read before it grew.
        """
        return grow.begun(self._db, document, key)

    def beginning(self, document: Document) -> str | None:
        """The id of what was last found at the document's source, where that is the beginning of the document."""
        return grow.beginning(self._db, document)

    def grow(self, document_id: str, memory: GistMemory) -> None:
        """Put a memory that has grown in the place of the document that it began with, all of it or nothing.

        Everything that belongs to the shorter document belongs to the longer one then, and only new pages are written.
        """
        grow.grow(self._db, document_id, memory, self._now())

    def levels(self, document_id: str, key: str) -> dict[tuple[int, int], Gist]:
        """The shorter gists of older pages, by the page's number and the words that they may have."""
        return levels.of(self._db, document_id, key)

    def keep_levels(self, document_id: str, key: str, gists: Mapping[tuple[int, int], Gist]) -> None:
        """Keep shorter gists of older pages beside those of the reading with this key."""
        levels.keep(self._db, document_id, key, gists)

    def plans(self, document_id: str, model: str, prompts: str) -> list[Plan]:
        """The plans with which a document was begun by this model with these prompts, the newest first."""
        return readings.plans(self._db, document_id, model, prompts)

    def readings(self, document_id: str) -> list[ReadingRow]:
        """The readings of a document, the newest first."""
        return readings.of_document(self._db, document_id)

    # Fixed gists

    def pinned(self, document_id: str, *, task: str = "") -> dict[Span, Gist]:
        """The gists of a document that are fixed, by the first and last offset of their pages."""
        return pinned.of(self._db, document_id, task)

    def pin(self, memory: GistMemory, gists: Mapping[int, str | Gist]) -> GistMemory:
        """Fix the gists of pages, by their numbers: they stay as they are, whatever the document is read with.

        A text is the user's own gist; a gist may be one of the model's, such as ``memory.gists[3]``, which pins it. All
        are kept, or none. The memory with these gists comes back.
        """
        some = {
            number: user_gist(memory, number, one) if isinstance(one, str) else one for number, one in gists.items()
        }
        chosen = by_span(memory, some)
        pinning.pin(self._db, memory.document.id, memory.plan.task, chosen, self._now())
        return with_gists(memory, chosen)

    def unpin(self, memory: GistMemory, numbers: Iterable[int]) -> GistMemory:
        """Let go of the fixed gists of these pages; those that they had before are back, also in what is returned."""
        spans = [(page.start, page.end) for page in (page_of(memory, number) for number in numbers)]
        return with_gists(memory, pinning.unpin(self._db, memory.document.id, memory.plan.task, spans))

    # Questions and answers

    def keep_answer(self, document_id: str, reading_key: str, answer: Answer, *, model: str, thread: str = "") -> int:
        """Keep a question with its answer and trace; the id of the answer comes back."""
        return answers.keep(self._db, document_id, reading_key, answer, model=model, thread=thread, now=self._now())

    def answers(self, document_id: str | None = None, thread: str | None = None) -> list[KeptAnswer]:
        """Answers of a document, of a thread, or all; the newest first."""
        return answers.kept_answers(self._db, document_id, thread)

    def answer(self, answer_id: int) -> Answer:
        """An answer with its trace, exactly as it was kept."""
        return answers.answer_with_trace(self._db, answer_id)

    def search(
        self, words: str, *, document_id: str | None = None, limit: int = 20, marks: tuple[str, str] = ("[", "]")
    ) -> list[Hit]:
        """The pages that hold all these words (and "phrases in quotes"), the best first, with ``marks`` around them."""
        return search(self._db, words, document_id, limit, marks)

    # Vectors

    def vectors(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The vectors that are kept under these keys; those that are not kept are left out."""
        return vectors.kept(self._db, keys)

    def keep_vectors(self, vectors_by_key: Mapping[bytes, bytes]) -> None:
        """Keep vectors under their keys, all of them or none, in the place of what was kept there."""
        vectors.keep(self._db, vectors_by_key)

    # Servers

    def facts(self, server: str) -> bytes | None:
        """What was found out about a server and its model."""
        row = self._db.row("SELECT facts FROM servers WHERE name = ?", to_bytes(server))
        return None if row is None else bytes(row[0])

    def keep_facts(self, server: str, facts: bytes) -> None:
        """Remember what was found out about a server, in the place of what was known before."""
        self._db.rows(
            "INSERT INTO servers (name, found, facts) VALUES (?, ?, ?)"
            " ON CONFLICT (name) DO UPDATE SET found = excluded.found, facts = excluded.facts",
            to_bytes(server),
            self._now(),
            facts,
        )

    def _now(self) -> str:
        return self._clock().astimezone(UTC).isoformat(timespec="microseconds")
