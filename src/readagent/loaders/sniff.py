"""Which format bytes are in: their content says it, and where that leaves it open, the name and the server do."""

from __future__ import annotations

import codecs
import re
from pathlib import PurePosixPath

from readagent.loaders.formats import FORMATS
from readagent.loaders.unsupported import binary, drawing, foreign_zip, looks_binary, refuse_empty, refuse_foreign

__all__ = ["binary", "format_of", "looks_binary", "refuse_empty", "refuse_foreign"]

_OPENING = 65_536  # bytes that are looked at
_LIST = 1 << 20  # bytes at the end of a zip in which the list of its parts is looked for
_SUFFIXES = {suffix: name for name, one in FORMATS.items() for suffix in one.suffixes}
_SMALL = 8_000_000  # bytes; larger ones are taken for JSON only where they are named so
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
}
_TEMPLATES = (".php", ".vue", ".svelte", ".astro", ".erb", ".ejs", ".hbs", ".j2", ".jinja", ".jinja2", ".jsp", ".asp",
              ".aspx", ".cshtml", ".mustache", ".twig", ".tmpl", ".liquid", ".mako")  # fmt: skip
_SPACE = re.compile(r"[\ufeff\s]*")
_ELEMENT = re.compile(r"<([A-Za-z][\w:.-]*)[\s/>]")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,2000}>")
_CUE = re.compile(r"\s*(?:\d+[ \t]*\r?\n)?[ \t]*(?:\d+:)?\d{1,2}:\d\d(?:[,.]\d{1,3})?[ \t]*-->[ \t]*\d+:\d\d")
_TEXT_DOCUMENT = b"application/vnd.oasis.opendocument.text"


def format_of(data: bytes, name: str, content_type: str = "") -> str:
    """The format's name in FORMATS. What is of no format that is read is refused with a LoadError that names it.

    A wrong ending of the name is no error. ``content_type`` is what a server said, if one did.
    """
    refuse_empty(data, name)
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zipped(data, name)
    refuse_foreign(data, name)
    suffix = PurePosixPath(name).suffix.lower()
    if _is_pdf(data, suffix, content_type):
        return "pdf"
    if data[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{\\rtf"):
        return "rtf"
    opening = _opening(data)
    return _marked_up(opening, name, suffix) or _written(data, opening, name, suffix, content_type)


def _is_pdf(data: bytes, suffix: str, content_type: str) -> bool:
    """Whether it begins like a PDF; where something stands before that, more must speak for it."""
    at = data[:1100].find(b"%PDF-")
    said = suffix == ".pdf" or content_type == "application/pdf"
    return at == 0 or (0 < at <= 1024 and (said or b"%%EOF" in data[-2048:] or looks_binary(data[:_OPENING])))


def _zipped(data: bytes, name: str) -> str:
    """Which document a zip is, by the kind it says it is or by the parts it has."""
    if data[30:38] == b"mimetype":
        kind = data[38:200]
        if kind.startswith(b"application/epub+zip"):
            return "epub"
        if kind.startswith(_TEXT_DOCUMENT) and not kind.startswith(_TEXT_DOCUMENT + b"-web"):
            return "odt"
    if _has_part(data, b"word/document.xml") or _has_part(data, b"word/document2.xml"):
        return "docx"
    if _has_part(data, b"META-INF/container.xml"):
        return "epub"
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in FORMATS["odt"].suffixes and _has_part(data, b"content.xml"):
        return "odt"
    raise foreign_zip(data[:4096] + data[-65536:], name)


def _has_part(data: bytes, part: bytes) -> bool:
    """Whether the list at the end of the zip has this part, or, where it was cut off, its beginning has."""
    size, named = re.escape(len(part).to_bytes(2, "little")), re.escape(part)
    listed = re.compile(rb"PK\x01\x02.{24}" + size + rb".{16}" + named, re.DOTALL)
    begun = re.compile(rb"PK\x03\x04.{22}" + size + rb".{2}" + named, re.DOTALL)
    return bool(listed.search(data, max(0, len(data) - _LIST)) or begun.search(data, 0, _LIST))


def _opening(data: bytes) -> str:
    """The beginning as text, as well as can be told; what comes of other bytes does not matter here."""
    head = data[:_OPENING]
    if head.startswith(codecs.BOM_UTF8):
        return head[3:].decode("utf-8", "replace")
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return head.decode("utf-32", "replace")
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", "replace")
    if b"\x00" in head:
        even, odd = head[0::2].count(0), head[1::2].count(0)
        return head.decode("utf-16-le" if odd > even else "utf-16-be", "replace")
    return head.decode("utf-8", "replace")


def _marked_up(opening: str, name: str, suffix: str) -> str:
    """The format of a text that begins with markup of which there can be no doubt."""
    match _root(opening):
        case "html":
            return "" if suffix in _TEMPLATES else "html"
        case "head" | "body":
            return "html" if "</" in opening and suffix not in _TEMPLATES else ""
        case "office:document":
            return "odt"
        case "svg":
            raise drawing(name)
    return ""


def _root(opening: str) -> str:
    """The name of the first element, if the text begins with one; of a doctype, if it is that of HTML."""
    at = 0
    while True:
        at += len(_SPACE.match(opening, at)[0])  # type: ignore[index]  # it always fits
        begins = opening[at : at + 16].lower()
        if begins.startswith("<!doctype html"):
            return "html"
        end = "?>" if begins.startswith("<?xml") else "-->" if begins.startswith("<!--") else ">"
        if not begins.startswith(("<?xml", "<!--", "<!doctype")):
            break
        at = opening.find(end, at) + len(end)
        if at < len(end):
            return ""
    found = _ELEMENT.match(opening, at)
    return found[1].lower() if found else ""


def _written(data: bytes, opening: str, name: str, suffix: str, content_type: str) -> str:
    """The format of what is text, or else no one's."""
    from readagent.loaders.code.languages import language_of
    from readagent.loaders.speech.chat import looks_like_chat
    from readagent.loaders.speech.transcript import looks_like_transcript

    said = _SUFFIXES.get(suffix) or _TYPES.get(content_type, "")
    if re.match(r"WEBVTT(?:\s|$)", opening) or _CUE.match(opening):
        return "subtitles"
    if opening.lstrip()[:1] in ("{", "[") and (said == "chat" or (len(data) < _SMALL and looks_like_chat(data, name))):
        return "chat"  # which reads any other JSON as well
    if said == "markdown" or (said == "html" and _TAG.search(opening)):
        return said
    if said == "subtitles" and "-->" in opening:
        return said
    if language_of(name, "" if said in ("text", "html") else opening):
        return "code"
    return "transcript" if looks_like_transcript(opening) else "text"
