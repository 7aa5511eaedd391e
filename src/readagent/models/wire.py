"""JSON as it travels: the one door to msgspec for the model layer, and the canonical form that keys are made of."""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar

import msgspec

from readagent.errors import BadReplyError

T = TypeVar("T")


def encode(value: Any) -> bytes:
    """JSON, always the same bytes for the same value."""
    return msgspec.json.encode(_sendable(value), order="deterministic")


def decode(data: bytes | str) -> Any:
    """The value of a JSON text; a BadReplyError where it is none."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise BadReplyError(f"not JSON: {error}") from error


def decode_as(data: bytes | str, kind: type[T]) -> T:
    """The value of a JSON text as a dataclass; a BadReplyError where it does not fit."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise BadReplyError(f"not the expected JSON: {error}") from error


def fingerprint(value: Any) -> str:
    """SHA-256 of the canonical JSON of a value."""
    return hashlib.sha256(encode(value)).hexdigest()


def _sendable(value: Any) -> Any:
    """The value with what UTF-8 cannot carry (halves of surrogate pairs, from damaged sources) replaced."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_sendable(name): _sendable(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_sendable(item) for item in value]
    return value
