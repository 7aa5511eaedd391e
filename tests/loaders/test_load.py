"""Plain text: encodings, titles, paragraphs, and one clear error where there is no text."""

from __future__ import annotations

import io
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures.small_files import packed
from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders import load
from readagent.loaders.formats import Options
from readagent.loaders.sources.files import MAX_BYTES
from readagent.loaders.text.decode import decode
from readagent.loaders.text.plain import parse

Write = Callable[..., Path]
PROSE = "Anna crossed the river at night, and nobody saw her.\r\n\r\nIn the morning the café was closed — “for good”.\n"
RUSSIAN = "Анна перешла реку ночью, и никто её не видел. Утром кафе было закрыто.\n"
JAPANESE = "アンナは夜に川を渡り、誰も彼女を見なかった。 朝、喫茶店は閉まっていた。\n"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(data: bytes | str, name: str = "text.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return write_file


def refused(source: str | Path) -> LoadError:
    with pytest.raises(LoadError) as caught:
        load(source)
    assert "\n" not in str(caught.value)
    return caught.value


def test_the_text_is_kept_exactly(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(PROSE, "river.txt")
    monkeypatch.chdir(tmp_path)
    expected = Document.from_text(PROSE, title="river", source=str(path.resolve()))
    assert load(path) == load(str(path)) == load("river.txt") == expected


@pytest.mark.parametrize("text", [PROSE, RUSSIAN, JAPANESE])
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-16-le with a mark", "utf-32-le with a mark", "utf-32-be with a mark", "utf-16-be"]
)
def test_every_unicode_encoding_is_detected(write: Write, text: str, encoding: str) -> None:
    name, _, marked = encoding.partition(" ")
    assert load(write((("\ufeff" if marked else "") + text).encode(name))).text == text


def test_one_invalid_byte_does_not_affect_the_rest(write: Write) -> None:
    data = (RUSSIAN * 5).encode()
    document = load(write(data[:50] + b"\xff" + data[50:]))
    assert document.text.replace("\ufffd", "") == RUSSIAN * 5
    assert "1 unreadable place" in document.metadata["encoding"]


def test_lines_in_two_encodings_are_each_read_in_theirs(write: Write) -> None:
    lines = ["Zürich überall\n".encode(), "Genève, café\n".encode("cp1252"), b"plain\n"]
    assert load(write(b"".join(lines * 3), "log.txt")).text == "Zürich überall\nGenève, café\nplain\n" * 3


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PROSE.encode()), encoding="ascii"))
    document = load("-")
    assert (document.text, document.title, document.source) == (PROSE, "standard input", "")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b" \n")))
    assert "standard input" in str(refused("-"))
    monkeypatch.setattr(sys, "stdin", None)
    refused("-")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The Second Lamp\n\nAnna crossed the river.", "The Second Lamp"),
        ("The Lamp\n========\n\nAnna crossed.", "The Lamp"),
        (".. SPDX: GPL-2.0\n.. include:: a.txt\n   :x: Y\n\nTranslator: B\n\n****\nLamp\n****\n\nOil\n---\n", "Lamp"),
        (".. _lamp:\n\n:mod:`lamp` --- Use ``Oil``\n----------------------------\n\nAnna.", "lamp --- Use Oil"),
        ("= The Lamp\nAnna Berg\n\n== Oil\n\nAnna crossed.", "The Lamp"),
        ("=encoding utf8\n\n=for x\nY\n\n=head1 NAME\nX<l>\n\nB<lamp> - Light it\n\n=head1 OIL\n", "lamp - Light it"),
        ('.\\" Anna\n.TH LAMP 1\n.SH NAME\nlamp, \\fBoil\\fR \\- light\nit\n.SH OIL\n', "lamp, oil - light it"),
        ("Version 2\n---------\n\nAnna.\n\nVersion 1\n---------\n\nOil.", "text"),
        ("Oil\n===\n\nAnna.\n\nRiver\n=====\n\nNobody.", "Oil"),
        ("*lamp.txt*  For Anna. Last change: May 3\n\n1. Oil\n\nAnna crossed.", "text"),
        ("% The lamp\n\nAnna crossed.", "text"),
        ("Anna crossed the river.\n\nOil\n---\n\nNobody saw her.", "text"),
        ("Anna crossed the river.\n\nNobody saw her.", "text"),
        ("IV.\n\nAnna crossed.", "text"),
        ("Chapter 1. The River\n\nAnna crossed.", "text"),
        ("Letter 4\n\nAnna crossed.", "text"),
        ("only one line", "text"),
    ],
)
def test_the_title_is_the_first_heading_or_a_line_that_reads_like_one(write: Write, text: str, title: str) -> None:
    assert load(write(text)).title == title


def test_a_missing_file_suggests_similar_names(write: Write, tmp_path: Path) -> None:
    write(PROSE, "Middlemarch.txt")
    write(PROSE, "notes.md")
    error = refused(tmp_path / "midlemarch.txt")
    assert "midlemarch.txt" in str(error)
    assert "Middlemarch.txt" in error.hint
    assert "notes.md" in refused(tmp_path / "notes.txt").hint
    assert "no folder" in refused(tmp_path / "nowhere" / "a.txt").hint
    assert refused(tmp_path / "zzz").hint
    for invalid in (tmp_path / "notes.md" / "inside", "", "~nobody-of-that-name/a"):
        refused(invalid)


@pytest.mark.parametrize("data", [b"", "\u3000\n".encode()])
def test_empty_files_are_refused(write: Write, data: bytes) -> None:
    message = str(refused(write(data)))
    assert "empty" in message or "white space" in message


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def stream(name: str) -> bytes:
    """Return the entry of a stream in the directory of an OLE file."""
    return name.encode("utf-16-le").ljust(64, b"\x00")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (packed({"ppt/other.xml": "x"}), "PowerPoint"),
        (packed({"xl/workbook.bin": "x"}), "a binary Excel file (.xlsb)"),
        (b"%!PS-Adobe-3.0\n", "a PostScript document"),
        (b"SQLite format 3\x00" + bytes(84), "SQLite"),
        (OLE + stream("PowerPoint Document"), "an old PowerPoint file (.ppt)"),
        (b"\x7fELF\x02\x01\x01" + bytes(60), "program"),
        (b"\xff\xfe" + bytes(400), "binary"),
    ],
)
def test_binary_files_are_named(write: Write, data: bytes, kind: str) -> None:
    error = refused(write(data))
    assert kind in str(error)
    assert error.hint


def test_old_office_files_say_how_to_convert_them(tmp_path: Path) -> None:
    path = tmp_path / "my budget.doc"
    path.write_bytes(OLE + stream("Workbook") + stream("WordDocument"))
    error = refused(path)
    assert "my budget.doc seems to be an old Word file (.doc)" in str(error)
    assert "soffice --headless --convert-to docx" in error.hint
    assert "my budget.doc'" in error.hint


@pytest.mark.parametrize(
    "data", [b"Anna crossed" + bytes(7) + b" the river.\n", "Anna crossed the river.\n".encode("utf-16-be")]
)
def test_text_with_zero_bytes_is_read(write: Write, data: bytes) -> None:
    assert load(write(data)).text.strip() == "Anna crossed the river."


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(write: Write, data: bytes) -> None:
    try:
        document = load(write(data))
    except LoadError:
        return
    assert document.text.strip()
    assert document.title


def test_a_file_or_a_text_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "huge.txt"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert "larger than 500 MB" in str(refused(path))
    monkeypatch.setattr("readagent.loaders.text.decode.MAX_CHARACTERS", 2000)
    with pytest.raises(LoadError, match=r"long\.txt contains more than") as caught:
        parse((b"x" * 2001), "long.txt", Options())
    assert caught.value.hint


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this platform")
def test_pipes_devices_and_sockets_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "is a named pipe" in str(refused(tmp_path / "pipe"))
    assert "is a device" in str(refused("/dev/null"))
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        assert "is a socket" in str(refused(tmp_path / "socket"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this platform")
def test_process_substitution_is_read(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, PROSE.encode())
    os.close(writing)
    try:
        document = load(f"/dev/fd/{reading}")
        assert (document.text, document.source) == (PROSE, "")
    finally:
        os.close(reading)


A_RIVER = "家の前には小さな川が流れている。朝になると近所の子どもたちが集まって、石を投げたり魚を追いかけたりして遊ぶ。"
KOREAN = "어젯밤에 비가 많이 와서 강물이 불어났다. 마을 사람들은 모두 산으로 올라갔지만 노인 한 사람만 집에 남았다."
CZECH = "Včera večer silně pršelo a řeka se zvedla. Všichni obyvatelé vesnice odešli na kopec, jen stařec zůstal doma."
SPANISH = "Anoche llovió mucho y el río creció. ¿Quién sabe? Mañana volverán los vecinos, dijo el anciano, sin temor."
TURKISH = "Dün akşam çok yağmur yağdı ve ırmak yükseldi. Köyün bütün sakinleri dağa çıktı, yalnız yaşlı bir adam kaldı."
ARABIC = "هطل المطر بغزارة ليلة أمس وارتفع النهر. ذهب جميع سكان القرية إلى الجبل، وبقي شيخ واحد في بيته."


@pytest.mark.parametrize(
    ("text", "encodings"),
    [
        (A_RIVER, "shift_jis euc_jp iso2022_jp"),
        (KOREAN, "euc_kr"),
        (CZECH, "cp1250 iso8859_2"),
        (SPANISH, "latin_1 mac_roman"),
        (TURKISH, "cp1254"),
        (ARABIC, "cp1256"),
    ],
)
def test_the_encoding_of_a_few_sentences_is_detected(text: str, encodings: str) -> None:
    for encoding in encodings.split():
        for long in (text, "\n".join([text] * 400)):
            assert decode(long.encode(encoding), "text.txt")[0] == long, encoding
