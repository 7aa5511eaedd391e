"""The titles that documents have in a corpus. Sources with the same text share a card, but each has its own title."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from readagent.core.memory import GistMemory
from readagent.core.shelf.cards import fitted_title
from readagent.core.shelf.records import Card
from readagent.library.database import Database
from readagent.library.pack import from_json, to_json, to_text, unseal

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
