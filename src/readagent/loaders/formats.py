"""The formats that can be read, and which room reads each. A room is entered only when its format is met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from readagent.core.document import Document

MOST_CHARACTERS = 40_000_000  # of text; a dozen times the longest novels


@dataclass(frozen=True, slots=True)
class Options:
    """How to load: ``whole`` keeps all the text of a web page, navigation and all; ``format`` says what it is."""

    whole: bool = False
    format: str = ""


@dataclass(frozen=True, slots=True)
class Format:
    """A format: what to call it, how its files are named, the room that reads it, whether that needs a cell apart.

    What is read by native code, or unpacked, is read in a process apart (``cell``) with limits on time and memory.
    ``kind`` is what its texts are, where the format alone tells.
    """

    called: str
    suffixes: tuple[str, ...]
    room: str
    apart: bool = False
    kind: str = ""


class Room(Protocol):
    """What every room of a format offers."""

    def parse(self, data: bytes, name: str, options: Options) -> Document:
        """The document in these bytes, without its source; ``name`` is for messages and as a last resort for titles."""
        ...


FORMATS: Mapping[str, Format] = {
    "text": Format("plain text", (".txt", ".text", ".asc", ".log"), "text.plain"),
    "markdown": Format("Markdown", (".md", ".markdown", ".mkd", ".mdown", ".qmd"), "markdown.parser", apart=True),
    "html": Format("a web page", (".html", ".htm", ".xhtml", ".shtml"), "html.parser", apart=True, kind="web page"),
    "pdf": Format("a PDF", (".pdf",), "pdf.parser", apart=True),
    "epub": Format("an EPUB book", (".epub",), "epub.parser", apart=True, kind="book"),
    "docx": Format("a Word file", (".docx", ".docm", ".dotx"), "office.docx", apart=True),
    "odt": Format("an OpenDocument text", (".odt", ".ott", ".fodt"), "office.odt", apart=True),
    "rtf": Format("a rich text file", (".rtf",), "office.rtf", apart=True),
    "subtitles": Format("subtitles", (".srt", ".vtt"), "speech.subtitles", kind="transcript"),
    "transcript": Format("a transcript", (), "speech.transcript", kind="transcript"),
    "chat": Format("a conversation", (".json", ".jsonl", ".ndjson"), "speech.chat", apart=True, kind="conversation"),
    "code": Format("source code", (), "code.parser"),
}


def room_of(name: str) -> Room:
    """The room that reads the format of this name."""
    return cast("Room", import_module(f"readagent.loaders.{FORMATS[name].room}"))
