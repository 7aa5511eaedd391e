"""What a shelf is filled from: each kind of source gives its documents, with their metadata."""

from __future__ import annotations

import json
import os
import tarfile
import zipfile
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from filling.conftest import book
from readagent.errors import LoadError
from readagent.filling import Filling, SourceRow
from readagent.filling.sources import load_source
from readagent.library import Library
from readagent.loaders import Skipped


@pytest.fixture
def filling() -> Filling:
    return Filling(Library.in_memory(), "books")


def loaded(filling: Filling) -> dict[str, tuple[str, str]]:
    """Return the title and the text of each document, by the end of its source."""
    documents = {row.source: load_source(row) for row in filling.sources()}
    return {source.rpartition("/")[2]: (one.title, one.text) for source, one in documents.items()}


def test_a_folder_gives_its_files_once(filling: Filling, folder: Path) -> None:
    (folder / ".hidden.txt").write_text("hidden")
    (folder / "notes.log").write_text("a log")
    assert filling.add(folder, exclude=["*.log"]) == 6
    assert filling.add(folder, exclude=["*.log"]) == 0
    assert loaded(filling)["3.txt"] == ("3", book(3))
    (folder / "3.txt").write_text("It has changed, and is longer than it was before.")
    assert filling.add(folder, include=["*.txt"]) == 1


@pytest.mark.parametrize("suffix", [".zip", ".tar"])
def test_an_archive_gives_its_files_and_nothing_is_unpacked(filling: Filling, folder: Path, suffix: str) -> None:
    archive, skipped = folder / f"all{suffix}", list[Skipped]()
    left_out = {"../up.txt": "a name with ..", "__MACOSX/x.txt": "hidden", ".git/y.txt": "hidden"}
    _pack(archive, {"a/one.txt": book(1), "b/two.txt": book(2), **left_out})
    assert filling.add(archive, on_skip=skipped.append) == 2
    assert left_out.items() <= {one.source.partition("!/")[2]: one.reason for one in skipped}.items()
    assert loaded(filling) == {"one.txt": ("one", book(1)), "two.txt": ("two", book(2))}
    assert [row.source.partition("!/")[2] for row in filling.sources()] == ["a/one.txt", "b/two.txt"]
    assert not list(folder.rglob("*two.txt"))
    assert filling.add(folder) == 6  # the archive in it is known


def test_an_exported_chat_is_one_document_as_a_folder_and_as_an_archive(filling: Filling, tmp_path: Path) -> None:
    said = '[{"user": "U1", "text": "The key is under the mat", "ts": "1709280060.1"}]'
    files = {"users.json": '[{"id": "U1", "name": "ida"}]', "channels.json": "[]", "boats/2024-03-01.json": said}
    _pack(tmp_path / "slack.zip", {f"export/{name}": text for name, text in files.items()})
    (tmp_path / "chats" / "slack" / "boats").mkdir(parents=True)
    (tmp_path / "chats" / "notes.txt").write_text("Some notes.")
    for name, text in files.items():
        (tmp_path / "chats" / "slack" / name).write_text(text)
    assert filling.add(tmp_path) == 3
    assert filling.add(tmp_path) == 0
    found = loaded(filling)
    assert found.keys() == {"slack", "slack.zip", "notes.txt"}
    assert all("ida: The key is under the mat" in found[name][1] for name in ("slack", "slack.zip"))
    (tmp_path / "chats" / "slack" / "boats" / "2024-03-02.json").write_text(said)
    assert filling.add(tmp_path) == 1


def _add_link(archive: Path, name: str, target: str, kind: bytes = tarfile.LNKTYPE) -> None:
    link = tarfile.TarInfo(name)
    link.type, link.linkname = kind, target
    with tarfile.open(archive, "a") as tar:
        tar.addfile(link)


def test_other_links_of_a_tar_file_are_not_followed(filling: Filling, folder: Path) -> None:
    archive, skipped = folder / "all.tar", list[Skipped]()
    _pack(archive, {"a.txt": book(1)})
    _add_link(archive, "itself.txt", "itself.txt")
    _add_link(archive, "outside.txt", str(folder / "0.txt"))
    _add_link(archive, "symbolic.txt", "a.txt", tarfile.SYMTYPE)
    _add_link(archive, "of-a-link.txt", "symbolic.txt")
    assert filling.add(archive, on_skip=skipped.append) == 1
    assert {one.source.partition("!/")[2]: one.reason for one in skipped} == dict.fromkeys(
        ("a/link.txt", "itself.txt", "outside.txt", "symbolic.txt", "of-a-link.txt"), "a link or a device"
    )


def test_an_encrypted_file_of_an_archive_is_an_error_of_its_own(filling: Filling, folder: Path) -> None:
    archive = folder / "all.zip"
    _pack(archive, {"a.txt": book(1)})
    data = bytearray(archive.read_bytes())
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(header) + flags] |= 1
    archive.write_bytes(data)
    assert filling.add(archive) == 1
    with pytest.raises(LoadError, match=r"^a\.txt is encrypted$") as raised:
        loaded(filling)
    assert raised.value.hint == "pack the files without a password"


def test_a_damaged_archive_is_an_error_of_its_own(filling: Filling, folder: Path) -> None:
    (folder / "bad.zip").write_bytes(b"PK\x03\x04 no archive")
    assert filling.add(folder) == 7
    with pytest.raises(LoadError, match=r"bad\.zip"):
        filling.add(folder / "bad.zip")
    bad = next(row for row in filling.sources() if row.source.endswith("bad.zip"))
    with pytest.raises(LoadError):
        load_source(bad)


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_a_manifest_gives_sources_with_metadata(filling: Filling, folder: Path, kind: str) -> None:
    rows = [{"path": "0.txt", "title": "The first", "court": "Hull"}, {"path": str(folder / "1.txt"), "court": ""}]
    rows.append({"path": "https://example.org/a.html", "title": "", "court": "York"})
    manifest = folder / f"list.{kind}"
    if kind == "jsonl":
        manifest.write_text("".join(json.dumps(row) + "\n\n" for row in rows))
    else:
        manifest.write_text(
            "path,title,court\n"
            + "".join(",".join(row.get(c, "") for c in ("path", "title", "court")) + "\n" for row in rows)
        )
    assert filling.add(manifest) == 3
    first, second, third = filling.sources()
    assert (first.source, second.source) == (str(folder / "0.txt"), str(folder / "1.txt"))
    assert (third.source, third.metadata) == ("https://example.org/a.html", {"court": "York"})
    document = load_source(first)
    assert (document.title, document.metadata["court"]) == ("The first", "Hull")
    assert load_source(second).title == "1"


def test_a_refused_manifest_adds_nothing(filling: Filling, folder: Path) -> None:
    rows = "".join(f'{{"path": "{number}.txt"}}\n' for number in range(1000))
    (folder / "list.jsonl").write_text(f"{rows}{{\n")
    for sources in ((folder / "list.jsonl",), (folder, folder / "list.jsonl"), (folder, folder / "none")):
        with pytest.raises(LoadError, match=r"line 1001 is not JSON|there is no file"):
            filling.add(*sources)
        assert filling.library.corpora.all() == []
        assert filling.library.shelves.all() == []


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"path": ["0.txt"]}, "the path in line 3 is not text"),
        ({"url": {"name": "0.txt"}}, "the url in line 3 is not text"),
        ({"path": "a\0b"}, "the path in line 3 has a NUL character"),
        ({"path": "/sys/kernel/notes"}, "the path in line 3 is a file of the system"),
        ({"path": "file:///etc/passwd"}, "the path in line 3 is not a supported address"),
        ({"url": "javascript:alert(1)"}, "the url in line 3 is not a supported address"),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
def test_a_source_that_a_manifest_may_not_name_is_told_with_its_line(
    filling: Filling, folder: Path, row: dict[str, object], problem: str
) -> None:
    (folder / "link.txt").symlink_to("/dev/null")
    (folder / "list.jsonl").write_text(f'{{"path": "0.txt"}}\n\n{json.dumps(row)}\n')
    with pytest.raises(LoadError) as raised:
        filling.add(folder / "list.jsonl")
    assert str(raised.value) == f"the manifest list.jsonl cannot be used: {problem}"
    assert raised.value.hint


def test_values_of_a_parquet_manifest_become_plain_text(filling: Filling, folder: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    row = {
        "path": "0.txt", "signed": datetime(1998, 5, 4, 12, 30), "day": date(1998, 5, 4), "rent": Decimal("12.50"),
        "mark": b"Ada", "raw": b"\xff\x00", "valid": True, "parties": ["Ada", "Bo"], "empty": "", "none": None,
    }  # fmt: skip
    parquet.write_table(pyarrow.Table.from_pylist([row]), folder / "list.parquet")
    filling.add(folder / "list.parquet")
    (added,) = filling.sources()
    assert added.metadata == {
        "signed": "1998-05-04T12:30:00", "day": "1998-05-04", "rent": "12.50", "mark": "Ada", "raw": "ff00",
        "valid": "true", "parties": '["Ada", "Bo"]',
    }  # fmt: skip
    (folder / "bad.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(LoadError, match=r"bad\.parquet cannot be read"):
        filling.add(folder / "bad.parquet")


def test_a_password_in_a_manifest_is_neither_kept_nor_shown(filling: Filling, folder: Path) -> None:
    (folder / "list.jsonl").write_text('{"url": "https://ada:hunter2@example.org/a.html"}\n')
    with pytest.raises(LoadError, match="line 1 has a user or a password") as raised:
        filling.add(folder / "list.jsonl")
    assert "hunter2" not in f"{raised.value} {raised.value.hint}"
    assert filling.library.corpora.all() == []


def test_a_manifest_cannot_use_other_protocols(filling: Filling, folder: Path) -> None:
    pytest.importorskip("fsspec")
    for place in ("file::https://example.org/x.txt", "file:///a::s3://b"):
        with pytest.raises(LoadError):
            load_source(_row(place))
    with pytest.raises(LoadError, match="not a supported address"):
        filling.add("ssh://host/file.txt")


def test_a_store_gives_its_files(filling: Filling, folder: Path) -> None:
    pytest.importorskip("fsspec")
    assert filling.add(f"file://{folder}") == 6
    assert filling.add(f"file://{folder}") == 0
    first = next(iter(filling.sources()))
    assert first.source == f"file://{folder}/0.txt"
    assert (load_source(first).text, load_source(first).source) == (book(0), first.source)
    with pytest.raises(LoadError, match="there is nothing at"):
        filling.add(f"file://{folder}/none")
    with pytest.raises(LoadError, match="could not be read"):
        load_source(_row(f"file://{folder}/none.txt"))


def _row(source: str) -> SourceRow:
    row = next(iter(_one(source).sources()))
    assert row.source == source
    return row


def _one(source: str) -> Filling:
    from readagent.filling import Entry

    filling = Filling(Library.in_memory(), "books")
    filling.add_entries([Entry(source)])
    return filling


def _pack(archive: Path, files: dict[str, str]) -> None:
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive, "w") as packed:
            for name, text in files.items():
                packed.writestr(name, text)
        return
    place = archive.parent / "packed.tmp"
    with tarfile.open(archive, "w") as tar:
        for name, text in files.items():
            place.write_text(text)
            tar.add(place, name)
        link = tarfile.TarInfo("a/link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        tar.addfile(link)
    place.unlink()
