"""A document that grows: the longer text replaces the shorter one, and only new pages are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from library.shelf import answer_to, memory_of
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.question import Quote
from readagent.core.trace import Call, Fallback, Trace, Usage
from readagent.errors import LibraryError, NotInLibraryError
from readagent.library import Library

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
