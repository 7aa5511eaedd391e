"""What bytes seem to be, so that a file which is not text is refused by its name and not read as noise."""

from __future__ import annotations

import re

from readagent.errors import LoadError

_SURE = (
    (b"%PDF-", "a PDF"),
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Word, Excel or PowerPoint file"),
    (b"{\\rtf", "a rich text (RTF) file"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
)
_LIKELY = (  # a text may begin like this, so these only name what is binary anyway
    (b"GIF8", "a GIF image"),
    (b"BM", "a BMP image"),
    (b"BZh", "a bzip2 archive"),
    (b"ID3", "an MP3 recording"),
    (b"OggS", "an Ogg recording"),
    (b"fLaC", "a FLAC recording"),
    (b"MZ", "a program"),
    (b"PAR1", "a Parquet table"),
)
_ZIPPED = (
    (b"application/epub+zip", "an EPUB book"),
    (b"application/vnd.oasis.opendocument", "an OpenDocument file"),
    (b"word/", "a Word (DOCX) file"),
    (b"xl/", "an Excel file"),
    (b"ppt/", "a PowerPoint file"),
)
_HINT = "for now plain text is read; save it as plain text (.txt) and read that"


def refuse_empty(content: bytes | str, name: str) -> None:
    """Raise where there is nothing to read."""
    if not content:
        raise LoadError(f"{name} is empty", hint="give a file with some text in it")
    if not content.strip():
        raise LoadError(f"{name} holds nothing but white space", hint="give a file with some text in it")


def refuse_foreign(data: bytes, name: str) -> None:
    """Raise where the first bytes say that this is another format."""
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        raise LoadError(f"{name} seems to be {_zipped(data)}", hint=_HINT)
    for magic, kind in _SURE:
        if data.startswith(magic):
            raise LoadError(f"{name} seems to be {kind}", hint=_HINT)


def binary(data: bytes, name: str) -> LoadError:
    """The error for bytes that are no text in any encoding; it names the format where that can be guessed."""
    for magic, kind in _LIKELY:
        if data.startswith(magic):
            return LoadError(f"{name} seems to be {kind}", hint=_HINT)
    if data[4:8] == b"ftyp":
        return LoadError(f"{name} seems to be a video or an image", hint=_HINT)
    if data[:4] == b"RIFF":
        return LoadError(f"{name} seems to be a recording or an image", hint=_HINT)
    if data[60:68] == b"BOOKMOBI":
        return LoadError(f"{name} seems to be a Kindle book", hint=_HINT)
    return LoadError(f"{name} seems to be a binary file, not text", hint=_HINT)


def looks_binary(data: bytes) -> bool:
    """Whether more than one byte in a hundred is a control character that no text uses."""
    controls = len(re.findall(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]", data))
    return b"\x00" in data or controls > max(2, len(data) // 100)


def _zipped(data: bytes) -> str:
    ends = data[:4096] + data[-65536:]  # the names of the parts stand at both ends
    return next((kind for mark, kind in _ZIPPED if mark in ends), "a zip archive")
