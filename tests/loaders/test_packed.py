"""Archives read as folders, old Excel files and Outlook messages, through `load` and its sandbox."""

from __future__ import annotations

import gzip
import io
import json
import stat
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from functools import partial
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


def tarred(files: Mapping[str, str | bytes], mode: str = "w") -> bytes:
    with tarfile.open(fileobj=(buffer := io.BytesIO()), mode=mode) as tar:  # type: ignore[call-overload]
        link = tarfile.TarInfo("link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.encode()
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("pack", "name"), [(packed, "boats.zip"), (tarred, "boats.tar"), (partial(tarred, mode="w:gz"), "boats.tar.gz")]
)
def test_an_archive_is_read_as_a_folder(pack: Callable[[Mapping[str, str | bytes]], bytes], name: str) -> None:
    files = {"part 10.md": "# Ten\n\nAnna rows.", "part 2.txt": "Ida waits.", "a/page.html": "<p>They met.</p>",
             ".git/x": "no", "__MACOSX/part": "no", "inner.zip": packed({"a.txt": "deep"}), "p.png": b"\x89PNG\r\n",
             "../b.txt": "no"}  # fmt: skip
    document = read(pack(files), name)
    assert [document.text[one.start : one.end].strip() for one in document.paragraphs] == [
        "a/page.html", "They met.", "part 2.txt", "Ida waits.", "part 10.md", "Ten", "Anna rows."
    ]  # fmt: skip
    assert document.place_at(document.text.index("Anna")) == "part 10.md, Ten, par. 1"
    assert document.title == "boats"
    assert "inner.zip is an archive in an archive" in document.metadata["not_read"]
    assert "p.png seems to be a PNG image" in document.metadata["not_read"]
    assert "../b.txt has a name that points outside" in document.metadata["not_read"]


SLACK = {
    "users.json": [
        {"id": "U1", "name": "ida", "profile": {"display_name": "", "real_name": "Ida Berg"}},
        {"id": "U2", "name": "bo", "profile": {"display_name": "Bo"}},
    ],
    "channels.json": [{"id": "C1", "name": "boats"}],
    "dms.json": [{"id": "D1", "members": ["U1", "U2"]}],
    "D1/2024-03-02.json": [{"user": "U2", "text": "Psst", "ts": "1709366400.1"}],
    "boats/2024-03-01.json": [
        {"user": "U2", "subtype": "channel_join", "text": "<@U2> has joined the channel", "ts": "1709280000.1"},
        {"user": "U1", "text": "<@U2>, where &amp; when? <https://a.example/b|map> in <#C1|boats>", "ts": "1709280060.1"},
        {"user": "U1", "text": "Lunch, <!here>", "ts": "1709280120.1"},
    ],
    "boats/2024-03-02.json": [
        {"user": "U2", "text": "The shed", "ts": "1709366400.2", "thread_ts": "1709280060.1", "files": [{"title": "a"}]},
        {"username": "tides", "text": "", "attachments": [{"fallback": "Low"}], "ts": "1709366460.1"},
        {"username": "tides", "text": "", "ts": "1709366520.1", "attachments": [
            {"fallback": "no", "title": "Noon", "text": "Rising", "fields": [{"title": "Height", "value": "2 m"}]}]},
        {"username": "tides", "text": "", "ts": "1709366580.1", "blocks": [
            {"type": "section", "text": {"type": "mrkdwn", "text": "Storm <@U2>"}}]},
        {"user": {}, "text": None, "ts": []}, 7,
    ],
    "boats/2024-03-03.json": "{",
}  # fmt: skip


def test_an_export_of_slack_is_one_text(tmp_path: Path) -> None:
    files = {name: one if isinstance(one, str) else json.dumps(one) for name, one in SLACK.items()}
    document = read(packed({f"export/{name}": text for name, text in files.items()}), "slack.zip")
    assert [(one.place, document.text[one.start : one.end].strip()) for one in document.paragraphs] == [
        ("", "#boats"),
        ("2024-03-01 08:00", "@Bo has joined the channel"),
        ("2024-03-01 08:01", "Ida Berg: @Bo, where & when? map (https://a.example/b) in #boats"),
        ("2024-03-02 08:00", "Bo: ↳ The shed (file: a)"),
        ("2024-03-01 08:02", "Ida Berg: Lunch, @here"),
        ("2024-03-02 08:01", "tides: Low"),
        ("2024-03-02 08:02", "tides: Noon"),
        ("2024-03-02 08:02", "Rising"),
        ("2024-03-02 08:02", "Height: 2 m"),
        ("2024-03-02 08:03", "tides: Storm @Bo"),
        ("", "Ida Berg, Bo"),
        ("2024-03-02 08:00", "Bo: Psst"),
    ]
    assert document.metadata["not_read"] == "export/boats/2024-03-03.json is not valid JSON"
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (loaded,) = load_all(tmp_path)
    assert isinstance(loaded, Loaded)
    assert loaded.document.text == document.text
    (tmp_path / "channels.json").unlink()
    (tmp_path / "dms.json").unlink()
    (loaded,) = load_all(tmp_path)  # as one person's export is
    assert isinstance(loaded, Loaded)
    assert "Ida Berg: Lunch, @here" in loaded.document.text


def test_the_parts_of_a_chat_of_facebook_are_one_text_from_the_oldest_message_on(tmp_path: Path) -> None:
    def part(*sent: int) -> str:  # UTF-8, of which each byte is written as a character; pictures have no text
        who, picture = "Zoë".encode().decode("latin-1"), {"sender_name": "Bo", "timestamp_ms": 0, "photos": []}
        said = [{"sender_name": who, "timestamp_ms": 1_600_000_000_000 + 60_000 * one, "content": f"{who} {one}"}
                for one in sent]  # fmt: skip
        return json.dumps({"title": who, "messages": [*said, picture, picture]})

    for number, sent in enumerate([(14, 13, 12, 11, 10), (4, 3, 2, 1, 0)], start=1):
        (tmp_path / f"message_{number}.json").write_text(part(*sent))
    (loaded,) = load_all(tmp_path)
    assert isinstance(loaded, Loaded)
    assert loaded.document.text.split("\n\n")[:-1] == [f"Zoë: Zoë {one}" for one in (0, 1, 2, 3, 4, 10, 11, 12, 13, 14)]
    assert loaded.document.paragraphs[0].place == "2020-09-13 12:26"


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
    assert "damaged" in refused(tarred({"a.txt": "Anna rows. " * 999})[:-9000], "boats.tar")
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
