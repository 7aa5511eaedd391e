"""Pinned gists: shown in every reading with the page, indexed, unpinned, carried over to new versions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from library.shelf import answer_to, memory_of
from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.plan import Plan
from readagent.core.words import count_words
from readagent.errors import UsageError
from readagent.library import Library

Shelve = Callable[..., str]
OWN = Gist("Anna rows home", 3, "user")


def known(library: Library, document: str, key: str | None = None, task: str = "") -> GistMemory:
    memory = library.memory(document, key=key, task=task)
    assert memory is not None
    return memory


def span(memory: GistMemory, number: int) -> tuple[int, int]:
    return memory.pages[number].start, memory.pages[number].end


def test_a_pinned_gist_is_in_the_memory_with_its_origin(library: Library, shelve: Shelve) -> None:
    document = shelve(memory_of())
    changed = library.pin(known(library, document), {1: "  Anna rows home\n"})
    assert changed.gists[1] == OWN
    assert known(library, document) == changed
    assert library.pinned(document) == {span(changed, 1): OWN}
    (row,) = library.documents()
    assert row.gist_words == changed.words()


def test_it_replaces_the_old_gist_in_the_index(library: Library, shelve: Shelve) -> None:
    document = shelve(memory_of(gist="obsolete"))
    memory = known(library, document)
    assert len(library.search("obsolete")) == len(memory.pages)
    memory = library.pin(memory, {1: OWN.text})
    assert [hit.page for hit in library.search("rows home")] == [1]
    assert len(library.search("obsolete")) == len(memory.pages) - 1
    library.unpin(memory, [1])
    assert library.search("rows home") == []
    assert len(library.search("obsolete")) == len(memory.pages)


def test_unpinning_restores_the_gist_it_replaced(library: Library, shelve: Shelve) -> None:
    first = memory_of()
    document = shelve(first)
    memory = library.pin(known(library, document), {0: "One of mine", 1: OWN.text})
    memory = library.pin(memory, {1: "Another of mine"})
    assert library.unpin(memory, [1, 2]).gists == (memory.gists[0], *first.gists[1:])
    assert known(library, document).gists == (memory.gists[0], *first.gists[1:])
    assert list(library.pinned(document)) == [span(memory, 0)]


@pytest.mark.parametrize(
    ("gists", "problem"),
    [({1: " \n"}, "empty"), ({0: "Short", 99: "Short"}, "no page 99")],
)
def test_an_invalid_gist_is_refused_and_nothing_changes(
    library: Library, shelve: Shelve, gists: dict[int, str | Gist], problem: str
) -> None:
    document = shelve(memory_of())
    memory = known(library, document)
    with pytest.raises(UsageError, match=problem):
        library.pin(memory, gists)
    with pytest.raises(UsageError, match="no page"):
        library.unpin(memory, [99])
    assert known(library, document) == memory
    assert library.pinned(document) == {}


def test_readings_that_cannot_show_it_are_deleted_and_leave_the_index(library: Library, shelve: Shelve) -> None:
    document = shelve(memory_of(gist="first"), "one")
    shelve(memory_of(size=30, gist="second"), "two")
    kept = library.keep_answer(document, "two", answer_to(), model="m")
    assert library.search("second")
    library.pin(known(library, document, "one"), {1: OWN.text})
    assert library.memory(document, key="two") is None
    assert known(library, document).gists[1] == OWN
    assert library.search("second") == []
    assert [hit.page for hit in library.search("rows home")] == [1]
    assert library.search("first")
    assert library.answer(kept) == answer_to()


def test_a_gist_pinned_for_a_task_is_not_in_the_general_memory(library: Library, shelve: Shelve) -> None:
    general = memory_of(size=30)
    special = replace(memory_of(), plan=Plan(task="Find the lamp."))
    document = shelve(general, "one")
    shelve(special, "two")
    library.pin(known(library, document, task="Find the lamp."), {1: OWN.text})
    assert known(library, document) == general
    assert library.pinned(document) == {}
    assert list(library.pinned(document, task="Find the lamp.")) == [span(special, 1)]
    assert library.search("rows home") == []


def pages(*texts: str, source: str = "/texts/diary.txt") -> GistMemory:
    """A memory with these pages."""
    document = Document.from_text("".join(texts), source=source)
    made, start = [], 0
    for number, text in enumerate(texts):
        made.append(Page(number, start, start + len(text), count_words(text)))
        start += len(text)
    return GistMemory(document, tuple(made), tuple(Gist(f"gist {n}", 2) for n in range(len(made))), Plan())


MONDAY, TUESDAY = "On Monday the pump broke.\n\n", "On Tuesday it was mended."


def test_pinned_gists_are_carried_over_to_a_new_version(library: Library, shelve: Shelve) -> None:
    first = pages("A dull day.\n\n", MONDAY, TUESDAY)
    document = shelve(first)
    library.pin(first, {0: "Dull day", 1: "The pump broke", 2: "Mended"})
    grown = pages("A bright day.\n\n", MONDAY, TUESDAY + "\n\n", "On Wednesday it rained.").document
    library.add(grown)
    taken = library.pinned(grown.id)
    assert [grown.text[a:b] for a, b in taken] == [MONDAY, TUESDAY + "\n\n"]
    assert [gist.text for gist in taken.values()] == ["The pump broke", "Mended"]
    assert len(library.pinned(document)) == 3
    reading = shelve(pages("A bright day.\n\n", MONDAY, TUESDAY + "\n\n", "On Wednesday it rained."))
    memory = known(library, reading)
    assert [gist.text for gist in memory.gists] == ["gist 0", "The pump broke", "Mended", "gist 3"]
    assert library.unpin(memory, [1]).gists[1].text == "gist 1"
