"""Archives read as folders, old Excel files and Outlook messages, through `load` and its sandbox."""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from fixtures.small_files import BOATS, FARES, packed
from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders import load_all, load_bytes
from readagent.loaders.loading import Loaded, Skipped


def read(data: bytes, name: str) -> Document:
    return load_bytes(data, name, source="")


def refused(data: bytes, name: str = "boats.zip") -> str:
    with pytest.raises(LoadError) as caught:
        read(data, name)
    assert name in str(caught.value)
    assert caught.value.hint
    return f"{caught.value}; {caught.value.hint}"


def test_a_zip_archive_is_read_as_a_folder() -> None:
    files = {"part 10.md": "# Ten\n\nAnna rows.", "part 2.txt": "Ida waits.", "a/page.html": "<p>They met.</p>",
             ".git/x": "no", "__MACOSX/part": "no", "inner.zip": packed({"a.txt": "deep"}), "p.png": b"\x89PNG\r\n"}  # fmt: skip
    document = read(packed(files), "boats.zip")
    assert [document.text[one.start : one.end].strip() for one in document.paragraphs] == [
        "a/page.html", "They met.", "part 2.txt", "Ida waits.", "part 10.md", "Ten", "Anna rows."
    ]  # fmt: skip
    assert document.place_at(document.text.index("Anna")) == "part 10.md, Ten, par. 1"
    assert document.title == "boats"
    assert "inner.zip is an archive in an archive" in document.metadata["not_read"]
    assert "p.png seems to be a PNG image" in document.metadata["not_read"]


def test_the_only_file_of_an_archive_and_a_compressed_file_are_that_file() -> None:
    for data, name in ((packed({"notes.md": "# Boats"}), "a.zip"), (gzip.compress(b"# Boats"), "notes.md.gz")):
        document = read(data, name)
        assert (document.text, document.paragraphs[0].heading) == ("Boats\n\n", 1)


def test_archives_without_a_document_or_that_may_do_harm_are_refused() -> None:
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    assert "no files to read" in refused(buffer.getvalue())
    assert "times its size" in refused(packed({"a.txt": bytes(9_000_000)}))
    assert "times its size" in refused(gzip.compress(bytes(9_000_000)), "boats.gz")
    assert "damaged" in refused(gzip.compress(b"Anna rows. " * 99)[:-9], "boats.gz")
    secret = packed({"a.txt": "Anna"}).replace(b"PK\x03\x04\x14\x00\x00", b"PK\x03\x04\x14\x00\x01")
    secret = secret.replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01")
    assert "password" in refused(secret)
    with tarfile.open(fileobj=(tarred := io.BytesIO()), mode="w:gz") as tar:
        tar.addfile(tarfile.TarInfo("a.txt"))
    assert "tar archive" in refused(tarred.getvalue(), "boats.tar")
    assert "for example, p.png" in refused(packed({"p.png": b"\x89PNG\r\n"}))


def test_archives_in_a_folder_are_read_or_skipped_quietly(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(packed({"a.txt": "Anna rows."}))
    (tmp_path / "b.jar").write_bytes(packed({"A.class": b"\xca\xfe\xba\xbe" + bytes(60)}))
    first, second = load_all(tmp_path)
    assert isinstance(first, Loaded)
    assert isinstance(second, Skipped)
    assert second.unsupported


def test_an_old_excel_file() -> None:
    pytest.importorskip("xlrd")
    document = read(FARES, "fares.xls")
    assert document.text == "Boats\n\ntown | share | since\nOst | 12% | 2024-03-01\n\n"
    assert document.metadata["not_read"] == "hidden sheet Secret"


def test_an_outlook_message() -> None:
    pytest.importorskip("oxmsg")
    document = read(BOATS, "boats.msg")
    assert (document.title, document.metadata) == ("Boats", {"author": "Anna Berg", "date": "2024-03-01"})
    assert document.text.splitlines()[2:] == [
        "Anna Berg, 2024-03-01 09:00", "", "From: Anna Berg <anna@example.org>", "", "To: Ida Brandt <ida@example.org>",
        "", "The boat leaves at nine.", "Anna", "", "Attachments: fares.pdf", "",
    ]  # fmt: skip
    assert "damaged" in refused(
        BOATS[:1500] + b"__properties_version1.0".decode().encode("utf-16-le") + b"\0\0", "boats.msg"
    )
