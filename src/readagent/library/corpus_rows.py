"""What the library returns about the lists that fill shelves: their sources, how far they are, and what was spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import PurePath
from typing import Literal

from readagent.core.escaping import short_repr
from readagent.core.memory import GistMemory
from readagent.core.shelf.cards import fitted_title
from readagent.core.shelf.shelf_answer import Card
from readagent.core.trace import Usage
from readagent.library.database import Database
from readagent.library.pack import from_json, to_json, to_text, unseal

SourceState = Literal["waiting", "reading", "done", "failed", "set aside"]


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """The list of sources that fill a shelf, with the name and the id of the shelf."""

    id: int
    name: str
    shelf: int
    made: datetime


@dataclass(frozen=True, slots=True)
class Entry:
    """A source to add to a shelf. ``stamp`` changes when what is there changes, such as the time of a file.

    ``missing`` is true for a file that is not there.
    """

    source: str
    metadata: Mapping[str, str] = field(default_factory=dict)
    stamp: str = ""
    missing: bool = False

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class Spending:
    """Calls, tokens of prompts and replies together, and US dollars.

    ``unpriced`` is the number of calls whose price is unknown; ``cost`` is that of the others.
    """

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0

    def __add__(self, other: Spending) -> Spending:
        return Spending(
            self.calls + other.calls,
            self.tokens + other.tokens,
            self.cost + other.cost,
            self.unpriced + other.unpriced,
        )

    @classmethod
    def on(cls, usage: Usage) -> Spending:
        """Return what one call of this size has cost."""
        tokens = usage.prompt_tokens + usage.reply_tokens
        return cls(1, tokens, usage.cost or 0.0, int(usage.cost is None))


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source that fills a shelf. ``kind`` is the kind of error that it failed with last, and ``reason`` what it said.

    A source that ``failed`` is tried again; one that was ``set aside`` is not.
    """

    id: int
    source: str
    state: SourceState
    tries: int
    document: str
    changed: datetime
    pages: int
    spent: Spending = Spending()
    kind: str = ""
    reason: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """A worker that has claimed sources: how many, whether it still reads, and the seconds since its last sign of life.

    ``seconds`` is None if that is not known.
    """

    name: str
    documents: int
    alive: bool
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class FailedKind:
    """A kind of error, how many sources failed with it, how many of these were set aside, and one of them."""

    kind: str
    documents: int
    set_aside: int
    example: SourceRow


@dataclass(frozen=True, slots=True)
class Progress:
    """How many of the sources of a shelf are in each state, what was read and spent, and failures by kind of error."""

    states: Mapping[str, int]
    pages: int
    spent: Spending
    failures: Mapping[str, int] = field(default_factory=dict)

    __repr__ = short_repr

    @property
    def total(self) -> int:
        """The number of sources."""
        return sum(self.states.values())

    @property
    def done(self) -> int:
        """The number of sources that were read."""
        return self.states.get("done", 0)

    @property
    def set_aside(self) -> int:
        """The number of sources that were given up."""
        return self.states.get("set aside", 0)

    @property
    def left(self) -> int:
        """The number of sources that are still to be read, or being read."""
        return self.total - self.done - self.set_aside


_SOURCES = """
SELECT corpus_sources.document, corpora.shelf, corpus_sources.metadata, corpus_sources.source
FROM corpus_sources JOIN corpora ON corpora.id = corpus_sources.corpus
WHERE corpus_sources.document IN {documents} ORDER BY corpus_sources.id
"""


def with_own_titles(db: Database, shelf: int, cards: Sequence[Card]) -> list[Card]:
    """Return the cards on the shelf with this id; on that of a corpus, with the titles that it gives the documents."""
    if db.row("SELECT 1 FROM corpora WHERE shelf = ?", shelf) is None:
        return list(cards)
    names = to_json([card.document for card in cards]).decode()
    own, others = dict[str, list[tuple[str, str]]](), dict[str, set[str]]()
    for document, of, metadata, source in db.rows(_SOURCES.format(documents=db.json_list), names):
        title = fitted_title(from_json(unseal(metadata, source), dict[str, str]).get("title", ""))
        if of == shelf:
            own.setdefault(document, []).append((title, to_text(source)))
        else:
            others.setdefault(document, set()).add(title)
    return [replace(card, title=_title(card, own, others)) for card in cards]


def with_title_of(card: Card, memory: GistMemory) -> GistMemory:
    """Return the memory of a document with the title of its card, unless that is the same title, perhaps shortened."""
    if not memory.document.title or fitted_title(memory.document.title) == card.title:
        return memory
    finer = None if memory.finer is None else with_title_of(card, memory.finer)
    return replace(memory, document=replace(memory.document, title=card.title), finer=finer)


def _title(card: Card, own: Mapping[str, list[tuple[str, str]]], others: Mapping[str, set[str]]) -> str:
    """Return the title that a source in this corpus was given; else that of the card, unless another corpus gave it."""
    here = own.get(card.document, [])
    given = next((title for title, _ in here if title), "")
    if given or not here or card.title not in others.get(card.document, ()):
        return given or card.title
    return fitted_title(PurePath(here[0][1]).stem) or card.title
