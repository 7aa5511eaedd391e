"""Detect the format of a file: from its content first, then from its name and the content type of the server."""

from __future__ import annotations

import codecs
import re
from pathlib import PurePosixPath

from readagent.loaders.formats import FORMATS
from readagent.loaders.unsupported import (
    looks_binary,
    not_a_pdf,
    old_office_format,
    other_book,
    refuse_unsupported,
    refuse_unsupported_zip,
    require_content,
    svg_image,
)

_OPENING = 65_536  # bytes at the start that are examined
_ZIP_DIRECTORY = 1 << 20  # bytes at the end of a zip archive in which its directory is searched
_SUFFIXES = {suffix: name for name, one in FORMATS.items() for suffix in one.suffixes}
_MAX_JSON = 8_000_000  # bytes; larger files are tried as JSON only if their name or type says so
_TYPES = {
    "application/json": "chat",
    "application/jsonl": "chat",
    "application/x-ndjson": "chat",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "text/vtt": "subtitles",
    "application/x-subrip": "subtitles",
    "text/csv": "csv",
    "text/tab-separated-values": "csv",
    "message/rfc822": "email",
    "application/mbox": "email",
    "application/x-ipynb+json": "notebook",
}
_TEMPLATES = (".php", ".vue", ".svelte", ".astro", ".erb", ".ejs", ".hbs", ".j2", ".jinja", ".jinja2", ".jsp", ".asp",
              ".aspx", ".cshtml", ".mustache", ".twig", ".tmpl", ".liquid", ".mako")  # fmt: skip
_PATCHES = (".patch", ".diff")  # git writes them with the headers of e-mail
_SPACE = re.compile(r"[\ufeff\s]*")
_ELEMENT = re.compile(r"<([A-Za-z][\w:.-]*)[\s/>]")
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,2000}>")
_CUE = re.compile(
    r"\s*+(?:\d++[ \t]*+\r?\n)?[ \t]*+(?:\d+:)?\d{1,2}:\d\d(?:[,.]\d{1,3})?[ \t]*-->[ \t]*\d+:\d\d"
    r"|\s*+(?:\d+:\d\d:\d\d\.\d{3},\d+:\d\d:\d\d\.\d{3}\s*\n|\[Script Info\])"
)
_ODT_TYPES = re.compile(rb"application/vnd\.oasis\.opendocument\.(?:text(?!-web)|spreadsheet|presentation)")
_PALM_TYPES = (b"BOOKMOBI", b"TEXtREAd")
GZIP = b"\x1f\x8b"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP_PARTS = (  # parts that show what an archive is
    (b"word/document.xml", "docx"),
    (b"word/document2.xml", "docx"),
    (b"ppt/presentation.xml", "pptx"),
    (b"xl/workbook.xml", "xlsx"),
    (b"META-INF/container.xml", "epub"),
)

_CHARSETS = re.compile(
    r"(?i)utf-?8|utf-?16(?:le|be)?|us-ascii|iso[-_]8859[-_]\d{1,2}|latin-?\d|windows-\d{3,4}|cp\d{3,4}|koi8-[ru]"
    r"|shift[-_]jis|euc-(?:jp|kr)|iso-2022-jp|gb2312|gbk|gb18030|big5(?:-hkscs)?|tis-620|macintosh"
)
_BYTE_ORDER_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def likely_format(name: str, content_type: str) -> str:
    """Return the format that the name or the content type of a file promises, or an empty string."""
    return _SUFFIXES.get(PurePosixPath(name).suffix.lower()) or _TYPES.get(content_type, "")


def detect_format(data: bytes, name: str, content_type: str = "") -> str:
    """Return the name of the format in FORMATS; raise a LoadError that says what the file is if it is not supported.

    A wrong file extension does no harm, but for .pdf: a file that is none is often a failed download.
    ``content_type`` is what a server sent, if one did.
    """
    require_content(data, name)
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_format(data, name)
    if data.startswith(GZIP) or is_tar(data):
        return "archive"
    if data.startswith(_OLE):
        return old_office_format(data, name)
    refuse_unsupported(data, name)
    suffix = PurePosixPath(name).suffix.lower()
    if data[60:68] in _PALM_TYPES:
        raise other_book(name, "a Kindle or Palm book")
    if _is_pdf(data, suffix, content_type):
        return "pdf"
    if data[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{\\rtf"):
        return "rtf"
    if suffix == ".pdf" and not content_type:
        raise not_a_pdf(data, name)
    opening = _opening(data)
    return _markup_format(opening, name, suffix) or _text_format(data, opening, name, suffix, content_type)


def is_tar(data: bytes) -> bool:
    """Whether these bytes are a tar archive."""
    return data.startswith(b"ustar", 257)


def _is_pdf(data: bytes, suffix: str, content_type: str) -> bool:
    """Whether it begins like a PDF. If other bytes come first, further evidence is needed."""
    at = data[:1100].find(b"%PDF-")
    declared = suffix == ".pdf" or content_type == "application/pdf"
    return at == 0 or (0 < at <= 1024 and (declared or b"%%EOF" in data[-2048:] or looks_binary(data[:_OPENING])))


def _zip_format(data: bytes, name: str) -> str:
    """Return which document a zip archive is, by its declared type or by its members."""
    if data[30:38] == b"mimetype":
        declared = data[38:200]
        if declared.startswith(b"application/epub+zip"):
            return "epub"
        if _ODT_TYPES.match(declared):
            return "odt"
    for part, format_name in _ZIP_PARTS:
        if _has_member(data, part):
            return format_name
    suffix = PurePosixPath(name).suffix.lower()
    if data[30 : 30 + int.from_bytes(data[26:28], "little")].lower().endswith(b".fb2"):
        raise other_book(name, "a FictionBook (.fb2)")
    if suffix in FORMATS["odt"].suffixes and _has_member(data, b"content.xml"):
        return "odt"
    refuse_unsupported_zip(data[:4096] + data[-65536:], name)
    return "archive"


def _has_member(data: bytes, member: bytes) -> bool:
    """Whether the directory at the end of the archive lists this member, or the start does if the end is cut off."""
    size, named = re.escape(len(member).to_bytes(2, "little")), re.escape(member)
    in_directory = re.compile(rb"PK\x01\x02.{24}" + size + rb".{16}" + named, re.DOTALL)
    at_start = re.compile(rb"PK\x03\x04.{22}" + size + rb".{2}" + named, re.DOTALL)
    from_end = max(0, len(data) - _ZIP_DIRECTORY)
    return bool(in_directory.search(data, from_end) or at_start.search(data, 0, _ZIP_DIRECTORY))


def _opening(data: bytes) -> str:
    """Return the start of the file as text. Bytes that cannot be decoded do not matter here."""
    from readagent.loaders.text.decode import utf16

    head = data[:_OPENING]
    if head.startswith(codecs.BOM_UTF8):
        return head[3:].decode("utf-8", "replace")
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return head.decode("utf-32", "replace")
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", "replace")
    if b"\x00" in head and (found := utf16(head)):
        return found[0]
    return head.replace(b"\x00", b"").decode("utf-8", "replace")


def _markup_format(opening: str, name: str, suffix: str) -> str:
    """Return the format of a text that begins with unmistakable markup, or an empty string."""
    match _root_element(opening):
        case "html":
            return "" if suffix in _TEMPLATES else "html"
        case "head" | "body":
            return "html" if "</" in opening and suffix not in _TEMPLATES else ""
        case "tt" | "tt:tt":
            return "subtitles"
        case "office:document":
            return "odt"
        case "fictionbook":
            raise other_book(name, "a FictionBook (.fb2)")
        case "svg":
            raise svg_image(name)
    return ""


def _root_element(opening: str) -> str:
    """Return the name of the element the text begins with, ``html`` after an HTML doctype, or an empty string."""
    at = 0
    while True:
        at += len(_SPACE.match(opening, at)[0])  # type: ignore[index]  # the pattern matches everywhere
        start = opening[at : at + 16].lower()
        if start.startswith("<!doctype html"):
            return "html"
        if not start.startswith(("<?xml", "<!--", "<!doctype")):
            break
        if found := _DOCTYPE.match(opening, at):
            at = found.end()
            continue
        end = "?>" if start.startswith("<?xml") else "-->"
        at = opening.find(end, at) + len(end)
        if at < len(end):
            return ""
    found = _ELEMENT.match(opening, at)
    return found[1].lower() if found else ""


def _text_format(data: bytes, opening: str, name: str, suffix: str, content_type: str) -> str:
    """Return the format of a text without unmistakable markup; ``text`` if it is nothing else."""
    from readagent.loaders.code import language_of
    from readagent.loaders.mail.opening import looks_like_mail
    from readagent.loaders.speech.chat import looks_like_chat
    from readagent.loaders.speech.transcript import looks_like_transcript
    from readagent.loaders.text.delimited import is_table, separator_of

    declared = likely_format(name, content_type)
    if re.match(r"WEBVTT(?:\s|$)", opening) or _CUE.match(opening):
        return "subtitles"
    if suffix not in _PATCHES and looks_like_mail(data, declared=declared == "email"):
        return "email"
    may_be_json = opening.lstrip()[:1] in ("{", "[")
    if may_be_json and (declared == "notebook" or _is_notebook(opening)):
        return "notebook"
    if may_be_json and (declared == "chat" or (len(data) < _MAX_JSON and looks_like_chat(data, name))):
        return "chat"  # the chat parser also reads JSON that is no conversation
    if declared == "markdown" or (declared == "html" and _TAG.search(opening)):
        return declared
    if declared == "subtitles" and ("-->" in opening or "Dialogue:" in opening):
        return declared
    if declared == "csv" and separator_of(opening, ragged=True):
        return declared
    if language_of(name, "" if declared in ("text", "html") else opening):
        return "code"
    if declared != "text" and is_table(opening):
        return "csv"
    return "transcript" if looks_like_transcript(opening) else "text"


def _is_notebook(opening: str) -> bool:
    """Whether JSON begins like a Jupyter notebook, whose cells have types."""
    return '"cells"' in opening and '"cell_type"' in opening


def as_utf8(data: bytes, content_type: str, charset: str) -> bytes:
    """Return text in the encoding a server names, which overrides that of the page, as UTF-8 with a mark."""
    is_text = content_type.startswith("text/") or content_type.endswith(("xml", "json"))
    if not is_text or not _CHARSETS.fullmatch(charset) or data.startswith(_BYTE_ORDER_MARKS):
        return data
    western = charset in ("iso-8859-1", "latin1", "latin-1", "us-ascii")  # browsers read these as cp1252
    try:
        return codecs.BOM_UTF8 + data.decode("cp1252" if western else charset).encode()
    except (UnicodeError, LookupError):
        return data
