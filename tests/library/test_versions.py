"""A source whose text has changed, and finding a document by what a user typed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from readagent.core.document import Document
from readagent.errors import NotInLibraryError
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


def add_at(library: Library, text: str, title: str = "", source: str | Path = "") -> str:
    return library.add(Document.from_text(text, title=title, source=str(source)))


@pytest.fixture
def middlemarch(library: Library, tmp_path: Path) -> str:
    add_at(library, "Call me Ishmael.", "Moby-Dick; or, The Whale", tmp_path / "whale.txt")
    add_at(library, "Two households", "Romeo and Juliet", tmp_path / "plays" / "romeo.txt")
    return add_at(library, "Miss Brooke had that kind of beauty", "Middlemarch", tmp_path / "books" / "eliot.txt")


def test_a_document_is_found_by_each_of_its_names(
    library: Library, middlemarch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = [
        middlemarch,
        middlemarch[:4],
        middlemarch[:9],
        str(tmp_path / "books" / "eliot.txt"),
        os.path.join("books", "eliot.txt"),
        os.path.join("books", "..", "books", "eliot.txt"),
        "eliot.txt",
        "eliot",
        "Middlemarch",
        "middleMARCH ",
        "middle",
        "dlemar",
    ]
    assert {name: library.find_document(name).id for name in names} == dict.fromkeys(names, middlemarch)


def test_the_closest_names_are_suggested(library: Library, middlemarch: str) -> None:
    for name, nearest in [
        ("Midlemarch", "Middlemarch"),
        ("elliot.txt", "Middlemarch"),
        ("/elsewhere/romoe.txt", "Romeo and Juliet"),
        ("whales.txt", "Moby-Dick"),
        ("0" + middlemarch[1:], "Middlemarch"),
    ]:
        with pytest.raises(NotInLibraryError) as caught:
            library.find_document(name)
        assert name in str(caught.value)
        assert nearest in caught.value.hint
        assert [library.document(one).title.split(";")[0] for one in caught.value.candidates] == [nearest]
    with pytest.raises(NotInLibraryError) as caught:
        library.find_document("xyzzy")
    assert "readagent list" in caught.value.hint
    assert caught.value.candidates == ()


def test_an_ambiguous_name_is_not_guessed(library: Library) -> None:
    ids = [add_at(library, f"text {n}", "Notes", f"/{n}/notes.txt") for n in range(2)]
    for name in ("notes", "Notes", "notes.txt", "no"):
        with pytest.raises(NotInLibraryError) as caught:
            library.find_document(name)
        assert all(one[:8] in str(caught.value) for one in ids)
        assert sorted(caught.value.candidates) == sorted(ids)
        assert "id" in caught.value.hint
    assert library.find_document("/1/notes.txt").id == ids[1]
