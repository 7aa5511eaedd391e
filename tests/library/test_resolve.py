"""Finding a document by what a user typed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from readagent.core.document import Document
from readagent.errors import NotInLibraryError
from readagent.library import Library


def add(library: Library, text: str, title: str = "", source: str | Path = "") -> str:
    return library.add(Document.from_text(text, title=title, source=str(source)))


@pytest.fixture
def middlemarch(library: Library, tmp_path: Path) -> str:
    add(library, "Call me Ishmael.", "Moby-Dick; or, The Whale", tmp_path / "whale.txt")
    add(library, "Two households", "Romeo and Juliet", tmp_path / "plays" / "romeo.txt")
    return add(library, "Miss Brooke had that kind of beauty", "Middlemarch", tmp_path / "books" / "eliot.txt")


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


def test_part_of_a_title_is_enough_if_it_is_unique(library: Library, middlemarch: str) -> None:
    assert library.find_document("juliet").title == "Romeo and Juliet"
    assert library.find_document("dlemar").id == middlemarch


def test_an_ambiguous_name_is_not_guessed(library: Library) -> None:
    ids = [add(library, f"text {n}", "Notes", f"/{n}/notes.txt") for n in range(2)]
    for name in ("notes", "Notes", "notes.txt", "no"):
        with pytest.raises(NotInLibraryError) as caught:
            library.find_document(name)
        assert all(one[:8] in str(caught.value) for one in ids)
        assert sorted(caught.value.candidates) == sorted(ids)
        assert "id" in caught.value.hint
    assert library.find_document("/1/notes.txt").id == ids[1]
