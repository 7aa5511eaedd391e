"""A document that grows, and pinned gists: only new pages are written, and what the user wrote stays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from library.shelf import answer_to, memory_of
from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.plan import Plan
from readagent.core.question import Quote
from readagent.core.trace import Call, Fallback, Trace, Usage
from readagent.core.words import count_words
from readagent.errors import LibraryError, NotInLibraryError, UsageError
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


CALL = Call("gist", 30, 5, Usage(40, 6, 0, 0.5), 0.1, True, "stop")


def grown(memory: GistMemory, more: str = "Anna came back at dawn.") -> GistMemory:
    """The memory of a longer text: its last page is longer, and there is one more."""
    document = memory.document.appended(more)
    last = memory.pages[-1]
    pages = (*memory.pages[:-1], replace(last, end=len(document.text) - 5), Page(last.number + 1, len(document.text) - 5, len(document.text), 1))  # fmt: skip
    gists = (*memory.gists[:-1], Gist("a new last", 3), Gist("dawn", 1))
    trace = Trace(False, [CALL], [Fallback("gist", "it was empty", "lead", last.number)])
    return replace(memory, document=document, pages=pages, gists=gists, trace=trace)


def test_what_belonged_to_the_shorter_document_belongs_to_the_longer_one(
    library: Library, shelve: Callable[..., str]
) -> None:
    memory = memory_of(title="The lamp", source="/texts/lamp.txt")
    old = shelve(memory, memory.key)
    quoted = replace(answer_to(), quotes=(Quote("Anna crossed", 0, 1, 23, 35, "", True),))
    kept = library.keep_answer(old, memory.key, quoted, model="m", thread="t")
    longer = grown(memory)
    library.grow(old, longer)
    (row,) = library.documents()
    assert (row.id, row.title, row.source, row.version, row.questions) == (
        longer.document.id, "The lamp", "/texts/lamp.txt", 1, 1)  # fmt: skip
    assert (row.words, row.pages, row.state) == (longer.full_words, len(longer.pages), "done")
    assert library.memory(row.id) == longer
    assert library.answers(row.id)[0].reading == memory.key
    assert library.answer(kept).quotes == quoted.quotes
    assert library.find_document("lamp.txt").id == library.newest_at("/texts/lamp.txt") == row.id
    assert library.check() == []
    with pytest.raises(NotInLibraryError):
        library.document(old)


def test_other_readings_become_unfinished_and_continue_where_they_end(
    library: Library, shelve: Callable[..., str]
) -> None:
    memory, other = memory_of(), replace(memory_of(size=20), model="model-2")
    old = shelve(other, other.key)
    shelve(memory, memory.key)
    longer = grown(memory)
    library.grow(old, longer)
    new = longer.document.id
    assert library.memory(new, key=other.key) is None
    begun = library.read_beginning(longer.document, [other.key])
    assert begun is not None
    assert (begun.pages, begun.gists, begun.document.id) == (other.pages, other.gists, new)
    assert library.read_beginning(longer.document, [memory.key]) is None
    end = Page(len(other.pages), other.pages[-1].end, len(longer.document.text), 5)
    library.grow(new, replace(begun, pages=(*begun.pages, end), gists=(*begun.gists, Gist("end", 1))))
    assert library.memory(new, key=other.key) is not None
    assert library.memory(new, key=memory.key) == longer


def test_a_text_that_does_not_start_with_the_document_is_refused(library: Library, shelve: Callable[..., str]) -> None:
    memory = memory_of()
    old = shelve(memory, memory.key)
    with pytest.raises(LibraryError, match="does not start with it"):
        library.grow(old, memory_of("Something else."))
    with pytest.raises(NotInLibraryError):
        library.grow("0" * 16, grown(memory))
    assert library.memory(old) == memory
