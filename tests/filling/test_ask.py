"""Asking a shelf of many documents: a search finds some of them, and only their cards are loaded."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from pathlib import Path

import pytest

from readagent import AsyncReadAgent, AsyncShelf
from readagent.core.model import Ask, Vectors
from readagent.filling import Filling
from readagent.library import Library
from readagent.testing import ScriptedModel, Skimmer
from readagent.testing.skim import skim

pytestmark = pytest.mark.anyio

DOCUMENTS = 40
TREES = "Ahorn Birke Cedar Dorn Erle Fichte Ginster Hasel".split()


@pytest.fixture
async def filling(library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Filling:
    """Many contracts, by the standards of this test."""
    monkeypatch.setattr("readagent.shelf._MANY", 20)
    monkeypatch.setattr("readagent.shelf._FOUND", 8)
    monkeypatch.setattr("readagent.shelf.MOST_SHOWN", 8)
    for number in range(DOCUMENTS):
        tree = TREES[number % len(TREES)]
        text = f"Contract {number}.\n\n{tree} leases house {number} for {number + 100} crowns. It has a cellar."
        (tmp_path / f"{number:02}.txt").write_text(text)
    filling = Filling(library, "contracts")
    filling.add(tmp_path, include=["*.txt"])
    async with AsyncReadAgent(Skimmer(), library=library) as agent:
        assert (await filling.read(agent)).done == DOCUMENTS
    return filling


async def test_the_document_with_the_words_is_among_those_shown(
    filling: Filling, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_cards(*_: object) -> None:
        raise AssertionError("all cards were loaded")

    monkeypatch.setattr(library.shelves, "cards", no_cards)
    prompts: list[str] = []

    def answer(ask: Ask) -> str:
        prompts.append(ask.prompt)
        return skim(ask.prompt, None)

    async with AsyncReadAgent(ScriptedModel(answer), library=library) as agent:
        given = await AsyncShelf(agent, "contracts").ask("What does Cedar pay for house 34?")
    assert given.among == DOCUMENTS
    (note,) = given.trace.fallbacks
    assert re.match(r"\d of 40 documents were found by a search; (the|of the) others", note.reason)
    assert "leases house 34 for 134 crowns" in prompts[0]
    assert prompts[0].count("<Document ") <= 16
    assert {page.document for page in given.pages} <= {card.document for card in given.documents}


class Trees:
    """An embedder that knows which trees grow cones."""

    name = "trees"

    async def embed(self, texts: Sequence[str]) -> Vectors:
        cones = [any(word in text for word in ("Cedar", "Fichte", "cones")) for text in texts]
        return Vectors(2, b"".join(array("f", [1, 0] if one else [0, 1]).tobytes() for one in cones))


async def test_documents_are_found_by_meaning_too(filling: Filling, library: Library) -> None:
    prompts: list[str] = []

    def answer(ask: Ask) -> str:
        prompts.append(ask.prompt)
        return skim(ask.prompt, None)

    async with AsyncReadAgent(ScriptedModel(answer), library=library) as agent:
        shelf = AsyncShelf(agent, "contracts", embedder=Trees())
        for card in shelf.cards():
            memory = library.memory(card.document)
            assert memory is not None
            await shelf.keep_card(memory)
        prompts.clear()
        await shelf.ask("Which tenants grow cones?")
    shown = re.findall(r"(\w+) leases house", prompts[0])
    assert {"Cedar", "Fichte"} <= set(shown[:8])
