"""The messages between this process and a sandboxed child: a file goes out, a Document comes back, or a picture.

Each message is a JSON head and raw bytes, so nothing but text, numbers and pixels can come back.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from readagent.core.document import Document
from readagent.core.words import Paragraph
from readagent.loaders.formats import MAX_CHARACTERS

_LENGTHS = struct.Struct(">QQ")
_MAX_HEAD = 250_000_000  # bytes
_MAX_BODY = 4 * MAX_CHARACTERS


@dataclass(frozen=True, slots=True)
class Message:
    """A head of plain values, and the bytes of a file or a text."""

    head: Mapping[str, Any]
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page of a file, counted from 0, of so many: its pixels, three bytes each.

    ``lines`` are the lines of a passage as shares of the picture: left, top, right, bottom.
    """

    page: int
    pages: int
    width: int
    height: int
    lines: Sequence[tuple[float, float, float, float]]
    pixels: bytes


_OF_PICTURE = ("page", "pages", "width", "height", "lines")


def send(pipe: IO[bytes], message: Message) -> None:
    """Write one message."""
    head = json.dumps(message.head, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    pipe.write(_LENGTHS.pack(len(head), len(message.body)))
    pipe.write(head)
    pipe.write(message.body)
    pipe.flush()


def relay(pipe: IO[bytes], onward: IO[bytes]) -> bool:
    """Copy one message as it is from one pipe to another; return whether there was one, complete and not too long."""
    try:
        parts = _read(pipe, _MAX_BODY)
    except ValueError:
        return False
    if parts is None:
        return False
    onward.write(_LENGTHS.pack(*map(len, parts)))
    for part in parts:
        onward.write(part)
    onward.flush()
    return True


def receive(pipe: IO[bytes], max_body: int = _MAX_BODY) -> Message | None:
    """Read one message. Return None at the end of the pipe; raise ValueError if the data is not a message."""
    parts = _read(pipe, max_body)
    if parts is None:
        return None
    head, body = parts
    values = json.loads(head.decode("utf-8", "surrogatepass"))
    if not isinstance(values, dict):
        raise ValueError("the message has no head")
    return Message(values, body)


def _read(pipe: IO[bytes], max_body: int) -> tuple[bytes, bytes] | None:
    lengths = pipe.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    head_size, body_size = _LENGTHS.unpack(lengths)
    if head_size > _MAX_HEAD or body_size > max_body:
        raise ValueError("the message is too long")
    head, body = pipe.read(head_size), pipe.read(body_size)
    return (head, body) if len(head) == head_size and len(body) == body_size else None


def pack(document: Document) -> Message:
    """Return the message for a document; its source is not included."""
    rows = [_row(one) for one in document.paragraphs]
    facts = {"metadata": dict(document.metadata), "code": document.code, "kind": document.kind}
    head = {"title": document.title, **facts, "paragraphs": rows}
    return Message(head, document.text.encode("utf-8", "surrogatepass"))


def _row(one: Paragraph) -> tuple[Any, ...]:
    row = (one.start, one.end, one.heading)
    if one.marks or one.speaker:
        return (*row, one.place, one.lines, one.marks, one.speaker)
    return (*row, one.place, one.lines) if one.place or one.lines else row


def unpack(message: Message) -> Document:
    """Return the document in a message; raise ValueError if there is none."""
    try:
        text = message.body.decode("utf-8", "surrogatepass")
        rows = enumerate(message.head["paragraphs"])
        paragraphs = tuple(Paragraph(index, *_checked(*row)) for index, row in rows)
        metadata = {str(name): str(value) for name, value in message.head["metadata"].items()}
        code = str(message.head.get("code", ""))
        title, kind = str(message.head["title"]), str(message.head["kind"])
        return Document(text, paragraphs, title=title, metadata=metadata, code=code, kind=kind)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("the message contains no document") from error


def pack_picture(picture: PagePicture) -> Message:
    """Return the message for a picture: its pixels, so that no format of pictures comes out of the sandbox."""
    return Message({name: getattr(picture, name) for name in _OF_PICTURE}, picture.pixels)


def unpack_picture(message: Message) -> PagePicture:
    """Return the picture in a message; raise ValueError if there is none."""
    try:
        page, pages, width, height = (int(message.head[name]) for name in _OF_PICTURE[:4])
        lines = [(float(a), float(b), float(c), float(d)) for a, b, c, d in message.head["lines"]]
    except (KeyError, TypeError) as error:
        raise ValueError("the message contains no picture") from error
    if len(message.body) != 3 * width * height:
        raise ValueError("the message has another number of pixels")
    return PagePicture(page, pages, width, height, lines, message.body)


def _checked(
    start: int, end: int, heading: int, place: str = "", lines: bool = False, marks: Iterable[tuple[int, str]] = (),
    speaker: str = "",
) -> tuple[int, int, int, str, bool, tuple[tuple[int, str], ...], str]:  # fmt: skip
    checked = tuple((int(offset), str(following)) for offset, following in marks)
    return int(start), int(end), int(heading), str(place), bool(lines), checked, str(speaker)
