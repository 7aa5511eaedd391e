"""What is no text and no document that can be read: named for what it is, with the way out, and never read as noise."""

from __future__ import annotations

import re

from readagent.errors import LoadError

_READ = "plain text, Markdown, HTML, PDF, EPUB, Word (.docx), OpenDocument (.odt), RTF, subtitles and code are read"
_IMAGE = f"text in pictures is not read; {_READ}"
_SOUND = "have it written down by a program that transcribes, and read the text or the subtitles"
_PACKED = f"unpack it and read the folder; {_READ}"
_OFFICE = "open it in an office program, save it as .docx, .pdf or plain text, and read that"
_OTHER = f"save it in one of the formats that are known: {_READ}"

_SURE = (
    (b"\x89PNG\r\n", "a PNG image", _IMAGE),
    (b"\xff\xd8\xff", "a JPEG image", _IMAGE),
    (b"II*\x00", "a TIFF image", _IMAGE),
    (b"MM\x00*", "a TIFF image", _IMAGE),
    (b"8BPS\x00\x01", "a Photoshop image", _IMAGE),
    (b"AT&TFORM", "a DjVu file", "save it as a PDF that has text in it, and read that"),
    (b"%!PS-Adobe", "a PostScript file", "turn it into a PDF, and read that"),
    (b"\x1f\x8b", "a gzip archive", _PACKED),
    (b"\xfd7zXZ\x00", "an xz archive", _PACKED),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", _PACKED),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive", _PACKED),
    (b"Rar!\x1a\x07", "a RAR archive", _PACKED),
    (b"\x7fELF", "a program", _OTHER),
    (b"\xca\xfe\xba\xbe", "a program", _OTHER),
    (b"\xcf\xfa\xed\xfe", "a program", _OTHER),
    (b"\x00asm", "a program", _OTHER),
    (b"SQLite format 3\x00", "an SQLite database", _OTHER),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Word, Excel or PowerPoint file", _OFFICE),
    (b"\x1aE\xdf\xa3", "a video", _SOUND),
)
_LIKELY = (  # a text may begin like this, so these only name what is binary anyway
    (b"GIF8", "a GIF image", _IMAGE),
    (b"BM", "a BMP image", _IMAGE),
    (b"BZh", "a bzip2 archive", _PACKED),
    (b"ID3", "an MP3 recording", _SOUND),
    (b"\xff\xfb", "an MP3 recording", _SOUND),
    (b"OggS", "an Ogg recording", _SOUND),
    (b"fLaC", "a FLAC recording", _SOUND),
    (b"RIFF", "a recording or an image", _SOUND),
    (b"MZ", "a program", _OTHER),
    (b"PAR1", "a Parquet table", _OTHER),
    (b"GGUF", "the weights of a model", "such a file is named with --model; name a text to read"),
    (b"wOF", "a font", _OTHER),
    (b"\x00\x01\x00\x00", "a font", _OTHER),
)
_FURTHER = (  # what stands further in
    (4, b"ftyp", "a video or an image", _SOUND),
    (60, b"BOOKMOBI", "a Kindle book", "turn it into an EPUB, and read that"),
    (257, b"ustar", "a tar archive", _PACKED),
)
_PARTS = (  # names of parts that tell what a zip is
    (b"xl/", "an Excel file", _OFFICE),
    (b"ppt/", "a PowerPoint file", _OFFICE),
    (b"application/vnd.oasis.opendocument", "an OpenDocument file that holds no text", _OFFICE),
    (b"Index/Document.iwa", "a Pages, Numbers or Keynote file", _OFFICE),
    (b"AndroidManifest.xml", "a program", _OTHER),
    (b"META-INF/MANIFEST.MF", "a Java archive", _PACKED),
)
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


class ForeignError(LoadError):
    """A file of a kind that is not read at all, in contrast to a document that cannot be read."""


def refuse_empty(content: bytes | str, name: str) -> None:
    """Raise where there is nothing to read."""
    if not content:
        raise LoadError(f"{name} is empty", hint="give a file with some text in it")
    if not content.strip():
        raise LoadError(f"{name} holds nothing but white space", hint="give a file with some text in it")


def refuse_foreign(data: bytes, name: str) -> None:
    """Raise where the first bytes say that this is of a kind that is not read."""
    for magic, kind, hint in _SURE:
        if data.startswith(magic):
            raise _foreign(name, kind, hint)
    if data[4:8] == b"ftyp" and data[:1] == b"\x00":
        raise _foreign(name, *_FURTHER[0][2:])


def foreign_zip(ends: bytes, name: str) -> ForeignError:
    """The error for a zip in which no document was found; ``ends`` are its first and last bytes, where names stand."""
    for part, kind, hint in _PARTS:
        if part in ends:
            return _foreign(name, kind, hint)
    return _foreign(name, "a zip archive", _PACKED)


def drawing(name: str) -> ForeignError:
    """The error for an SVG file, which is text, but not to be read."""
    return _foreign(name, "an SVG image", _IMAGE)


def binary(data: bytes, name: str) -> ForeignError:
    """The error for bytes that are no text in any encoding; it names the format where that can be guessed."""
    for magic, kind, hint in _LIKELY:
        if data.startswith(magic):
            return _foreign(name, kind, hint)
    for offset, magic, kind, hint in _FURTHER:
        if data[offset : offset + len(magic)] == magic:
            return _foreign(name, kind, hint)
    return _foreign(name, "a binary file, not text", _OTHER)


def looks_binary(data: bytes) -> bool:
    """Whether more than one byte in a hundred is a control character that no text uses."""
    return b"\x00" in data or len(_CONTROLS.findall(data)) > max(2, len(data) // 100)


def _foreign(name: str, kind: str, hint: str) -> ForeignError:
    return ForeignError(f"{name} seems to be {kind}", hint=hint)
