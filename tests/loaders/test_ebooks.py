"""FictionBook and Kindle books: chapters, verse, notes and metadata, in every compression; protected books are named."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from fixtures.small_files import RIVER, fiction_book, kindle, packed
from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders import load
from readagent.loaders.ebook.fb2 import parse as parse_fb2
from readagent.loaders.ebook.kindle import parse as parse_mobi
from readagent.loaders.formats import Options


def fb2(data: bytes) -> Document:
    return parse_fb2(data, "lamp.fb2", Options())


def mobi(data: bytes) -> Document:
    return parse_mobi(data, "lamp.mobi", Options())


def paragraphs(document: Document) -> list[tuple[int, str]]:
    return [(one.heading, document.text[one.start : one.end].strip("\n")) for one in document.paragraphs]


def test_sections_and_their_titles() -> None:
    body = (
        "<title><p>The lamp</p></title><section><title><p>One</p><p>Evening</p></title><p>It was <emphasis>dark</emphasis>.</p>"
        "<section><title><p>Later</p></title><p>It was darker.</p></section></section>"
    )
    document = fb2(fiction_book(body))
    assert paragraphs(document) == [
        (1, "The lamp"),
        (1, "One Evening"),
        (0, "It was dark."),
        (2, "Later"),
        (0, "It was darker."),
    ]
    assert (document.title, document.metadata["author"], document.metadata["language"]) == (
        "The lamp",
        "Ida Brandt",
        "en",
    )


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"<FictionBook>", "not valid XML"), (packed({"a.txt": "b"}), "contains no FictionBook")],
)
def test_what_is_not_a_book_is_one_error(data: bytes, reason: str) -> None:
    with pytest.raises(LoadError, match=reason):
        fb2(data)


HTML = f"<html><head><title>x</title></head><body><h1>Boats</h1><p>{RIVER}</p><mbp:pagebreak/><p>The end.</p></body></html>"
READ = [(1, "Boats"), (0, RIVER), (0, "The end.")]


def palmdoc(text: bytes) -> bytes:
    """Compress with each kind of code: literals, runs of bytes, a space with a letter, and references."""
    out = bytearray()
    at = 0
    while at < len(text):
        before = text.rfind(text[at : at + 3], max(0, at - 2000), at) if at + 3 <= len(text) else -1
        if before >= 0:
            out += struct.pack(">H", 0x8000 | (at - before) << 3)
            at += 3
        elif text[at] == 0x20 and at + 1 < len(text) and 0x40 <= text[at + 1] < 0x80:
            out.append(text[at + 1] ^ 0x80)
            at += 2
        elif text[at] >= 0x80:
            out += bytes((1, text[at]))
            at += 1
        else:
            out.append(text[at])
            at += 1
    return bytes(out)


def huffman(text: bytes) -> tuple[bytes, list[bytes]]:
    """Return the text in a code of eight bits per byte, and its code and phrases; the phrase of "e" is the code of "E"."""
    phrases = [bytes([255 - index]) for index in range(256)]
    table = struct.pack(">256I", *(8 | 0x80 | 0xFF << 8 for _ in range(256)))
    code = (
        b"HUFF"
        + struct.pack(">IIII", 24, 24, 24 + len(table), 0).ljust(20, b"\x00")
        + table
        + struct.pack(">64I", *[0] * 64)
    )
    body, starts = b"", b""
    for index, phrase in enumerate(phrases):
        starts += struct.pack(">H", 2 * 256 + len(body))
        final = 0 if index == 255 - ord("e") else 0x8000
        body += struct.pack(">H", final | len(phrase)) + (phrase if final else b"E")
    cdic = b"CDIC" + struct.pack(">III", 16, 256, 8) + starts + body
    return bytes(text), [code, cdic]


def test_a_book_with_a_document_type_is_refused_and_not_read_as_markup(tmp_path: Path) -> None:
    path = tmp_path / "lamp.fb2"
    path.write_bytes(
        b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b SYSTEM 'c'>\n]>\n" + fiction_book("<p>&b;</p>")[38:]
    )
    with pytest.raises(LoadError, match="declares a document type"):
        load(path)


def test_palmdoc_compression() -> None:
    record = palmdoc(HTML.replace("end", "énd").encode())
    assert len(record) < len(HTML)
    assert paragraphs(mobi(kindle(HTML, compression=2, record=record)))[:2] == READ[:2]
    assert "The énd." in mobi(kindle(HTML, compression=2, record=record)).text


def test_huffman_compression() -> None:
    record, more = huffman(HTML.encode())
    text = mobi(kindle(HTML, compression=17480, record=record, more=more)).text
    assert RIVER.replace("e", "E") in text


def test_a_protected_book_is_named() -> None:
    with pytest.raises(LoadError, match=r"lamp\.mobi is copy-protected \(DRM\)") as caught:
        mobi(kindle(HTML, encryption=2))
    assert caught.value.hint


def test_a_palm_document_is_plain_text() -> None:
    data = bytearray(kindle(HTML))
    start = struct.unpack_from(">I", data, 78)[0]
    data[60:68] = b"TEXtREAd"
    data[start + 16 : start + 20] = bytes(4)
    plain = bytes(data).replace(HTML.encode(), RIVER.ljust(len(HTML)).encode())
    assert mobi(plain).text.strip("\x00 \n") == RIVER
