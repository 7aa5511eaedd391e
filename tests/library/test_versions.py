"""A source whose text has changed: versions, and which of them a name refers to."""

from __future__ import annotations

from readagent.core.document import Document
from readagent.library import DocumentRow, Library


def add(
    library: Library, text: str, source: str = "/texts/notes.txt", *, title: str = "", current: bool = False
) -> str:
    return library.add(Document.from_text(text, title=title, source=source), current=current)


def row(library: Library, document_id: str) -> DocumentRow:
    found = library.row(document_id)
    assert found is not None
    return found


def versions(library: Library) -> dict[str, tuple[int, bool]]:
    return {one.id: (one.version, one.newest) for one in library.documents()}


def test_a_changed_source_is_a_new_version(library: Library) -> None:
    first, second, other = add(library, "one"), add(library, "two"), add(library, "three", "/elsewhere/notes.txt")
    assert versions(library) == {first: (1, False), second: (2, True), other: (1, True)}
    assert row(library, second) == next(one for one in library.documents() if one.id == second)
    assert library.row("0" * 16) is None


def test_every_name_refers_to_the_newest_version(library: Library) -> None:
    first = add(library, "one", title="My notes")
    second = add(library, "two", title="My notes")
    for name in ("/texts/notes.txt", "notes.txt", "notes", "My notes", "my no", "notes "):
        assert library.find_document(name).id == second, name
    assert library.find_document(first).id == first
    assert library.find_document(first[:6]).id == first
    library.remove(second)
    assert library.find_document("notes.txt").id == first
    assert versions(library) == {first: (1, True)}


def test_a_source_may_go_back_to_an_earlier_text(library: Library) -> None:
    first, second = add(library, "one"), add(library, "two")
    add(library, "one")  # as when a question about it is kept
    assert versions(library) == {first: (1, False), second: (2, True)}
    for _ in range(2):
        add(library, "one", current=True)
        assert versions(library) == {first: (3, True), second: (2, False)}
    assert library.find_document("notes.txt").id == first


def test_the_same_text_in_two_places(library: Library) -> None:
    text = add(library, "one", "/texts/notes.txt")
    old = add(library, "older", "/texts/copy.txt")
    assert add(library, "one", "/texts/copy.txt") == text
    found = row(library, text)
    assert (found.source, found.version) == ("/texts/notes.txt", 1)
    assert found.locations == ("/texts/copy.txt", "/texts/notes.txt")
    for name in ("copy.txt", "/texts/copy.txt", "notes"):
        assert library.find_document(name).id == text
    assert versions(library)[old] == (1, False)
    add(library, "another", "/texts/notes.txt")
    assert row(library, text).locations == ("/texts/copy.txt",)
    assert library.find_document("copy.txt").id == text
