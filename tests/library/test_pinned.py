"""Pinned gists: shown in every reading with the page, indexed, unpinned, carried over to new versions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from library.shelf import STORY, answer_to, memory_of
from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.plan import Plan
from readagent.core.words import count_words
from readagent.errors import NotInLibraryError, UsageError
from readagent.library import Library, as_markdown
from readagent.records.export import as_json

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


def test_it_is_exported_with_its_origin(library: Library, shelve: Shelve) -> None:
    memory = library.pin(known(library, shelve(memory_of())), {1: OWN.text})
    assert b'"gist_origin": "user"' in as_json(memory)
    assert "## Page 2 *(written by you)*" in as_markdown(memory)


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


def test_pinning_a_gist_of_the_model_keeps_its_origin(library: Library, shelve: Shelve) -> None:
    document = shelve(memory_of())
    memory = known(library, document)
    assert library.pin(memory, {2: memory.gists[2]}) == memory
    assert library.pinned(document) == {span(memory, 2): memory.gists[2]}
    assert library.unpin(memory, [2]) == memory
    assert library.pinned(document) == {}


@pytest.mark.parametrize(
    ("gists", "problem"),
    [
        ({1: " \n"}, "empty"),
        ({1: "word " * 40}, "40 words is longer than its page"),
        ({99: "Short"}, "no page 99"),
        ({-1: "Short"}, "no page -1"),
        ({0: "Short", 99: "Short"}, "no page 99"),
    ],
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


def test_a_page_that_no_reading_has_cannot_be_pinned(library: Library, shelve: Shelve) -> None:
    with pytest.raises(NotInLibraryError):
        library.pin(memory_of(), {0: "Short"})
    shelve(memory_of(size=40))
    with pytest.raises(NotInLibraryError, match="no reading"):
        library.pin(memory_of(size=30), {0: "Short", 1: "Short"})
    assert library.pinned(memory_of().document.id) == {}


def test_every_reading_with_the_page_shows_it(library: Library, shelve: Shelve) -> None:
    document = shelve(memory_of(), "one")
    shelve(memory_of(gist="another"), "two")
    library.pin(known(library, document, "one"), {1: OWN.text})
    assert known(library, document, "two").gists[1] == OWN
    memory = known(library, document, "one")
    library.unpin(memory, [1])
    assert known(library, document, "one").gists[1] == known(library, document, "two").gists[1]


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


def test_a_merged_reading_that_contains_the_page_is_deleted_and_a_finer_one_stays(
    library: Library, shelve: Shelve
) -> None:
    whole, merged = memory_of(size=20), memory_of(size=40)
    document = shelve(whole, "whole")
    shelve(merged, "merged")
    library.pin(known(library, document, "merged"), {1: OWN.text})
    assert known(library, document, "whole") == whole
    library.pin(known(library, document, "whole"), {2: "Mine too"})
    assert library.memory(document, key="merged") is None
    assert list(library.pinned(document)) == [span(whole, 2)]  # of two that overlap the newer one stays


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


def test_a_gist_pinned_during_a_reading_is_in_it(library: Library, shelve: Shelve) -> None:
    document = shelve(memory_of(), "one")
    later = library.start_reading(document, "two", model="m", prompts="p", plan=Plan(), window=None)
    library.pin(known(library, document), {1: OWN.text})
    library.finish_reading(later, memory_of(gist="late"))
    assert known(library, document, "two").gists[1] == OWN


def test_removing_a_document_removes_its_pinned_gists(library: Library, shelve: Shelve) -> None:
    document = shelve(memory_of())
    library.pin(known(library, document), {1: OWN.text})
    library.remove(document)
    shelve(memory_of())
    assert library.pinned(document) == {}


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


def test_a_page_that_occurs_twice_in_the_new_version_is_not_carried_over(library: Library, shelve: Shelve) -> None:
    first = pages(MONDAY, TUESDAY)
    shelve(first)
    library.pin(first, {0: "The pump broke"})
    twice = pages(MONDAY, MONDAY, TUESDAY).document
    library.add(twice)
    assert library.pinned(twice.id) == {}


def test_nothing_is_carried_over_to_a_text_from_another_source(library: Library, shelve: Shelve) -> None:
    for source in ("", "/texts/diary.txt"):
        first = pages(MONDAY, TUESDAY, source=source)
        shelve(first)
        library.pin(first, {0: "The pump broke"})
    for source in ("", "/texts/other.txt"):
        other = pages(MONDAY, f"Later {source}.", source=source).document
        library.add(other)
        assert library.pinned(other.id) == {}


def test_any_text_is_stored_unchanged(library: Library, shelve: Shelve) -> None:
    document = shelve(memory_of("Zeile\0eins \ud800 und viele Worte mehr. " * 9))
    memory = library.pin(known(library, document), {0: "Zwei\0 \ud83d"})
    assert known(library, document).gists[0] == memory.gists[0]
    assert STORY not in memory.document.text
