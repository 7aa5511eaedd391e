"""Format detection: the content decides, not the name."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from fixtures.small_files import EXAMPLES, packed
from readagent.errors import LoadError
from readagent.loaders.formats import FORMATS
from readagent.loaders.sniff import detect_format

PROSE = "Anna crossed the river at night, and nobody saw her.\n\nIn the morning the café was closed.\n"
PAGE = "<!DOCTYPE html>\n<html><head><title>River</title></head><body><p>Anna crossed.</p></body></html>"
SRT = "1\n00:00:01,000 --> 00:00:04,000\nAnna crossed the river.\n\n2\n00:00:05,000 --> 00:00:07,000\nAt night.\n"
CHAT = [{"role": "user", "content": "Who crossed the river?"}, {"role": "assistant", "content": "Anna did, at night."}]
MEETING = "".join(
    f"{speaker}: {said}\n"
    for speaker, said in [("Anna", "Shall we begin?"), ("Bruno", "Yes, the boats first."), ("Anna", "There are nine."),
                          ("Carla", "Eight, since Monday."), ("Bruno", "Then we need a rope."), ("Anna", "Agreed.")] * 3
)  # fmt: skip
PYTHON = "import os\n\n\ndef cross(river):\n    return os.path.join(river, 'bank')\n"
FLAT = '<?xml version="1.0"?>\n<office:document xmlns:office="urn:x" office:mimetype="application/vnd.oasis.opendocument.text"/>'
EPUB = packed({"mimetype": "application/epub+zip", "META-INF/container.xml": "x", "a.xhtml": "x"})
DOCX = packed(
    {"[Content_Types].xml": "x", "word/document.xml": "x", **{f"word/media/{n}.png": "x" for n in range(500)}}
)
ODT = (Path(__file__).parents[1] / "fixtures" / "garden.pandoc.odt").read_bytes()
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\nendobj\n%%EOF\n"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
RTF = rb"{\rtf1\ansi Anna crossed the river.}"


@pytest.mark.parametrize(
    ("data", "name", "format_name"),
    [
        (PROSE, "river.txt", "text"),
        (PROSE, "river.html", "text"),
        (PROSE, "river.md", "markdown"),
        (PAGE, "page.html", "html"),
        (PAGE, "page.txt", "html"),
        (PAGE.encode("utf-16"), "page.txt", "html"),
        (PDF, "river.txt", "pdf"),
        ("The mark is %PDF-1.7, at the start of the file.", "about.txt", "text"),
        (EPUB, "river.zip", "epub"),
        (DOCX, "river.doc", "docx"),
        (ODT, "river", "odt"),
        (packed({"a/word/document.xml": "x"}), "river.docx", "archive"),
        (b"\x1f\x8b\x08", "river.txt", "archive"),
        (OLE + "Workbook\0".encode("utf-16-le"), "river.doc", "xls"),
        (OLE + "__properties_version1.0\0".encode("utf-16-le"), "river.msg", "msg"),
        (FLAT, "river.xml", "odt"),
        (RTF, "river.doc", "rtf"),
        (EXAMPLES["pptx"][0], "river.zip", "pptx"),
        (EXAMPLES["xlsx"][0], "river.xls", "xlsx"),
        (EXAMPLES["email"][0], "river", "email"),
        (b"From: Anna\nDate: Monday\nSubject: River\n\nAnna crossed.\n", "letter.txt", "text"),
        (EXAMPLES["notebook"][0], "river.json", "notebook"),
        (EXAMPLES["csv"][0], "river.csv", "csv"),
        (PROSE, "river.csv", "text"),
        (SRT, "film.srt", "subtitles"),
        (SRT, "film.txt", "subtitles"),
        (PROSE, "film.srt", "text"),
        (json.dumps(CHAT), "talk.json", "chat"),
        (json.dumps({"messages": CHAT}, indent=1), "talk.txt", "chat"),
        ("\n".join(map(json.dumps, CHAT)), "talk.jsonl", "chat"),
        (MEETING, "meeting.txt", "transcript"),
        (PYTHON, "river.py", "code"),
        ("<?php echo 'river'; ?>\n" + PAGE, "index.php", "code"),
        ("project(river)\n", "CMakeLists.txt", "code"),
        ("[1] See the first chapter.\n\nAnna crossed.", "notes.txt", "text"),
    ],
)
def test_content_comes_before_the_name(data: bytes | str, name: str, format_name: str) -> None:
    assert detect_format(data.encode() if isinstance(data, str) else data, name) == format_name


@pytest.mark.parametrize(
    ("data", "name", "content_type", "format_name"),
    [
        ("<p>Anna <b>crossed</b>.</p>", "river", "text/html", "html"),
        (PAGE, "river.txt", "text/plain", "html"),
        (EXAMPLES["csv"][0], "river", "text/csv", "csv"),
    ],
)
def test_content_comes_before_the_content_type(
    data: bytes | str, name: str, content_type: str, format_name: str
) -> None:
    assert detect_format(data.encode() if isinstance(data, str) else data, name, content_type) == format_name


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (bytes(60) + b"BOOKMOBI" + bytes(40), "my lamp.azw3"),
        (b"<?xml version='1.0'?><FictionBook><body/></FictionBook>", "lamp.xml"),
        (packed({"lamp.fb2": "x"}), "lamp.fb2.zip"),
    ],
)
def test_books_that_are_not_in_epub_name_the_command_that_converts_them(data: bytes, name: str) -> None:
    with pytest.raises(LoadError) as caught:
        detect_format(data, name)
    assert f"ebook-convert {shlex.quote(name)} {shlex.quote(name.partition('.')[0] + '.epub')}" in caught.value.hint


def test_a_file_of_blanks_is_recognised_at_once() -> None:
    assert detect_format(b"\t" * 60_000 + b"a", "blanks.txt") == "text"


def test_every_format_has_a_case_here() -> None:
    cases = test_content_comes_before_the_name.pytestmark[0].args[1]  # type: ignore[attr-defined]
    assert {format_name for *_, format_name in cases} == set(FORMATS)
