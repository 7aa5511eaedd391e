"""What the library returns in lists: documents, readings, answers, search hits and shelves, without their texts."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Literal
from urllib.parse import unquote, urlsplit

from readagent.core.escaping import short_repr
from readagent.core.question import Question, Quote
from readagent.core.shelf.shelf_answer import ShelfAnswer
from readagent.core.statement import Statement, Support
from readagent.core.trace import Fallback, Usage

State = Literal["added", "reading", "done"]
RemovedKind = Literal["document", "answer"]
TERM = timedelta(days=30)  # for which what was removed can be restored


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document in a list. ``state``, ``pages`` and ``gist_words`` describe its newest general reading.

    ``source`` is where it was first found, and ``version`` counts the texts found there up to this one. ``locations``
    are all the paths and addresses known to hold it now. ``tasks`` are those it was read for, newest reading first.
    ``leads`` counts the pages whose gist is only their opening sentences. ``unmerged`` is whether the memory was too
    long for the window of the model, and merging it failed. ``stopped`` says why the last reading was not finished; it
    is empty if that is not known, or another one was.
    """

    id: str
    title: str
    source: str
    words: int
    state: State
    pages: int
    gist_words: int
    questions: int
    added: datetime
    metadata: Mapping[str, str] = field(default_factory=dict)
    version: int = 1
    locations: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    leads: int = 0
    unmerged: bool = False
    stopped: str = ""

    __repr__ = short_repr

    @property
    def newest(self) -> bool:
        """Whether it is the current version at one of its locations, or has no source."""
        return bool(self.locations) or not self.source

    @property
    def name(self) -> str:
        """Its title on one line; or its file name, or its id, if it has none."""
        return " ".join((self.title or self.file_name).split()) or self.id

    @property
    def file_name(self) -> str:
        """The last part of its source."""
        return _last_part(self.source)

    @property
    def file_names(self) -> frozenset[str]:
        """The last parts of its locations; for an older version, of its source."""
        return frozenset(map(_last_part, self.locations or (self.source,))) - {""}


def _last_part(source: str) -> str:
    """Return the file name in a path or a URL; the host, if the URL has none."""
    if source.startswith(("http://", "https://")):
        with suppress(ValueError):
            parts = urlsplit(source)
            return PurePosixPath(unquote(parts.path)).name or parts.netloc
    return Path(source).name if source else ""


@dataclass(frozen=True, slots=True)
class ReadingRow:
    """One reading of a document, with its calls, tokens and cost.

    ``window`` is the one that its pages were merged for; None if none were merged.
    """

    id: int
    document: str
    key: str
    model: str
    prompts: str
    window: int | None
    state: Literal["reading", "done"]
    words_read: int
    calls: int
    usage: Usage
    fallbacks: tuple[Fallback, ...]
    started: datetime
    finished: datetime | None
    task: str = ""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class AnswerNote:
    """What a person noted about an answer."""

    starred: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """A stored question and its answer; ``Library.answer(id)`` also returns the trace.

    ``task`` is the task of the memory that was asked; empty for a general one. ``other_pages`` is True if it was asked
    when the text had other pages than the memory that it is listed for; its own page numbers are left out then.
    """

    id: int
    document: str
    reading: str
    thread: str
    question: Question
    text: str
    choice: str | None
    pages: tuple[int, ...]
    did_not_fit: tuple[int, ...]
    compression: float
    model: str
    made: datetime
    quotes: tuple[Quote, ...] = ()
    false_quotes: int = 0
    found_in_text: bool = True
    up_to: int | None = None
    task: str = ""
    support: Support = Support()
    other_pages: bool = False

    __repr__ = short_repr

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The statements of the answer, each with its state."""
        return self.support.statements

    @property
    def verified(self) -> bool:
        """Whether quotes from the text support every statement, and the model made up no quote."""
        return self.support.complete and not self.false_quotes


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that contains the words, the passage with marks around them, and its place in the source, if known.

    ``task`` is the task of the reading, if the document was read for tasks only. ``start`` and ``end`` are the offsets
    of the page.
    """

    document: str
    title: str
    page: int
    snippet: str
    task: str = ""
    place: str = ""
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class ShelfRow:
    """A shelf in a list, with the number of its documents and of the questions asked of it."""

    id: int
    name: str
    documents: int
    questions: int
    made: datetime


@dataclass(frozen=True, slots=True)
class KeptShelfAnswer:
    """A stored answer from a shelf."""

    id: int
    answer: ShelfAnswer
    shelf: str
    model: str
    made: datetime

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class Removed:
    """Something in the trash: a document with its title, or an answer with its question.

    ``document`` is the one that was removed, or that the answer is about; empty for an answer from a shelf.
    """

    id: int
    kind: RemovedKind
    document: str
    name: str
    removed: datetime

    __repr__ = short_repr

    @property
    def until(self) -> datetime:
        """When it can be restored no longer."""
        return self.removed + TERM
