"""What the library tells about its documents, readings and answers, without loading them whole."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from readagent.core.question import Question
from readagent.core.trace import Fallback, Usage

State = Literal["added", "reading", "done"]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document in a list. ``pages`` and ``gist_words`` are those of its newest finished reading, or 0."""

    id: str
    title: str
    source: str
    words: int
    state: State
    pages: int
    gist_words: int
    questions: int
    added: datetime

    @property
    def name(self) -> str:
        """What to call it: its title, its file name, or its id."""
        return self.title or self.file_name or self.id

    @property
    def file_name(self) -> str:
        """The last part of its source."""
        return Path(self.source).name if self.source else ""


@dataclass(frozen=True, slots=True)
class ReadingRow:
    """One reading of a document and what it came to.

    ``window`` is the one it was started with and, once it is done, the one its pages were merged for, if any were.
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


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """A question and its answer as they are kept; ``Library.answer(id)`` gives the trace too."""

    id: int
    document: str
    reading: str
    thread: str
    question: Question
    text: str
    choice: str | None
    pages: tuple[int, ...]
    no_room: tuple[int, ...]
    compression: float
    model: str
    made: datetime


@dataclass(frozen=True, slots=True)
class Hit:
    """A page on which the words were found, and the passage, with marks around them."""

    document: str
    title: str
    page: int
    snippet: str
