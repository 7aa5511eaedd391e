"""Folders: which files are read, in which order, how unreadable ones are reported, and that links lead nowhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from readagent.errors import LoadError
from readagent.loaders import Loaded, Skipped, combine, load, load_all
from readagent.loaders.sources import folder
from readagent.loaders.sources.folder import list_files
from readagent.loaders.sources.inside import Inside


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    root = tmp_path / "shelf"
    root.mkdir()
    return root


def put(root: Path, *names: str, text: str = "") -> None:
    """Write files, each with a different text."""
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text or f"This is the text of {name}.\n")


def names(root: Path, **which: list[str]) -> list[str]:
    return [found.name for found in list_files(root, **which).files]


def test_files_come_in_reading_order(shelf: Path) -> None:
    put(shelf, "chapter10.txt", "chapter2.txt", "Chapter1.txt", "README.md", "03 end.txt", "02 middle/b.txt")
    put(shelf, "02 middle/a.txt", "01 beginning.txt", "02 middle/index.txt")
    assert names(shelf) == [
        "README.md", "01 beginning.txt", "02 middle/index.txt", "02 middle/a.txt", "02 middle/b.txt", "03 end.txt",
        "Chapter1.txt", "chapter2.txt", "chapter10.txt",
    ]  # fmt: skip


def test_generated_files_are_left_out(shelf: Path) -> None:
    put(shelf, *"code.py pyproject.toml poetry.lock package-lock.json .env .git/config app.min.js a.txt~".split())
    put(shelf, "node_modules/x/index.js", "__pycache__/code.pyc", "dist/code.py", "build/lib/code.py", ".venv/lib/a.py")
    put(shelf, "~$letter.docx", "thesis/build/plan.txt")
    assert names(shelf) == ["pyproject.toml", "code.py", "thesis/build/plan.txt"]
    assert list_files(shelf).left_out == 12


def test_gitignore_files_apply_at_every_level(shelf: Path) -> None:
    put(shelf, *"a.txt a.log keep.log out/x.txt docs/a.md docs/b.md docs/deep/c.md docs/draft.md top.txt".split())
    put(shelf, "docs/top.txt", "gen/a.md", "gen/keep.md")
    put(shelf, ".gitignore", text="*.log\n!keep.log\nout/\n/top.txt\n# a comment\n\ngen/**\n!gen/keep.md\n[\n!\n")
    put(shelf, "docs/.gitignore", text="draft.*\n*.md\n!a.md\n")
    assert names(shelf) == ["a.txt", "docs/a.md", "docs/top.txt", "gen/keep.md", "keep.log"]


def test_no_pattern_of_a_folder_takes_long(shelf: Path) -> None:
    put(shelf, f"{'a' * 200}.txt", f"{'a/' * 60}b.txt", f"{'d/' * 120}too-deep.txt")
    put(shelf, ".gitignore", text="*a*a*a*b\n**/a/**/a/**/a/c\n" * 500)
    assert names(shelf) == [f"{'a/' * 60}b.txt", f"{'a' * 200}.txt"]
    assert [one.reason for one in list_files(shelf).unreadable] == ["it is nested too deeply"]


def test_include_and_exclude(shelf: Path) -> None:
    put(shelf, "a.md", "b.txt", "notes/c.md", "notes/drafts/d.md", "drafts/e.md", "notes/f.py")
    assert names(shelf, include=["*.md"]) == ["a.md", "drafts/e.md", "notes/c.md", "notes/drafts/d.md"]
    assert names(shelf, include=["*.md"], exclude=["drafts/"]) == ["a.md", "notes/c.md"]
    assert names(shelf, include=["notes/**"]) == ["notes/c.md", "notes/drafts/d.md", "notes/f.py"]
    assert names(shelf, include=["/*.md", "*.py"]) == ["a.md", "notes/f.py"]
    assert names(shelf, exclude=["notes", "*.txt"]) == ["a.md", "drafts/e.md"]
    assert names(shelf, include=["*.pdf"]) == []


def test_links_are_not_followed_and_pipes_are_left_out(shelf: Path, tmp_path: Path) -> None:
    put(tmp_path, "outside/secret.txt")
    put(shelf, "a.txt", "inner/b.txt")
    (shelf / "loop").symlink_to(shelf, target_is_directory=True)
    (shelf / "inner" / "up").symlink_to("..", target_is_directory=True)
    (shelf / "out").symlink_to(tmp_path / "outside", target_is_directory=True)
    (shelf / "secret.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    (shelf / "self").symlink_to("self")
    if hasattr(os, "mkfifo"):
        os.mkfifo(shelf / "pipe.txt")
    assert names(shelf) == ["a.txt", "inner/b.txt"]
    (tmp_path / "door").symlink_to(shelf, target_is_directory=True)
    assert names(tmp_path / "door") == ["a.txt", "inner/b.txt"]


def test_too_many_files_are_an_error(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(shelf, *(f"{n}.txt" for n in range(12)), "a.md")
    monkeypatch.setattr(folder, "MAX_FILES", 10)
    with pytest.raises(LoadError, match="more than 10 files") as caught:
        load(shelf)
    assert "`include`" in caught.value.hint
    assert load_one(load_all(shelf, include=["*.md"])).source == "a.md"


def load_one(items: object) -> Loaded:
    (item,) = items  # type: ignore[misc]
    assert isinstance(item, Loaded)
    return item


def test_an_unreadable_file_does_not_stop_the_others(shelf: Path) -> None:
    put(shelf, "a.txt", "z.txt")
    (shelf / "b.txt").write_bytes(b"")
    (shelf / "c.docx").write_bytes(b"PK\x03\x04 nothing of the kind")
    (shelf / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (shelf / "d.doc").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument\0".encode("utf-16-le"))
    (shelf / "noise.txt").write_bytes(bytes(range(256)) * 50)
    items = list(load_all(shelf))
    skipped = {item.source: item for item in items if isinstance(item, Skipped)}
    assert [item.source for item in items if isinstance(item, Loaded)] == ["a.txt", "z.txt"]
    assert {name: item.reason for name, item in skipped.items()} == {
        "b.txt": "b.txt is empty",
        "c.docx": "c.docx is damaged or incomplete: its directory could not be read",
        "d.doc": "d.doc seems to be an old Word file (.doc)",
        "noise.txt": "noise.txt seems to be a binary file, not text",
        "photo.png": "photo.png seems to be a PNG image",
    }
    assert [name for name, item in skipped.items() if item.unsupported] == ["photo.png"]
    assert all(item.hint for item in skipped.values())
    (photo,) = load_all(shelf, include=["*.png"])
    assert isinstance(photo, Skipped)
    assert not photo.unsupported  # it was requested explicitly


def test_a_folder_loads_as_one_document(shelf: Path) -> None:
    put(shelf, "2.txt", text="The second chapter.\n\nIt has two paragraphs.")
    put(shelf, "10.txt", text="The tenth.\n")
    put(shelf, "part/1.md", text="# One\n\nAnna crossed.\n\n## Deeper\n\nThe river.\n")
    (shelf / "broken.txt").write_bytes(b"")
    document = load(shelf)
    assert (document.title, document.source) == ("shelf", str(shelf.resolve()))
    headings = [
        (one.heading, document.text[one.start : one.end].strip("# \n")) for one in document.paragraphs if one.heading
    ]
    assert headings[:3] == [(1, "2.txt"), (1, "10.txt"), (1, "part/1.md")]
    assert headings[3:] == [(2, "One"), (3, "Deeper")]
    assert document.place_at(document.text.index("two paragraphs")) == "2.txt, par. 2"
    assert document.place_at(document.text.index("Anna crossed")) == "part/1.md, One, par. 1"
    assert document.place_at(document.text.index("The river")) == "part/1.md, Deeper, par. 1"
    assert document.paragraphs[0].start == 0
    assert document.paragraphs[-1].end == len(document.text)
    assert all(a.end == b.start for a, b in zip(document.paragraphs, document.paragraphs[1:], strict=False))
    assert [one.index for one in document.paragraphs] == list(range(len(document.paragraphs)))
    assert load(shelf, title="My shelf").title == "My shelf"
    assert combine(shelf, load_all(shelf, exclude=["part/"])).metadata["files"] == "2"


@pytest.mark.skipif(os.name == "nt", reason="file names are always text on Windows")
def test_file_names_that_are_not_valid_unicode(shelf: Path) -> None:
    with open(os.fsencode(shelf) + b"/\xff\n.txt", "wb") as file:
        file.write(b"Anna crossed.")
    one = load_one(load_all(shelf))
    one.source.encode()
    load(shelf).text.encode()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("secret")
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "a.txt").write_text("inside")
    (root / "link.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    (root / "linked").symlink_to(tmp_path / "outside")
    return root


def opened(root: Path, path: Path) -> bytes:
    descriptor = Inside(root).open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 100)
    finally:
        os.close(descriptor)


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_a_file_below_is_opened_and_no_descriptor_is_left(root: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    assert opened(root, root / "sub" / "a.txt") == b"inside"
    for path in ("link.txt", "linked/secret.txt", "sub/absent.txt"):
        with pytest.raises(OSError):
            opened(root, root / path)
    assert len(os.listdir("/dev/fd")) == before


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
@pytest.mark.parametrize("path", ["../outside/secret.txt", "sub/../../outside/secret.txt"])
def test_a_path_outside_is_refused(root: Path, path: str) -> None:
    with pytest.raises(PermissionError):
        opened(root, root / path)
    with pytest.raises(LoadError, match="no permission"):
        load(root.parent / "outside" / "secret.txt", inside=root)
