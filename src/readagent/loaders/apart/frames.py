"""What goes over the pipes between our process and the one that reads files apart: a file there, a Document back.

Each message is two frames, a JSON head and raw bytes: what comes back can be nothing but text and numbers.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any

from readagent.core.document import Document, Paragraph
from readagent.loaders.formats import MOST_CHARACTERS

_LENGTHS = struct.Struct(">QQ")
_MOST_HEAD = 250_000_000  # bytes
_MOST_BODY = 4 * MOST_CHARACTERS


@dataclass(frozen=True, slots=True)
class Message:
    """A head of plain values, and bytes: those of a file, or of a text."""

    head: Mapping[str, Any]
    body: bytes = b""


def send(pipe: IO[bytes], message: Message) -> None:
    """Write one message."""
    head = json.dumps(message.head, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    pipe.write(_LENGTHS.pack(len(head), len(message.body)))
    pipe.write(head)
    pipe.write(message.body)
    pipe.flush()


def receive(pipe: IO[bytes], most: int = _MOST_BODY) -> Message | None:
    """Read one message; None at the end of the pipe, ValueError where it is no message of ours."""
    lengths = pipe.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    head, body = _LENGTHS.unpack(lengths)
    if head > _MOST_HEAD or body > most:
        raise ValueError("a message that is too long")
    said, raw = pipe.read(head), pipe.read(body)
    if len(said) < head or len(raw) < body:
        return None
    plain = json.loads(said.decode("utf-8", "surrogatepass"))
    if not isinstance(plain, dict):
        raise ValueError("a message without a head")
    return Message(plain, raw)


def packed(document: Document) -> Message:
    """The message that a document makes; its source does not travel."""
    rows = [_row(one) for one in document.paragraphs]
    head = {"title": document.title, "metadata": dict(document.metadata), "code": document.code, "paragraphs": rows}
    return Message(head, document.text.encode("utf-8", "surrogatepass"))


def _row(one: Paragraph) -> tuple[int | str | bool, ...]:
    row = (one.start, one.end, one.heading)
    return (*row, one.place, one.lines) if one.place or one.lines else row


def unpacked(message: Message) -> Document:
    """The document that the message was made of; ValueError where it is none."""
    try:
        text = message.body.decode("utf-8", "surrogatepass")
        rows = enumerate(message.head["paragraphs"])
        paragraphs = tuple(Paragraph(index, *_whole(*row)) for index, row in rows)
        metadata = {str(name): str(value) for name, value in message.head["metadata"].items()}
        code = str(message.head.get("code", ""))
        return Document(text, paragraphs, title=str(message.head["title"]), metadata=metadata, code=code)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("a message that is no document") from error


def _whole(start: int, end: int, heading: int, place: str = "", lines: bool = False) -> tuple[int, int, int, str, bool]:
    return int(start), int(end), int(heading), str(place), bool(lines)
