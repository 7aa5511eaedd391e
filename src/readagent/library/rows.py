"""What the library tells about its documents, readings and answers, without loading them whole."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Literal
from urllib.parse import unquote, urlsplit

from readagent.core.question import Question, Quote
from readagent.core.shelf.records import ShelfAnswer
from readagent.core.trace import Fallback, Usage

State = Literal["added", "reading", "done"]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document in a list. ``state``, ``pages`` and ``gist_words`` are those of its newest general reading, or 0.

    ``source`` is where it was found first, and ``version`` says how many texts were found there up to this one.
    ``lies_in`` are all the places that hold it now, as far as is known. ``tasks`` are those it was read for, the one
    of the newest reading first.
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
    lies_in: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()

    @property
    def newest(self) -> bool:
        """Whether it is what lies in one of its places now, and not an older version."""
        return bool(self.lies_in) or not self.source

    @property
    def name(self) -> str:
        """What to call it: its title, its file name, or its id."""
        return self.title or self.file_name or self.id

    @property
    def file_name(self) -> str:
        """The last part of its source."""
        return _last_part(self.source)

    @property
    def file_names(self) -> frozenset[str]:
        """The last parts of all places it lies in, or, for an older version, lay in first."""
        return frozenset(map(_last_part, self.lies_in or (self.source,))) - {""}


def _last_part(source: str) -> str:
    """The file name in a path or in an address on the web; the host, where the address has none."""
    if source.startswith(("http://", "https://")):
        with suppress(ValueError):
            parts = urlsplit(source)
            return PurePosixPath(unquote(parts.path)).name or parts.netloc
    return Path(source).name if source else ""


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
    task: str = ""


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """A question and its answer as they are kept; ``Library.answer(id)`` gives the trace too.

    ``task`` is what the memory that was asked was made for; empty for a general one.
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


@dataclass(frozen=True, slots=True)
class Hit:
    """A page on which the words were found, and the passage, with marks around them.

    ``task`` is what the pages were made for, where the document was read for a task only.
    """

    document: str
    title: str
    page: int
    snippet: str
    task: str = ""


@dataclass(frozen=True, slots=True)
class ShelfRow:
    """A shelf in a list: how many documents stand on it, and how many questions were asked of it."""

    id: int
    name: str
    documents: int
    questions: int
    made: datetime


@dataclass(frozen=True, slots=True)
class KeptShelfAnswer:
    """What was asked of a shelf and what came of it, as it is kept."""

    id: int
    answer: ShelfAnswer
    model: str
    made: datetime
