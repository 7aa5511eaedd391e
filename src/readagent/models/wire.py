"""JSON with msgspec, the canonical form that cache keys are computed from, and server-sent events."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, TypeVar

import msgspec

from readagent.errors import BadReplyError

T = TypeVar("T")
_MOST_DIGITS = 400  # of an integer; longer ones are no counts, and Python refuses to convert them


def encode(value: Any) -> bytes:
    """Encode a value as JSON. Equal values give equal bytes."""
    return msgspec.json.encode(_sendable(value), order="deterministic")


def decode(data: bytes | str) -> Any:
    """Decode JSON, also with numbers that only some servers send: NaN and infinite ones. Overlong integers become null.

    Raises BadReplyError if the text is not JSON.
    """
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        try:
            return _sendable(json.loads(data, parse_int=_integer))
        except (ValueError, RecursionError):
            raise BadReplyError("the reply was not JSON") from error


def _integer(digits: str) -> int | None:
    return int(digits) if len(digits) <= _MOST_DIGITS else None


def decode_as(data: bytes | str, kind: type[T]) -> T:
    """Decode JSON into a dataclass. Raises BadReplyError if it does not fit."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise BadReplyError(f"not the expected JSON: {error}") from error


def fingerprint(value: Any) -> str:
    """Return the SHA-256 of the canonical JSON of a value."""
    return hashlib.sha256(encode(value)).hexdigest()


def _sendable(value: Any) -> Any:
    """Replace what UTF-8 cannot encode: lone surrogates, from damaged sources."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_sendable(name): _sendable(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_sendable(item) for item in value]
    return value


_LINE_END = re.compile(rb"\r\n|\r|\n")  # no other: U+2028 and U+0085 may be part of a text
_BOM = b"\xef\xbb\xbf"
_FIELD = re.compile(rb"\s*(?:data|event|id|retry|): ?")  # a line without a name is a comment


def looks_like_events(body: bytes) -> bool:
    """Whether a body is a stream of events, whatever its content type says."""
    return _FIELD.match(body.removeprefix(_BOM)) is not None


class OversizedReplyError(BadReplyError):
    """A reply that is longer than any reply should be."""


class EventDecoder:
    """Collects the data of events from chunks of bytes, however the bytes are divided.

    The work is proportional to the number of bytes. An event of more than ``limit`` bytes raises BadReplyError.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._line: list[bytes] = []  # the parts of a line that has not ended
        self._data: list[bytes] = []  # the data lines of an event that has not ended
        self._size = 0
        self._began = False
        self._after_return = False

    def feed(self, chunk: bytes) -> list[str]:
        """Return the data of every event that ends in this chunk. Events without data are left out."""
        if not chunk:
            return []
        rest = chunk[1:] if self._after_return and chunk.startswith(b"\n") else chunk
        self._after_return = chunk.endswith(b"\r")
        events: list[str] = []
        *ended, unfinished = _LINE_END.split(rest)
        for part in ended:
            events += self._end_line(part)
        self._line.append(unfinished)
        self._count(len(unfinished))
        return events

    def end(self) -> list[str]:
        """Return the last event, if the stream ended without an empty line after it."""
        return self._end_line(b"") + self._end_event()

    def _end_line(self, last: bytes) -> list[str]:
        line = b"".join([*self._line, last])
        self._line.clear()
        if not self._began:
            self._began, line = True, line.removeprefix(_BOM)
        if not line:
            return self._end_event()
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
            self._count(len(last))
        elif not self._data:
            self._size = 0  # a comment or another field, which is not kept
        return []

    def _end_event(self) -> list[str]:
        data, self._data, self._size = self._data, [], 0
        return [b"\n".join(data).decode("utf-8", "replace")] if data else []

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > self._limit:
            raise OversizedReplyError(f"the server sent an event of more than {self._limit:,} bytes")
