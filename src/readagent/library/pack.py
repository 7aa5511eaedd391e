"""Convert values to bytes for the library and back; no other module of this package uses msgspec.

Any Python string comes back unchanged, lone surrogates included. Neither msgspec nor a TEXT column accepts those, so
the standard library writes the JSON, and msgspec only converts it to dataclasses. What cannot be converted back, or
does not match its checksum, raises ``DamagedLibraryError``.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from readagent.core.words import Paragraph
from readagent.errors import DamagedLibraryError
from readagent.library.errors import REPAIR

T = TypeVar("T")

_SEALED = b"\xff"  # no text, JSON, msgpack array or compressed data begins with this byte
_SUM_END = 5


def seal(data: bytes, *beside: Any) -> bytes:
    """Return the data with a checksum of it and of the values that are stored beside it."""
    return _SEALED + _checksum(data, beside) + data


def unseal(stored: bytes, *beside: Any) -> bytes:
    """Return the data that was sealed with these values; data of older versions has no seal and is not checked."""
    with _checked():
        if not stored.startswith(_SEALED):
            return stored
        data = stored[_SUM_END:]
        if stored[1:_SUM_END] != _checksum(data, beside):
            raise ValueError("wrong checksum")
        return data


def _checksum(data: bytes, beside: tuple[Any, ...]) -> bytes:
    return zlib.crc32(repr(beside).encode(), zlib.crc32(data)).to_bytes(4, "big")


@contextmanager
def _checked() -> Iterator[None]:
    """Turn every error of a conversion into one that says that the library is damaged."""
    try:
        yield
    except (ValueError, TypeError, AttributeError, RecursionError, zlib.error, msgspec.MsgspecError) as error:
        raise DamagedLibraryError(
            f"the library is damaged: a stored value cannot be read ({error})", hint=REPAIR
        ) from error


def to_bytes(text: str) -> bytes:
    """Encode a text as UTF-8; lone surrogates are encoded too."""
    return text.encode("utf-8", "surrogatepass")


def to_text(data: bytes) -> str:
    """Decode what ``to_bytes`` encoded."""
    with _checked():
        return data.decode("utf-8", "surrogatepass")


def to_time(text: str) -> datetime:
    """Return the time that was stored as text."""
    with _checked():
        return datetime.fromisoformat(text)


def compress(data: bytes) -> bytes:
    """Compress data that is large and seldom read; it has a checksum of its own."""
    return zlib.compress(data, 1)  # half the time of the default level, for 5 % more bytes


def decompress(data: bytes) -> bytes:
    """Decompress what ``compress`` returned."""
    with _checked():
        return zlib.decompress(data)


def to_json(value: Any, *, indent: int | None = None) -> bytes:
    """Return dataclasses, lists, mappings and plain values as JSON."""
    separators = (",", ":") if indent is None else None
    plain = msgspec.to_builtins(value)
    return to_bytes(json.dumps(plain, ensure_ascii=False, separators=separators, indent=indent))


def from_json(data: bytes, kind: type[T]) -> T:
    """Convert JSON to a value of this type; fields that the type does not have are ignored."""
    with _checked():
        return msgspec.convert(json.loads(to_text(data)), type=kind)


def pack_rows(tables: Mapping[str, Sequence[Sequence[Any]]]) -> bytes:
    """Return rows of tables as sealed and compressed msgpack."""
    return seal(compress(msgspec.msgpack.encode(tables)))


def unpack_rows(data: bytes) -> dict[str, list[list[Any]]]:
    """Return the rows that ``pack_rows`` packed."""
    with _checked():
        return msgspec.msgpack.decode(decompress(unseal(data)), type=dict[str, list[list[Any]]])


class _Row(msgspec.Struct, array_like=True):
    """A paragraph as a msgpack array; older libraries have shorter ones."""

    index: int
    start: int
    end: int
    heading: int
    place: bytes = b""
    lines: bool = False
    marks: tuple[tuple[int, bytes], ...] = ()
    speaker: bytes = b""


def pack_paragraphs(paragraphs: Iterable[Paragraph]) -> bytes:
    """Return the paragraphs as sealed msgpack arrays."""
    rows = [
        _Row(one.index, one.start, one.end, one.heading, to_bytes(one.place), one.lines,
             tuple((offset, to_bytes(place)) for offset, place in one.marks), to_bytes(one.speaker))
        for one in paragraphs
    ]  # fmt: skip
    return seal(msgspec.msgpack.encode(rows))


def unpack_paragraphs(data: bytes) -> tuple[Paragraph, ...]:
    """Return the paragraphs that ``pack_paragraphs`` packed."""
    with _checked():
        rows = msgspec.msgpack.decode(unseal(data), type=list[_Row])
    return tuple(
        Paragraph(r.index, r.start, r.end, r.heading, to_text(r.place), r.lines,
                  tuple((offset, to_text(place)) for offset, place in r.marks), to_text(r.speaker))
        for r in rows
    )  # fmt: skip
