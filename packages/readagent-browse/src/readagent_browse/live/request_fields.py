"""The fields of a request: those of a form or of JSON, each with its value.

The body is parsed first and secrets are hidden in the values, so that a secret cannot hide the fields around it.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from readagent_browse.live.secrets import Secrets

UNSEEN = "\udfff"  # in a body: data that the browser does not show, such as a file on the disk
_MOST_UNPACKED = 1_000_000  # bytes
_PART_HEAD = re.compile(
    r'content-disposition: form-data; name="([^"]*)"(?:; filename="([^"]*)")?(?:\r?\ncontent-type: ([^\r\n]*))?',
    re.IGNORECASE,
)
_PAIR = r"[\w.\[\]-]+="
_PAIRS = re.compile(rf"(?:^|&){_PAIR}")
_ONLY_PAIRS = re.compile(rf"{_PAIR}[^&\s]*(?:&{_PAIR}[^&\s]*)*")
_LONG = 800  # characters; a shorter text is shown as it is
_SURROGATE = re.compile("[\ud800-\udffe]")


@dataclass(frozen=True, slots=True)
class Field:
    """A field: its name, in JSON with those of the objects around it, and its value; for a file its name and type."""

    path: tuple[str, ...]
    value: str
    file: str | None = None
    file_type: str = ""
    size: int | None = None  # of a file, in bytes

    def shown(self, value: str, secrets: Secrets) -> Field:
        """Return the field as text without secrets, with this value."""
        path = tuple(secrets.redact(as_text(name)) for name in self.path)
        file = None if self.file is None else secrets.redact(as_text(self.file))
        return Field(path, value, file, secrets.redact(as_text(self.file_type)), size=self.size)


def redacted_fields(fields: Sequence[Field], secrets: Secrets) -> list[Field]:
    """Return fields as text without secrets, also without those that are in several values that follow each other."""
    values = secrets.redact_values([as_text(field.value) for field in fields])
    return [field.shown(value, secrets) for field, value in zip(fields, values, strict=True)]


def request_fields(body: str, content_type: str, secrets: Secrets) -> list[Field] | None:
    """Return the fields of a form or of JSON; None if the body is neither."""
    if boundary := re.search(r'multipart/form-data\b.*\bboundary="?([^";]+)', content_type, re.IGNORECASE):
        return list(_parts(body, boundary[1]))
    if "application/x-www-form-urlencoded" in content_type.lower():
        return _pairs(body, secrets)
    with suppress(ValueError, RecursionError):
        found = _parsed(body)
        short_list = isinstance(found, list) and len(body) <= _LONG
        if isinstance(found, (_Members, list)) and found and not short_list:
            return list(_leaves((), found))
        return None
    is_form = _ONLY_PAIRS.fullmatch(body) or (len(body) > _LONG and _PAIRS.search(body))
    return _pairs(body, secrets) if is_form else None


def is_json(body: str) -> bool:
    """Return whether a body is JSON."""
    with suppress(ValueError, RecursionError):
        _parsed(body)
        return True
    return False


def _parsed(body: str) -> Any:
    """Return a JSON value, with its numbers as they are written."""
    text = body.removeprefix("\ufeff")
    return json.loads(text, object_pairs_hook=_Members, parse_int=str, parse_float=str, parse_constant=str)


def unpacked(body: str) -> str:
    """Return a body that was compressed with gzip as it was before; any other body as it is."""
    if not body.startswith("\x1f\udc8b") or UNSEEN in body:
        return body
    with suppress(zlib.error):
        data, unpacker = _as_bytes(body), zlib.decompressobj(wbits=31)
        plain = unpacker.decompress(data, _MOST_UNPACKED)
        if unpacker.eof and not unpacker.unused_data:
            return plain.decode("utf-8", "surrogateescape")
    return body


def _as_bytes(body: str) -> bytes:
    return body.encode("utf-8", "surrogateescape")


def as_text(body: str) -> str:
    """Return a body, or a part of it, with bytes that are no text written as numbers."""
    return _SURROGATE.sub(_number, body).replace(UNSEEN, "(data that cannot be shown)")


def _number(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def _pairs(body: str, secrets: Secrets) -> list[Field]:
    """Return the fields of a form. A secret may contain ``&``, so it is hidden before the form is parsed, too."""
    return [Field((name,), value) for name, value in parse_qsl(secrets.redact(as_text(body)), keep_blank_values=True)]


def _parts(body: str, boundary: str) -> Iterator[Field]:
    """Yield the parts of a form with files. The name of a part with unusual headers is all of its headers."""
    line = rf"(?:^|\r?\n)--{re.escape(boundary)}(?:--)?[ \t]*(?=\r?\n|$)"
    for part in re.split(line, body):
        head, _, value = part.removeprefix("\r").removeprefix("\n").partition("\r\n\r\n")
        if known := _PART_HEAD.fullmatch(head):
            size = None if UNSEEN in value else len(_as_bytes(value))
            yield Field((known[1],), value, known[2], known[3] or "", size=size)
        elif part.strip():
            yield Field((head,), value)


class _Members(tuple[tuple[str, Any], ...]):
    """The members of a JSON object, also those with the same name."""

    __slots__ = ()


def _leaves(path: tuple[str, ...], value: Any) -> Iterator[Field]:
    """Yield the values in a JSON value."""
    if isinstance(value, _Members) and value:
        for key, one in value:
            yield from _leaves((*path, key), one)
    elif isinstance(value, list) and value:
        for index, one in enumerate(value):
            yield from _leaves((*path, str(index)), one)
    else:
        text = value if isinstance(value, str) else "{}" if isinstance(value, _Members) else json.dumps(value)
        yield Field(path, text)


_TOKENS = re.compile(
    r'(?P<text>"""(?:\\"""|.)*?"""|"(?:\\.|[^"\\\n])*")|(?P<comment>\#[^\r\n]*)|(?P<open>[{(\[])|(?P<close>[})\]])'
    r"|(?P<start>\b(?:query|mutation|subscription|fragment)\b)",
    re.DOTALL,
)


def graphql_operations(text: str) -> list[str]:
    """Return the operations and fragments of a GraphQL text without comments; none if it is another text."""
    parts: list[str] = [""]
    depth = done = 0
    for token in _TOKENS.finditer(text):
        parts[-1] += text[done : token.start()]
        done = token.end()
        if token["comment"]:
            continue
        if depth == 0 and (token["start"] or (token[0] == "{" and parts[-1].rstrip().endswith("}"))):
            parts.append("")
        depth += 1 if token["open"] else -1 if token["close"] and depth else 0
        parts[-1] += token[0]
    parts[-1] += text[done:]
    found = [part for one in parts if (part := one.strip())]
    return found if found and all("{" in part for part in found) else []
