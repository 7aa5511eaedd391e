"""JSON encoding and decoding with msgspec, and the canonical form that cache keys are computed from."""

from __future__ import annotations

import hashlib
import json
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
