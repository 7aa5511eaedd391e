"""Recognise files that are not supported and say what they are, instead of reading them as noise."""

from __future__ import annotations

import re
import shlex
from pathlib import PurePosixPath

from readagent.errors import LoadError

_SUPPORTED = (
    "supported: plain text, Markdown, HTML, PDF, EPUB, Word (.docx), PowerPoint (.pptx), Excel (.xlsx), "
    "OpenDocument (.odt, .ods, .odp), RTF, CSV, e-mail, notebooks, subtitles, code"
)
_OFFICE = "open it in an office program, save it as .docx, .pptx, .xlsx or .pdf, and read that"
_HINTS = {  # by the last word of the kind
    "image": f"text in images is not read; {_SUPPORTED}",
    "recording": "transcribe it with another program, and read the text or the subtitles",
    "video": "transcribe it with another program, and read the text or the subtitles",
    "archive": f"unpack it and read the folder; {_SUPPORTED}",
    "document": "convert it to a PDF, and read that",
    "weights": "pass it with `model`, and give a text to read",
}
_OTHER = f"save it in a supported format; {_SUPPORTED}"

_SIGNATURES = {
    b"\x89PNG\r\n": "a PNG image", b"\xff\xd8\xff": "a JPEG image", b"II*\x00": "a TIFF image",
    b"MM\x00*": "a TIFF image", b"8BPS\x00\x01": "a Photoshop image", b"AT&TFORM": "a DjVu document",
    b"%!PS-Adobe": "a PostScript document", b"\xfd7zXZ\x00": "an xz archive",
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive", b"\x28\xb5\x2f\xfd": "a Zstandard archive",
    b"Rar!\x1a\x07": "a RAR archive", b"\x7fELF": "a program", b"\xca\xfe\xba\xbe": "a program",
    b"\xcf\xfa\xed\xfe": "a program", b"SQLite format 3\x00": "an SQLite database", b"\x1aE\xdf\xa3": "a video",
}  # fmt: skip
_WEAK_SIGNATURES = {  # a text may begin like this too, so these only name a file that is known to be binary
    b"GIF8": "a GIF image", b"BM": "a BMP image", b"BZh": "a bzip2 archive", b"ID3": "an MP3 recording",
    b"\xff\xfb": "an MP3 recording", b"OggS": "an Ogg recording", b"fLaC": "a FLAC recording", b"RIFF": "a recording",
    b"MZ": "a program", b"PAR1": "a Parquet table", b"GGUF": "a file of model weights", b"wOF": "a font",
    b"\x00\x01\x00\x00": "a font",
}  # fmt: skip
_ZIP_MEMBERS = {  # member names that show what a zip archive is
    b"xl/workbook.bin": "a binary Excel file (.xlsb)", b"xl/": "a damaged Excel file",
    b"ppt/": "a damaged PowerPoint file", b"application/vnd.oasis.opendocument": "an OpenDocument file without text",
    b"Index/Document.iwa": "a Pages, Numbers or Keynote file",
}  # fmt: skip
_OLD_OFFICE = (  # streams of an OLE file, what to save it as, and the format that reads it
    ("WordDocument", "an old Word file (.doc)", "docx", ""),
    ("PowerPoint Document", "an old PowerPoint file (.ppt)", "pptx", ""),
    ("Workbook", "an old Excel file (.xls)", "xlsx", "xls"),
    ("Book", "an old Excel file (.xls)", "xlsx", "xls"),
    ("__properties_version1.0", "an Outlook message (.msg)", "eml", "msg"),
)
_LOCKED = "EncryptedPackage"  # the stream of a file with a password
_CONTROL_CHARACTERS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


class UnsupportedFormatError(LoadError):
    """The file is empty, or of a kind that is never read, as opposed to a document that could not be read."""


def require_content(content: bytes | str, name: str) -> None:
    """Raise LoadError if there is nothing to read."""
    if not content:
        raise UnsupportedFormatError(f"{name} is empty", hint="choose a file that contains text")
    if not content.strip():
        raise UnsupportedFormatError(f"{name} contains only white space", hint="choose a file that contains text")


def refuse_unsupported(data: bytes, name: str) -> None:
    """Raise LoadError if the first bytes are the signature of a file that is not supported."""
    for signature, kind in _SIGNATURES.items():
        if data.startswith(signature):
            raise _unsupported(name, kind)
    if data[4:8] == b"ftyp" and data[:1] == b"\x00":
        raise _unsupported(name, "a video")


def old_office_format(data: bytes, name: str) -> str:
    """Return the format that reads an OLE file; raise LoadError if it has a password, or none does."""
    *_, format_name = _old_office(data, name)
    if not format_name or _has_stream(data, _LOCKED):
        raise old_office_file(data, name)
    return format_name


def old_office_file(data: bytes, name: str, reader: str = "") -> LoadError:
    """Return the error for an OLE file: it has a password, or is of an old format whose ``reader`` is not installed."""
    if _has_stream(data, _LOCKED):
        return LoadError(f"{name} is protected by a password", hint="save it without a password and read that")
    kind, suffix, _ = _old_office(data, name)
    hint = _converting(name, suffix) if suffix else _OFFICE
    error = LoadError if suffix else UnsupportedFormatError  # others may be Thumbs.db
    return error(f"{name} seems to be {kind}", hint=f"pip install {reader!r}; or {hint}" if reader else hint)


def _old_office(data: bytes, name: str) -> tuple[str, str, str]:
    """Return the kind of an OLE file; it may contain others, so the extension decides among several kinds."""
    found = [one[1:] for one in _OLD_OFFICE if _has_stream(data, one[0])]
    found.sort(key=lambda one: f"({name.lower()[-4:]})" not in one[0])
    return found[0] if found else ("a file of an old office program", "", "")


def _has_stream(data: bytes, stream: str) -> bool:
    return stream.encode("utf-16-le") + b"\x00\x00" in data


def _converting(name: str, suffix: str) -> str:
    if suffix == "eml":
        return "open it in a mail program, save it as .eml or as text, and read that"
    command = f"soffice --headless --convert-to {suffix} {shlex.quote(name)}"
    return f"save it as .{suffix} in an office program, or run: {command}"


def refuse_unsupported_zip(ends: bytes, name: str) -> None:
    """Raise LoadError if a zip archive is another format; ``ends`` is its start and end, with names."""
    if kind := next((kind for member, kind in _ZIP_MEMBERS.items() if member in ends), ""):
        raise LoadError(f"{name} seems to be {kind}", hint=_OFFICE)


def other_book(name: str, kind: str) -> LoadError:
    """Return the error for an electronic book that is not in EPUB, with the command that converts it."""
    made = f"{PurePosixPath(name).name.partition('.')[0] or 'book'}.epub"
    command = f"ebook-convert {shlex.quote(name)} {shlex.quote(made)}"
    return LoadError(f"{name} seems to be {kind}", hint=f"convert it to EPUB, for example with Calibre: {command}")


def svg_image(name: str) -> LoadError:
    """Return the error for an SVG file, which is text but nothing to read."""
    return _unsupported(name, "an SVG image")


def binary_file(data: bytes, name: str) -> LoadError:
    """Return the error for bytes that are not text in any encoding; it names the format if that can be guessed."""
    return _unsupported(name, _binary_kind(data) or "a binary file, not text")


def not_a_pdf(data: bytes, name: str) -> UnsupportedFormatError:
    """Return the error for a file that is called .pdf and does not begin like a PDF."""
    kind = _binary_kind(data) or ("a binary file" if looks_binary(data[:4096]) else "text")
    hint = "download or export it again; to read it as it is, give it another extension"
    return UnsupportedFormatError(f"{name} is not a PDF, although it is called one: it seems to be {kind}", hint=hint)


def has_binary_signature(data: bytes) -> bool:
    """Whether bytes that may be binary begin like a known kind of file."""
    return bool(_binary_kind(data))


def _binary_kind(data: bytes) -> str:
    return next((kind for signature, kind in _WEAK_SIGNATURES.items() if data.startswith(signature)), "")


def looks_binary(data: bytes) -> bool:
    """Whether more than one byte in a hundred is a control character that text does not use."""
    return b"\x00" in data or len(_CONTROL_CHARACTERS.findall(data)) > max(2, len(data) // 100)


def _unsupported(name: str, kind: str) -> LoadError:
    error = LoadError if kind.endswith("document") else UnsupportedFormatError
    return error(f"{name} seems to be {kind}", hint=_HINTS.get(kind.split()[-1], _OTHER))
