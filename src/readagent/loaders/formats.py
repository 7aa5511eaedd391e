"""The supported formats and the module that parses each. A parser is imported only when its format is needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from readagent.core.document import Document
from readagent.errors import LoadError

MAX_CHARACTERS = 40_000_000  # of text in one document: a dozen times the longest novels
LEFT_OUT = "left_out"  # in the metadata of a web page: how many words were left out as not belonging to the text
NOT_READ = "not_read"  # in the metadata: parts of a file that were left out, and why
READ_AS = "read_as"  # in the metadata of what was read as plain text although it is something else: why


@dataclass(frozen=True, slots=True)
class Options:
    """How to parse: ``whole`` keeps all text of a web page, navigation included; ``format`` overrides detection.

    ``ocr`` is the language of scanned pages, for text recognition; without it they are not read.
    """

    whole: bool = False
    format: str = ""
    ocr: str = ""


@dataclass(frozen=True, slots=True)
class Format:
    """One supported format.

    ``label`` is its name with an article, for messages. ``parser`` is its module below ``readagent.loaders``.
    ``kind`` is the kind of text, where the format alone determines it. ``plain`` says that it is text which people can
    read as it is.
    """

    label: str
    suffixes: tuple[str, ...]
    parser: str
    kind: str = ""
    plain: bool = False


class Parser(Protocol):
    """What the module of every format provides."""

    def parse(self, data: bytes, name: str, options: Options) -> Document:
        """Return the document in these bytes, without its source; ``name`` is used in messages and as a last title."""
        ...


FORMATS: Mapping[str, Format] = {
    "text": Format("plain text", (".txt", ".text", ".asc", ".log"), "text.plain"),
    "markdown": Format("Markdown", (".md", ".markdown", ".mkd", ".mdown", ".qmd"), "markdown", plain=True),
    "html": Format("a web page", (".html", ".htm", ".xhtml", ".shtml"), "html.page", kind="web page"),
    "pdf": Format("a PDF", (".pdf",), "pdf.parser"),
    "epub": Format("an EPUB book", (".epub",), "epub.parser", kind="book"),
    "docx": Format("a Word file", (".docx", ".docm", ".dotx"), "office.docx"),
    "odt": Format(
        "an OpenDocument file",
        (".odt", ".ott", ".fodt", ".ods", ".fods", ".odp", ".fodp"),
        "office.odt",
    ),
    "pptx": Format("a PowerPoint file", (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx"), "office.pptx"),
    "xlsx": Format("an Excel file", (".xlsx", ".xlsm", ".xltx"), "office.xlsx"),
    "xls": Format("an old Excel file", (".xls", ".xlt"), "office.xls"),
    "csv": Format("a table", (".csv", ".tsv", ".tab"), "text.delimited", plain=True),
    "rtf": Format("a rich text file", (".rtf",), "office.rtf"),
    "email": Format("e-mail", (".eml", ".emlx", ".mbox", ".mbx"), "mail.parser", kind="e-mail"),
    "msg": Format("an Outlook message", (".msg",), "mail.msg", kind="e-mail"),
    "notebook": Format("a Jupyter notebook", (".ipynb",), "notebook", kind="notebook"),
    "subtitles": Format(
        "subtitles",
        (".srt", ".vtt", ".sbv", ".ass", ".ssa", ".ttml", ".dfxp"),
        "speech.subtitles",
        kind="transcript",
        plain=True,
    ),
    "transcript": Format("a transcript", (), "speech.transcript", kind="transcript", plain=True),
    "chat": Format("a conversation", (".json", ".jsonl", ".ndjson"), "speech.chat", kind="conversation", plain=True),
    "archive": Format("an archive", (".zip", ".gz", ".tar", ".tgz"), "packed"),
    "code": Format("source code", (), "code", plain=True),
}


def parser_for(name: str) -> Parser:
    """Return the parser of the format with this name."""
    return cast("Parser", import_module(f"readagent.loaders.{FORMATS[name].parser}"))


def too_long(name: str, limit: int, hint: str = "split it into several files and read those") -> LoadError:
    """Return the error for a document with more than ``limit`` characters of text."""
    return LoadError(f"{name} contains more than {limit // 1_000_000} million characters of text", hint=hint)
