"""How values become bytes in the library and values again: the one door to msgspec for this layer.

Any Python string comes back as it was, halves of surrogate pairs included, which neither msgspec nor a text column
would take: so JSON is written by the standard library, and msgspec turns it into our dataclasses.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from readagent.core.document import Paragraph

T = TypeVar("T")


def to_bytes(text: str) -> bytes:
    """UTF-8, and more than UTF-8 where it must be."""
    return text.encode("utf-8", "surrogatepass")


def to_text(data: bytes) -> str:
    """The text that these bytes were made of."""
    return data.decode("utf-8", "surrogatepass")


def squeeze(data: bytes) -> bytes:
    """Fewer bytes for large texts that are seldom read."""
    return zlib.compress(data, 1)  # half the time of the usual level, for a twentieth more bytes


def expand(data: bytes) -> bytes:
    """What was squeezed."""
    return zlib.decompress(data)


def to_json(value: Any, *, indent: int | None = None) -> bytes:
    """JSON of dataclasses, lists, mappings and plain values."""
    separators = (",", ":") if indent is None else None
    plain = msgspec.to_builtins(value)
    return to_bytes(json.dumps(plain, ensure_ascii=False, separators=separators, indent=indent))


def from_json(data: bytes, kind: type[T]) -> T:
    """The value of that kind that the JSON was made of."""
    return msgspec.convert(json.loads(to_text(data)), type=kind)


class _Row(msgspec.Struct, array_like=True):
    """A paragraph as a short row; older libraries have rows of four."""

    index: int
    start: int
    end: int
    heading: int
    place: bytes = b""
    lines: bool = False


def pack_paragraphs(paragraphs: Iterable[Paragraph]) -> bytes:
    """A short row for each paragraph."""
    rows = [_Row(one.index, one.start, one.end, one.heading, to_bytes(one.place), one.lines) for one in paragraphs]
    return msgspec.msgpack.encode(rows)


def unpack_paragraphs(data: bytes) -> tuple[Paragraph, ...]:
    """The paragraphs that were packed."""
    rows = msgspec.msgpack.decode(data, type=list[_Row])
    return tuple(Paragraph(r.index, r.start, r.end, r.heading, to_text(r.place), r.lines) for r in rows)
